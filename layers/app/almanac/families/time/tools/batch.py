"""Tool for many date-time operations in one call."""

from typing import Annotated, Any

from msgspec import Meta

from almanac.families.time.datetimes import batch
from almanac.families.time.datetimes.batch import BatchResult
from almanac.protocol.tool import Effect, Entries, tool

_ITEMS = Meta(
    description="Operations.",
    min_length=1,
    max_length=batch.MAX_ITEMS,
    examples=[[{"operation": "validate", "local_datetime": "2026-03-08T02:30:00", "time_zone": "America/New_York"}]],
)


@tool(title="Many date-times at once", effect=Effect.READS)
def batch_datetime_operations(items: Annotated[list[Any], _ITEMS, Entries(batch.Item)]) -> BatchResult:
    """Validate, resolve or convert up to 100 dates, times or timestamps in bulk, together in one call: a whole list or
    spreadsheet column. For a single one use resolve_datetime.

    validate and resolve need local_datetime and time_zone; convert needs instant_utc and target_time_zone.
    """
    return batch.run(items)
