"""Many date-time operations in one call."""

from typing import Annotated, Any

from msgspec import Meta

from almanac.families.time import batch
from almanac.families.time.batch import BatchResult
from almanac.protocol.tool import Effect, Entries, tool

_ITEMS = Meta(
    description="1 to 100 operations: validate, resolve or convert, each with its own fields.",
    min_length=1,
    max_length=batch.MAX_ITEMS,
    examples=[[{"operation": "validate", "local_datetime": "2026-03-08T02:30:00", "time_zone": "America/New_York"}]],
)


@tool(title="Many date-times at once", effect=Effect.READS)
def batch_datetime_operations(items: Annotated[list[Any], _ITEMS, Entries(batch.Item)]) -> BatchResult:
    """Convert, resolve or validate many timestamps, dates and local times together, at once: a bulk or batch of up to
    100 in a single call, in one go, e.g. a whole list from a file, a spreadsheet or a generated schedule, instead
    of one by one.

    Per item: validate and resolve need local_datetime and time_zone (resolve also takes resolution_policy), convert
    needs instant_utc and target_time_zone. Results keep the order of the items. Each has success with data, or an error
    with a code: one bad item never fails the rest. For dates in words use resolve_datetime.
    """
    return batch.run(items)
