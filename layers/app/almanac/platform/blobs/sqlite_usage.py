"""Counting of a tenant's storage in the file of a SQLite store."""

# Statements only contain constants; every value is a parameter.

from collections import Counter
from collections.abc import Set as AbstractSet
from pathlib import Path

import msgspec

from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.large_values import blob_size
from almanac.platform.store.keys import stored_tenant_and_table
from almanac.platform.store.sqlite.connections import Connections
from almanac.platform.store.tenant_scan import Usage, partitions_of

_WITHIN = "FROM items WHERE partition >= ? AND partition < ? AND (expires_at IS NULL OR expires_at > ?)"
_COUNT = f"""SELECT partition, count(*), sum(length(partition) + length(sort) + length(body))
    {_WITHIN} GROUP BY partition"""
_STOWED = f"SELECT partition, body {_WITHIN} AND instr(body, X'A524626C6F62') > 0"
"""Selects the bodies that contain the mark of a large value in msgpack's encoding."""

_decode = msgspec.msgpack.Decoder().decode


class SqliteUsage:
    """`CountsUsage` on the store at `path`. `documents` names the tables whose items are documents."""

    def __init__(self, path: Path, documents: AbstractSet[str], *, clock: Clock) -> None:
        self._connections = Connections(path)
        self._documents = documents
        self._clock = clock

    def usage(self, tenant: str) -> Usage:
        now, documents, sizes = now_ms(self._clock), 0, Counter[str]()
        with self._connections.reader() as connection:
            for start, end in partitions_of(tenant).spans():
                for partition, count, size in connection.execute(_COUNT, (start, end, now)):
                    table = stored_tenant_and_table(partition)[1]
                    sizes[table] += size
                    documents += count if table in self._documents else 0
                for partition, body in connection.execute(_STOWED, (start, end, now)):
                    table = stored_tenant_and_table(partition)[1]
                    sizes[table] += sum(map(blob_size, _decode(body).values()))
        return Usage(sizes.total(), documents, dict(sizes))

    def version(self) -> object:
        return self._connections.version()

    def close(self) -> None:
        """Close idle connections. New ones are opened when needed."""
        self._connections.close()
