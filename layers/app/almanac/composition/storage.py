"""Composition of storage limits on a laptop, where the data folder is counted."""
# ruff: noqa: PLC0415 - not every command counts

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from almanac.composition.storage_totals import DOCUMENT_TABLES
from almanac.kernel.clock import Clock

if TYPE_CHECKING:
    from almanac.identity.access.storage import StorageLimits
    from almanac.platform.blobs.sqlite_usage import SqliteUsage
    from almanac.platform.store.port import Store


def by_family(tables: Mapping[str, int]) -> dict[str, int]:
    """Return the bytes of each family. The entry "" has those of no family, such as the audit trail."""
    from almanac.composition.families import FAMILIES, declaration
    from almanac.platform.store.records import Table

    owners = {
        table.own.name: name
        for name in FAMILIES
        for module in declaration(name).records()
        for table in cast("list[Table[Any] | None]", list(vars(module).values()))
        if isinstance(table, Table)
    }
    sizes: Counter[str] = Counter()
    for table, size in tables.items():
        sizes[owners.get(table, "")] += size
    return dict(sizes)


def open_usage(file: Path, clock: Clock) -> "SqliteUsage":
    """Open the counter of each tenant's storage in the file."""
    from almanac.platform.blobs.sqlite_usage import SqliteUsage

    return SqliteUsage(file, DOCUMENT_TABLES, clock=clock)


def open_storage_limits(store: "Store", file: Path, clock: Clock, monotonic: Callable[[], float]) -> "StorageLimits":
    """Open the limits of the tenants in `store`, which are counted in its file."""
    from almanac.identity.access.storage import StorageLimits
    from almanac.identity.storage_limit import stored_limit

    return StorageLimits(
        open_usage(file, clock), lambda tenant: stored_limit(store, tenant), DOCUMENT_TABLES, monotonic
    )
