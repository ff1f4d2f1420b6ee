"""Storage limits on a laptop: what counts as a document, and how a data folder is counted."""
# ruff: noqa: PLC0415 - not every command counts

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from almanac.kernel.clock import Clock

if TYPE_CHECKING:
    from almanac.identity.access.storage import StorageLimits
    from almanac.platform.blobs.sqlite_usage import SqliteUsage
    from almanac.platform.store.port import Store

DOCUMENT_TABLES = frozenset(
    {
        "calendar_entries",
        "code_files",
        "facts",
        "memories",
        "planner_cards",
        "planner_journal",
        "planner_notes",
        "skills",
        "turns",
    }
)
"""The tables of what people and agents write, one item for each thing; all others hold parts of it or are derived."""


def open_usage(file: Path, clock: Clock) -> "SqliteUsage":
    """Make the counter of the tenants of the store in the file."""
    from almanac.platform.blobs.sqlite_usage import SqliteUsage

    return SqliteUsage(file, DOCUMENT_TABLES, clock=clock)


def open_storage_limits(store: "Store", file: Path, clock: Clock, monotonic: Callable[[], float]) -> "StorageLimits":
    """The limits of the tenants in `store`, which are counted in its file."""
    from almanac.identity.access.storage import StorageLimits, stored_limit

    return StorageLimits(
        open_usage(file, clock), lambda tenant: stored_limit(store, tenant), DOCUMENT_TABLES, monotonic
    )
