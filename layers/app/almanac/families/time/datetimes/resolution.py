"""Resolution of a wall time or an expression in words to one instant, with an interpretation that a reader can
check."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import msgspec

from almanac.families.time.core.own_zones import zone_label
from almanac.families.time.core.timestamps import (
    format_moment,
    format_utc_milliseconds,
    parse_local,
    weekday_name,
    within_calendar,
)
from almanac.families.time.core.wall_time import AmbiguousPolicy, Dst, InvalidPolicy, WallTimeResolution, resolve
from almanac.families.time.core.zones import offset_at
from almanac.families.time.expressions import understand


class Policies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For a wall time that happens twice or never."""

    ambiguous: AmbiguousPolicy = "earlier"
    invalid: InvalidPolicy = "next_valid_time"


class Resolution(msgspec.Struct, frozen=True):
    """`resolved_utc` and `instant_utc` are the same instant in the notation of each contract.

    `interpretation` says in words what was understood. `dst` is "gap" or "overlap" where a policy had to decide.
    """

    resolved_utc: str
    resolved_local: str
    timezone: str
    interpretation: str
    instant_utc: str
    offset: str
    day_of_week: str
    dst: Dst


_DECIDED = {
    ("gap", "next_valid_time"): "clocks skip that time, so the first one that exists after it",
    ("gap", "previous_valid_time"): "clocks skip that time, so the last second before it",
    ("overlap", "earlier"): "that time happens twice, so the earlier one",
    ("overlap", "later"): "that time happens twice, so the later one",
}


def resolve_local(local_datetime: str, zone: ZoneInfo, policies: Policies) -> Resolution:
    """Resolve a wall time in a zone. Raises InvalidInput with code DST_GAP or DST_OVERLAP if the policy is "reject"."""
    local = parse_local(local_datetime, "local_datetime")
    return _resolution(_decide(local, zone, policies), zone, policies, note="")


def resolve_expression(
    expression: str, anchor: datetime, zone: ZoneInfo, week_start: str, policies: Policies
) -> Resolution:
    """Resolve words such as "next Tuesday at 2pm", relative to the instant `anchor`."""
    parsed = understand(expression, anchor, zone, "sunday" if week_start == "sunday" else "monday")
    if parsed.instant is not None:
        resolved = WallTimeResolution(within_calendar(parsed.instant, "expression"))
    else:
        resolved = _decide(within_local_calendar(parsed.local), zone, policies)
    return _resolution(resolved, zone, policies, parsed.note)


def within_local_calendar(local: datetime) -> datetime:
    within_calendar(local.replace(tzinfo=UTC), "expression")
    return local


def _decide(local: datetime, zone: ZoneInfo, policies: Policies) -> WallTimeResolution:
    return resolve(local, zone, policies.ambiguous, policies.invalid)


def _resolution(resolved: WallTimeResolution, zone: ZoneInfo, policies: Policies, note: str) -> Resolution:
    local = resolved.instant.astimezone(zone)
    chosen = policies.invalid if resolved.dst == "gap" else policies.ambiguous
    remarks = [remark for remark in (note, _DECIDED.get((resolved.dst, chosen), "")) if remark]
    return Resolution(
        resolved_utc=resolved.instant.isoformat(),
        resolved_local=local.isoformat(),
        timezone=zone_label(zone.key),
        interpretation=format_moment(local) + (f" ({'; '.join(remarks)})" if remarks else ""),
        instant_utc=format_utc_milliseconds(resolved.instant),
        offset=offset_at(local),
        day_of_week=weekday_name(local),
        dst=resolved.dst,
    )
