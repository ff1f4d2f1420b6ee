"""Export of a tenant into a file that `tenant_import` restores elsewhere."""

from collections.abc import Callable, Iterator
from typing import IO

from msgspec import UNSET

from almanac.identity.records import KeyRecord, Tenant, from_attributes, keys_of, tenant_key, to_attributes
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.port import Blobs
from almanac.platform.due.records import DUE
from almanac.platform.portability.file import Counts, FileWriter
from almanac.platform.portability.large_values import LargeValueReader, parts_of
from almanac.platform.portability.lines import FORMAT, Header, KeyLine, attributes_to_json, line_of
from almanac.platform.portability.signature import Signer
from almanac.platform.store.keys import tenant_and_table
from almanac.platform.store.port import Store
from almanac.platform.store.queries import every_item
from almanac.platform.store.tenant_scan import TenantScan

MAX_KEYS = 10_000
_PAGE = 100


class TenantExport:
    """Exports tenants.

    `store` is the inner store, in whose items marks stand for large values. `scan` reads the same store. `signing`
    signs the file, so that the installation can later recognize it as its own.
    """

    def __init__(
        self, store: Store, scan: TenantScan, blobs: Blobs | None, clock: Clock, signing: Signer | None = None
    ) -> None:
        self._signing = signing
        self._store = store
        self._scan = scan
        self._values = LargeValueReader(store, blobs)
        self._clock = clock

    def write(self, tenant: str, file: IO[bytes], *, with_keys: bool, progress: Callable[[int], object]) -> Counts:
        """Write the tenant, its projects, all their items and large values, and, `with_keys`, its API keys.

        Of the keys' secrets, only digests are written. Expired items are left out. Calls `progress` with the number of
        items so far. Raises NotFound for an unknown tenant, InvalidInput for a large value that cannot be exported.
        """
        record = self._tenant(tenant)
        writer = FileWriter(file, self._signing)
        writer.write(
            Header(
                format=FORMAT,
                tenant=record.id,
                name=record.name,
                created_at=record.created_at,
                tier=record.tier,
                exported_at=now_ms(self._clock),
                signer=UNSET if self._signing is None else self._signing.signer,
                default_timezone=record.default_timezone,
                week_start=record.week_start,
                per_minute=record.per_minute,
                per_day=record.per_day,
            )
        )
        for scanned in self._scan.items(tenant):
            # An import has all jobs survey the projects anew.
            if tenant_and_table(scanned.key.partition)[1] == DUE.own.name:
                continue
            if (read := self._values.with_values(scanned)) is not None:
                item, values = read
                for blob_id, data in values:
                    for part in parts_of(blob_id, data):
                        writer.write(part)
                writer.write(line_of(item, tenant))
                progress(writer.counts.items)
        if with_keys:
            for key in self._keys(tenant):
                writer.write(KeyLine(attributes=attributes_to_json(to_attributes(key))))
        writer.finish()
        return writer.counts

    def _tenant(self, tenant: str) -> Tenant:
        item = self._store.get(tenant_key(tenant)) if tenant else None
        if item is None:
            raise NotFound(f"There is no tenant {tenant[:64]}.", "`almanac tenants list` shows them.")
        return from_attributes(item.attributes, Tenant)

    def _keys(self, tenant: str) -> Iterator[KeyRecord]:
        for number, item in enumerate(every_item(self._store, keys_of(tenant), index="gsi1", page=_PAGE)):
            if number == MAX_KEYS:
                raise InvalidInput(f"The tenant has over {MAX_KEYS} keys.", "Export it without them.")
            yield from_attributes(item.attributes, KeyRecord)
