"""Validation of local date-times against a zone's clock changes."""

from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from almanac.families.time.core.timestamps import format_utc_milliseconds, parse_local
from almanac.families.time.core.wall_time import Gap, Overlap, Valid, examine
from almanac.families.time.core.zones import find_zone, offset_at
from almanac.kernel.errors import InvalidInput


class SuggestedFix(msgspec.Struct, frozen=True):
    """A local time that exists: `strategy` is next_valid_time or previous_valid_time."""

    strategy: str
    local_datetime: str


class PossibleInstant(msgspec.Struct, frozen=True):
    offset: str
    instant_utc: str


class Validation(msgspec.Struct, frozen=True, omit_defaults=True):
    """`status` is valid, invalid or ambiguous; `reason_code` DST_GAP, DST_OVERLAP or INVALID_TIMEZONE."""

    status: str
    message: str
    reason_code: str | None = None
    suggested_fixes: list[SuggestedFix] | None = None
    possible_instants: list[PossibleInstant] | None = None
    """Earlier first."""


def validate(local_datetime: str, time_zone: str) -> Validation:
    """Return whether the local time exists once, never or twice. Raises InvalidInput if it is not an ISO 8601 local
    time."""
    local = parse_local(local_datetime, "local_datetime")
    try:
        zone = find_zone(time_zone)
    except InvalidInput as unknown:
        return Validation("invalid", str(unknown), reason_code="INVALID_TIMEZONE")
    match examine(local, zone):
        case Valid():
            return Validation("valid", f"{local.isoformat()} happens exactly once in {zone.key}.")
        case Overlap() as overlap:
            return _ambiguous(local, zone, overlap)
        case Gap() as gap:
            return _invalid(local, zone, gap)


def _ambiguous(local: datetime, zone: ZoneInfo, overlap: Overlap) -> Validation:
    instants = [
        PossibleInstant(offset_at(instant.astimezone(zone)), format_utc_milliseconds(instant))
        for instant in (overlap.earlier, overlap.later)
    ]
    return Validation(
        "ambiguous",
        f"{local.isoformat()} happens twice in {zone.key}, because clocks are set back over it. "
        "Ask which one is meant, or resolve with ambiguous_policy earlier or later.",
        reason_code="DST_OVERLAP",
        possible_instants=instants,
    )


def _invalid(local: datetime, zone: ZoneInfo, gap: Gap) -> Validation:
    return Validation(
        "invalid",
        f"{local.isoformat()} does not exist in {zone.key}, because clocks are set forward over it. "
        "Ask for another time, or resolve with invalid_policy next_valid_time or previous_valid_time.",
        reason_code="DST_GAP",
        suggested_fixes=[
            SuggestedFix("next_valid_time", gap.first_after.isoformat()),
            SuggestedFix("previous_valid_time", gap.last_before.isoformat()),
        ],
    )
