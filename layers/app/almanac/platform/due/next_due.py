"""Next due instants of jobs, read from the indexes of their tables."""

from collections.abc import Callable
from typing import Any

from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.platform.store.port import Index, Store
from almanac.platform.store.records import Record, Table

NextDue = Callable[[Services, Scope], int | None]


def earliest(table: Table[Any], field: str, index: Index | None = None) -> NextDue:
    """Return a function that reads the earliest `field` of a project's records. The table or `index` sorts by it."""

    def next_due(services: Services, scope: Scope) -> int | None:
        records: tuple[Record, ...] = table.within(services.get(Store), scope).query(index=index, limit=1).records
        return getattr(records[0], field) if records else None

    return next_due
