"""Rules of a zone as a VTIMEZONE component, for readers without a time zone database."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from icalendar import Timezone, TimezoneDaylight, TimezoneStandard, vRecur

from almanac.families.calendar.ical.zone_rules import FIRST_YEAR, LAST_YEAR
from almanac.families.time.core.zones import find_zone, next_transition
from almanac.families.time.recurrence.rule import WEEKDAYS

_REGULAR = 5
_BEFORE = timedelta(seconds=1)


class Kind(NamedTuple):
    """Kind of clock change, from the offset `before` to the offset `after`, under the zone abbreviation `name`."""

    before: timedelta
    after: timedelta
    name: str
    saving: bool


class Change(NamedTuple):
    """Clock change at `local`, a wall time in the offset from before."""

    local: datetime
    kind: Kind


def vtimezone(key: str, first_year: int) -> Timezone:
    """Return the rules of the IANA zone `key` from the beginning of `first_year` on, at the earliest 1900."""
    component = Timezone()
    component.add("TZID", key)
    for observance in observances(_changes(key, min(max(first_year, FIRST_YEAR), LAST_YEAR))):
        component.add_component(observance)
    return component


def observances(changes: Iterable[Change]) -> Iterator[TimezoneStandard | TimezoneDaylight]:
    """Yield the ordered changes as observances: rules where they are regular to the end, and dates otherwise."""
    kinds: dict[Kind, list[datetime]] = {}
    for change in changes:
        kinds.setdefault(change.kind, []).append(change.local)
    for kind, onsets in kinds.items():
        regular = regular_end(onsets)
        single = onsets[: len(onsets) - len(regular)]
        if single:
            yield _observance(kind, single, None)
        if regular:
            yield _observance(kind, regular[:1], yearly_rule(regular))


@lru_cache(maxsize=256)
def _changes(key: str, first_year: int) -> tuple[Change, ...]:
    return tuple(_find_changes(find_zone(key), first_year))


def _find_changes(zone: ZoneInfo, first_year: int) -> Iterator[Change]:
    begin = datetime(first_year, 1, 1, tzinfo=zone)
    offset = begin.utcoffset() or timedelta()
    kind = Kind(offset, offset, begin.tzname() or zone.key, bool(begin.dst()))
    yield Change(begin.replace(tzinfo=None), kind)
    instant = begin.astimezone(UTC)
    while instant.year <= LAST_YEAR:
        following = next_transition(instant, zone)
        if following is None:
            instant += timedelta(days=400)
            continue
        before = (following - _BEFORE).astimezone(zone).utcoffset() or timedelta()
        local = following.astimezone(zone)
        saving = (local.dst() or timedelta()) > timedelta()
        onset = (following + before).replace(tzinfo=None)
        yield Change(onset, Kind(before, local.utcoffset() or timedelta(), local.tzname() or zone.key, saving))
        instant = following


def _observance(kind: Kind, onsets: Sequence[datetime], rule: str | None) -> TimezoneStandard | TimezoneDaylight:
    observance = TimezoneDaylight() if kind.saving else TimezoneStandard()
    observance.add("DTSTART", onsets[0])
    observance.add("TZOFFSETFROM", kind.before)
    observance.add("TZOFFSETTO", kind.after)
    observance.add("TZNAME", kind.name)
    if len(onsets) > 1:
        observance.add("RDATE", list(onsets[1:]))
    if rule is not None:
        observance.add("RRULE", vRecur.from_ical(rule))
    return observance


def regular_end(onsets: Sequence[datetime]) -> Sequence[datetime]:
    """Return the longest end of the list that one yearly rule describes; empty if it covers only a few years."""
    start = len(onsets) - 1
    while (
        start > 0 and onsets[start].year - onsets[start - 1].year == 1 and yearly_rule(onsets[start - 1 :]) is not None
    ):
        start -= 1
    regular = onsets[start:]
    return regular if len(regular) >= _REGULAR and regular[-1].year >= LAST_YEAR else ()


def yearly_rule(onsets: Sequence[datetime]) -> str | None:
    """Return a rule for the nth or last weekday of a month in every year; None if the changes do not follow one."""
    first = onsets[0]
    if any((at.month, at.weekday(), at.time()) != (first.month, first.weekday(), first.time()) for at in onsets):
        return None
    counted = {(at.day - 1) // 7 + 1 for at in onsets}
    if all(at.day + 7 > monthrange(at.year, at.month)[1] for at in onsets):
        which = -1
    elif len(counted) == 1:
        which = counted.pop()
    else:
        return None
    return f"FREQ=YEARLY;BYMONTH={first.month};BYDAY={which}{WEEKDAYS[first.weekday()]}"
