"""Scan of one tenant's items in a SQLite store."""

from collections.abc import Iterator
from pathlib import Path

from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Item
from almanac.platform.store.sqlite.connections import Connections
from almanac.platform.store.sqlite.store import ROW, read_row
from almanac.platform.store.tenant_scan import partitions_of

_WITHIN = "FROM items WHERE partition >= ? AND partition < ? AND (expires_at IS NULL OR expires_at > ?)"
_READ = f"SELECT {ROW} {_WITHIN} ORDER BY partition, sort"
_COUNT = f"SELECT count(*) {_WITHIN}"


class SqliteTenantScan:
    """`TenantScan` on the store at `path`, which other processes may write meanwhile."""

    def __init__(self, path: Path, *, clock: Clock) -> None:
        self._connections = Connections(path)
        self._clock = clock

    def items(self, tenant: str, *, expired: bool = False) -> Iterator[Item]:
        spans, now = partitions_of(tenant).spans(), -1 if expired else now_ms(self._clock)
        with self._connections.reader() as connection:
            # One transaction around all ranges, so that the scan never sees half of a write.
            connection.execute("BEGIN")
            try:
                for start, end in spans:
                    for row in connection.execute(_READ, (start, end, now)):
                        yield read_row(row)
            finally:
                connection.execute("ROLLBACK")

    def count(self, tenant: str) -> int:
        now = now_ms(self._clock)
        with self._connections.reader() as connection:
            counts = [connection.execute(_COUNT, (*span, now)).fetchone()[0] for span in partitions_of(tenant).spans()]
        return sum(counts)

    def close(self) -> None:
        """Close idle connections. New ones are opened when needed."""
        self._connections.close()
