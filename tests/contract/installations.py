"""Installations that tenants are exported from and imported into."""

import os
import random
import time
from io import BytesIO
from pathlib import Path
from typing import Any

from almanac.identity.transfer.tenant_export import TenantExport
from almanac.identity.transfer.tenant_import import ImportResult, TenantImport
from almanac.kernel.clock import Clock
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.large_values import LargeValues
from almanac.platform.due.records import DUE
from almanac.platform.portability.file import Counts
from almanac.platform.portability.lines import BlobLine, ItemLine
from almanac.platform.portability.signature import Signer
from almanac.platform.store.dynamodb.scan import DynamoTenantScan
from almanac.platform.store.keys import tenant_and_table
from almanac.platform.store.port import Item, Put, Store
from almanac.platform.store.retries import Retries
from almanac.platform.store.shared_secret import shared_secret
from almanac.platform.store.sqlite.scan import SqliteTenantScan
from almanac.platform.store.tenant_scan import TenantScan
from tests.contract.backends import TABLE, Place, connection_to


class UncheckedItems:
    """Accepts imported items of any kind, because tests write made-up items."""

    def __init__(self, exported: str, tenant: str) -> None:
        return None

    def value(self, part: BlobLine) -> None:
        return None

    def item(self, line: ItemLine, number: int) -> None:
        return None

    def restored_put(self, put: Put) -> Put:
        return put


class Installation:
    """A store with its blobs in a folder, and the operations on whole tenants in it."""

    def __init__(self, place: Place, folder: Path, clock: Clock) -> None:
        self.store: Store = place.open(clock)
        self.scan: TenantScan = _scan(place, clock)
        self.blobs = FolderBlobs(folder / f"{place.technology}-blobs")
        self.clock = clock
        self.whole: Store = LargeValues(self.store, self.blobs, os.urandom)
        """The store as families see it, with large values."""

    @staticmethod
    def on_sqlite(folder: Path, clock: Clock) -> "Installation":
        folder.mkdir(exist_ok=True)
        return Installation(Place("sqlite", str(folder / "almanac.db")), folder, clock)

    @property
    def signer(self) -> Signer:
        return Signer(shared_secret(self.store, "exports", os.urandom))

    def export(self, tenant: str, **options: Any) -> bytes:
        return self.export_with_counts(tenant, **options)[0]

    def export_with_counts(self, tenant: str, *, with_keys: bool = False) -> tuple[bytes, Counts]:
        file = BytesIO()
        exported = TenantExport(self.store, self.scan, self.blobs, self.clock, self.signer)
        counts = exported.write(tenant, file, with_keys=with_keys, progress=lambda items: None)
        return file.getvalue(), counts

    def restore(
        self, content: bytes, into: str | None = None, *, with_keys: bool = True, trust: bool = True
    ) -> ImportResult:
        restored = TenantImport(self.store, self.blobs, self.signer, UncheckedItems)
        return restored.read(BytesIO(content), into=into, with_keys=with_keys, trust=trust, progress=lambda end: None)

    def items(self, tenant: str) -> list[Item]:
        """Return the tenant's items by key, with large values in their places and without due items."""
        own = [item for item in self.scan.items(tenant) if tenant_and_table(item.key.partition)[1] != DUE.own.name]
        whole = [self.whole.get(item.key) for item in own]
        return sorted((item for item in whole if item), key=lambda item: (item.key.partition.text, item.key.sort))


def _scan(place: Place, clock: Clock) -> TenantScan:
    if place.technology == "sqlite":
        return SqliteTenantScan(Path(place.address), clock=clock)
    retries = Retries(
        sleep=time.sleep, random=random.random, monotonic=time.monotonic, attempts=12, patience_seconds=60
    )
    return DynamoTenantScan(TABLE, connection=connection_to(place.address), clock=clock, retries=retries)
