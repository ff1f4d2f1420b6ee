"""Tools that check and resolve local date-times and times in words."""

from typing import Annotated

from msgspec import Meta

from almanac.families.time.core.timestamps import parse_timestamp, zone_of
from almanac.families.time.core.wall_time import AmbiguousPolicy, InvalidPolicy
from almanac.families.time.datetimes import local_datetimes
from almanac.families.time.datetimes.local_datetimes import Validation
from almanac.families.time.datetimes.parameters import LocalDatetime, OptionalZone, ZoneName
from almanac.families.time.datetimes.resolution import Policies, Resolution, resolve_expression, resolve_local
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.protocol.tool import Effect, tool

Ambiguous = Annotated[
    AmbiguousPolicy,
    Meta(description="For a time that happens twice."),
]
Invalid = Annotated[
    InvalidPolicy,
    Meta(description="For a time that the clocks skip."),
]


@tool(title="Check a local time", effect=Effect.READS)
def validate_local_datetime(local_datetime: LocalDatetime, time_zone: ZoneName) -> Validation:
    """Check whether a local time is valid: does it exist, and only once? Daylight saving makes the clocks skip an hour
    one night and repeat one another night. To get UTC use resolve_datetime.
    """
    return local_datetimes.validate(local_datetime, time_zone)


@tool(title="Words to an exact date and time", effect=Effect.READS)
def resolve_datetime(
    expression: Annotated[
        str | None,
        Meta(
            description="Date or time, e.g. 'next Tuesday at 2pm', 'in 3 business days', '+2h'.",
            examples=["next Tuesday at 2pm"],
        ),
    ] = None,
    timezone: OptionalZone = None,
    local_datetime: Annotated[
        str | None,
        Meta(
            description="Local ISO 8601 time without offset.",
            examples=["2026-11-01T01:30:00"],
        ),
    ] = None,
    time_zone: Annotated[
        str | None,
        Meta(description="IANA zone of local_datetime.", examples=["America/New_York"]),
    ] = None,
    ambiguous_policy: Ambiguous = "earlier",
    invalid_policy: Invalid = "next_valid_time",
    anchor: Annotated[
        str | None,
        Meta(
            description="RFC 3339 time that counts as now.",
            examples=["2026-03-15T14:00:00Z"],
        ),
    ] = None,
    *,
    clock: Clock,
    caller: Caller,
) -> Resolution:
    """Turn a date or time in words into an exact timestamp: what does "Thursday", "the day after tomorrow at noon",
    "last Friday of the month", "half past three", "end of the quarter" or "in a fortnight" mean? It also turns a local
    time and its zone into UTC; validate_local_datetime only checks one.

    Pass expression, or local_datetime and time_zone. "next Friday" is the soonest Friday after today.
    """
    policies = Policies(ambiguous_policy, invalid_policy)
    if (expression is None) == (local_datetime is None):
        raise InvalidInput(
            "Give either expression or local_datetime" + (", not both." if expression else "; neither was received."),
            'Words: {"expression": "next Tuesday at 2pm", "timezone": "America/New_York"}. A typed local time: '
            '{"local_datetime": "2026-11-01T01:30:00", "time_zone": "America/New_York"}.',
        )
    # Callers mix up the two spellings of the contracts; either one names the zone.
    zone = zone_of(_one_zone(timezone, time_zone), caller, expression)
    if local_datetime is not None:
        return resolve_local(local_datetime, zone, policies)
    instant = parse_timestamp(anchor, "anchor") if anchor is not None else clock.now()
    return resolve_expression(expression or "", instant, zone, caller.week_start, policies)


def _one_zone(timezone: str | None, time_zone: str | None) -> str | None:
    if timezone is not None and time_zone is not None and timezone != time_zone:
        raise InvalidInput("timezone and time_zone name different zones.", "Give one of them.")
    return timezone if timezone is not None else time_zone
