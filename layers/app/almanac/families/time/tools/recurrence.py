"""Tool that expands recurrence rules."""

from datetime import datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from almanac.families.time.core.timestamps import format_utc, parse_local, parse_timestamp, weekday_name
from almanac.families.time.core.wall_time import Dst
from almanac.families.time.core.zones import find_zone
from almanac.families.time.datetimes.parameters import LocalDatetime, ZoneName
from almanac.families.time.recurrence import GapPolicy, Occurrence, expand, parse_rule
from almanac.protocol.tool import Effect, tool

DEFAULT_CAP = 500
MAX_COUNT = 5000
MAX_DATES = 1000


class Instance(msgspec.Struct, frozen=True, omit_defaults=True):
    """`dst` is present only if the wall time was shifted out of a gap or is the first of an overlap."""

    start: str
    end: str
    local: str
    day_of_week: str
    dst: Dst = "none"


class LeftOut(msgspec.Struct, frozen=True):
    local: str
    reason: str


class Instances(msgspec.Struct, frozen=True):
    """`truncated`: more instances follow; ask again with `after` set to the last start plus a second."""

    instances: list[Instance]
    count: int
    truncated: bool
    skipped: list[LeftOut]
    timezone: str


@tool(title="Dates of a recurrence rule", effect=Effect.READS)
def expand_rrule(
    rrule: Annotated[
        str,
        Meta(description="RFC 5545 RRULE.", examples=["FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1"], max_length=1000),
    ],
    dtstart: LocalDatetime,
    timezone: ZoneName,
    duration_minutes: Annotated[int, Meta(description="Length of each instance.", ge=0, le=525600)] = 60,
    count: Annotated[int, Meta(description="Maximum number. Default: all, up to 500.", ge=1, le=MAX_COUNT)]
    | None = None,
    after: Annotated[
        str | None,
        Meta(description="RFC 3339: only instances from then on."),
    ] = None,
    before: Annotated[str | None, Meta(description="RFC 3339: only instances before then.")] = None,
    exdates: Annotated[list[str], Meta(description="Local starts to leave out (EXDATE).", max_length=MAX_DATES)]
    | None = None,
    rdates: Annotated[list[str], Meta(description="Local starts to add (RDATE).", max_length=MAX_DATES)] | None = None,
    gap_policy: Annotated[
        GapPolicy,
        Meta(description="For an instance that the clocks skip."),
    ] = "skip",
) -> Instances:
    """List the dates on which a recurring event or schedule falls: the next occurrences of a recurrence rule (RFC 5545
    RRULE) that repeats weekly, biweekly or every second Tuesday of a month.

    dtstart is an instance only if it matches the rule.
    """
    zone = find_zone(timezone)
    expansion = expand(
        parse_rule(rrule),
        parse_local(dtstart, "dtstart"),
        zone,
        limit=count or DEFAULT_CAP,
        after=parse_timestamp(after, "after") if after else None,
        before=parse_timestamp(before, "before") if before else None,
        exdates=_dates(exdates, "exdates"),
        rdates=_dates(rdates, "rdates"),
        gap_policy=gap_policy,
    )
    length = timedelta(minutes=duration_minutes)
    instances = [_instance(occurrence, length, zone) for occurrence in expansion.occurrences]
    skipped = [LeftOut(left_out.local.isoformat(), left_out.reason) for left_out in expansion.skipped]
    return Instances(instances, len(instances), expansion.truncated, skipped, zone.key)


def _dates(texts: list[str] | None, path: str) -> list[datetime]:
    return [parse_local(text, f"{path}[{index}]") for index, text in enumerate(texts or ())]


def _instance(occurrence: Occurrence, length: timedelta, zone: ZoneInfo) -> Instance:
    local = occurrence.instant.astimezone(zone)
    return Instance(
        start=format_utc(occurrence.instant),
        end=format_utc(occurrence.instant + length),
        local=local.isoformat(),
        day_of_week=weekday_name(local),
        dst=occurrence.dst,
    )
