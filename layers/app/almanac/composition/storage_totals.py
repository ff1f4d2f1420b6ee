"""Storage limits: what counts as a document, and how tenants are counted on AWS."""
# ruff: noqa: PLC0415 - most functions need one of both

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
"""The tables of what people and agents write, one item for each thing; all others hold parts of it or are derived."""


def open_meter(store: "Store", clock: Clock) -> "StorageMeter":
    """Make what adds up writes to the table of `store`."""
    from almanac.identity.access.storage_total import StorageMeter
    from almanac.platform.due.rounds import DueIndex
    from almanac.platform.due.scheduling_store import Schedule

    return StorageMeter(store, DueIndex(Schedule(store, clock), clock), clock)


def counting_job(open_store: "Callable[[], Store]", clock: Clock, monotonic: Callable[[], float]) -> "Job":
    """The job that counts tenants in a table on AWS, which a round may begin again at once."""
    from almanac.identity.access.storage_total import JOB, StorageCount
    from almanac.platform.declaration.jobs import Job
    from almanac.platform.store.dynamodb.partition_registry import registered_partitions

    count = StorageCount(open_store, clock, registered_partitions, DOCUMENT_TABLES, monotonic)
    return Job(JOB, 0, count.run, count.next_due)
