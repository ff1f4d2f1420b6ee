"""Composition of storage limits on AWS, and the tables whose items count as documents."""
# ruff: noqa: PLC0415 - most Lambda functions need only one of the two

from collections.abc import Callable
from typing import TYPE_CHECKING

from almanac.kernel.clock import Clock

if TYPE_CHECKING:
    from almanac.identity.access.storage_total import StorageMeter
    from almanac.platform.declaration.jobs import Job
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
"""Tables with one item for each thing that people and agents write.

Other tables hold parts of these or derived data.
"""


def open_meter(store: "Store", clock: Clock) -> "StorageMeter":
    """Open the meter that adds up the writes to a store."""
    from almanac.identity.access.storage_total import StorageMeter
    from almanac.platform.due.rounds import DueIndex
    from almanac.platform.due.scheduling_store import Schedule

    return StorageMeter(store, DueIndex(Schedule(store, clock), clock), clock)


def count_job(open_store: "Callable[[], Store]", clock: Clock, monotonic: Callable[[], float]) -> "Job":
    """Return the job that counts tenants in a table on AWS. It may run again at once."""
    from almanac.identity.access.storage_total import JOB, StorageCount
    from almanac.platform.declaration.jobs import Job
    from almanac.platform.store.dynamodb.partition_registry import registered_partitions

    count = StorageCount(open_store, clock, registered_partitions, DOCUMENT_TABLES, monotonic)
    return Job(JOB, 0, count.run, count.next_due)
