"""Zones that a text defines: conversion of a VTIMEZONE to a name that encodes its rules, and back."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from icalendar import Timezone

from almanac.families.calendar.ical.vtimezone import Change, Kind, observances, regular_end, yearly_rule
from almanac.families.calendar.ical.zone_rules import FIRST_YEAR, LAST_YEAR, Onset, ZoneRules
from almanac.families.time.core.own_zones import (
    LONGEST_OWN_NAME,
    own_rules,
    own_zone_name,
    posix_time,
    zone_label,
)

_YEARLY = re.compile(r"FREQ=YEARLY;BYMONTH=(\d+);BYDAY=(-?\d)([A-Z]{2})")
_TIME = r"(-?\d+:\d+:\d+)"
_DATE = rf"M(\d+)\.(\d)\.(\d)/{_TIME}"
_POSIX = re.compile(rf"<Win>{_TIME}<Sum>{_TIME},{_DATE},{_DATE}")
_DAYS = ("SU", "MO", "TU", "WE", "TH", "FR", "SA")
_YEARS_KEPT = 40
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - on the line of wall times
_FIRST = datetime(FIRST_YEAR, 1, 1)  # noqa: DTZ001 - a wall time


def own_name(rules: ZoneRules, label: str, year: int) -> tuple[str, bool]:
    """Return the name that encodes these rules, and whether it has all of them.

    A name that would be too long has only the changes around `year`.
    """
    rule, first = _tail(rules.onsets)
    onsets = [(one.instant, one.after) for one in rules.onsets[: first + 1]]
    if rule and rules.onsets[first].local.year == FIRST_YEAR:
        onsets = []
    name = own_zone_name(rules.base, onsets, rule, label)
    if len(name) <= LONGEST_OWN_NAME:
        return name, rules.whole
    near = [one for one in rules.onsets if year - 2 <= one.local.year <= year + _YEARS_KEPT]
    base = near[0].before if near else rules.onsets[-1].after
    return own_zone_name(base, [(one.instant, one.after) for one in near], "", label), False


def own_vtimezone(name: str, tzid: str) -> Timezone:
    """Return the VTIMEZONE with TZID `tzid` for the zone of such a name. Reading it again gives the same name."""
    base, transitions, rule = own_rules(name)
    offset, label = timedelta(seconds=base), zone_label(name)
    changes = [] if rule and not transitions else [Change(_FIRST, Kind(offset, offset, label, saving=False))]
    for instant, after in transitions:
        following = timedelta(seconds=after)
        local = _EPOCH + timedelta(seconds=instant) + offset
        changes.append(Change(local, Kind(offset, following, label, following > offset)))
        offset = following
    if rule:
        since = changes[-1].local if changes else _FIRST
        changes += [change for change in _by_rule(rule, label) if change.local > since]
    component = Timezone()
    component.add("TZID", tzid)
    for observance in observances(sorted(changes, key=lambda change: change.local)):
        component.add_component(observance)
    return component


def _tail(onsets: Sequence[Onset]) -> tuple[str, int]:
    """Return the final rule of the changes in POSIX's form, and the index of its first change.

    Without such a rule, return an empty text and the index of the last change.
    """
    kinds: dict[tuple[int, int], list[datetime]] = {}
    for onset in onsets:
        kinds.setdefault((onset.before, onset.after), []).append(onset.local)
    lasting = {kind: regular_end(mentioned) for kind, mentioned in kinds.items() if mentioned[-1].year == LAST_YEAR}
    ends = sorted((kind[1] - kind[0], kind, mentioned) for kind, mentioned in lasting.items() if mentioned)
    if len(ends) != 2 or ends[0][1] != ends[1][1][::-1]:
        return "", len(onsets) - 1
    (_, _, back), (_, (winter, summer), forward) = ends
    first = next(place for place, onset in enumerate(onsets) if onset.local >= max(back[0], forward[0]))
    if first and onsets[first - 1].local in (back[0], forward[0]):
        first -= 1
    mentioned = {*back, *forward}
    if any(onset.local not in mentioned for onset in onsets[first:]):
        return "", len(onsets) - 1
    # As in POSIX, clocks go forward at a time in winter's offset, and back at a time in summer's.
    rule = f"<Win>{posix_time(-winter)}<Sum>{posix_time(-summer)},{_posix(forward)},{_posix(back)}"
    return rule, first


def _posix(onsets: Sequence[datetime]) -> str:
    match = _YEARLY.fullmatch(yearly_rule(onsets) or "")
    assert match is not None  # noqa: S101 - it is what makes the end of the list regular
    week = 5 if match[2] == "-1" else int(match[2])
    at = onsets[0]
    return f"M{match[1]}.{week}.{_DAYS.index(match[3])}/{posix_time(at.hour * 3600 + at.minute * 60 + at.second)}"


def _by_rule(rule: str, label: str) -> Iterator[Change]:
    """Yield the changes of every year by a rule that `_tail` wrote."""
    match = _POSIX.fullmatch(rule)
    if match is None:
        return
    winter, summer = (timedelta(seconds=-_seconds(match[part])) for part in (1, 2))
    for year in range(FIRST_YEAR, LAST_YEAR + 1):
        yield Change(_onset(year, match, 3), Kind(winter, summer, label, saving=True))
        yield Change(_onset(year, match, 7), Kind(summer, winter, label, saving=False))


def _onset(year: int, match: re.Match[str], part: int) -> datetime:
    month, week, weekday = (int(match[part + more]) for more in range(3))
    first = datetime(year, month, 1)  # noqa: DTZ001 - a wall time
    day = 1 + (weekday - first.isoweekday()) % 7 + 7 * (week - 1)
    if day > monthrange(year, month)[1]:
        day -= 7
    return first + timedelta(days=day - 1, seconds=_seconds(match[part + 3]))


def _seconds(text: str) -> int:
    hours, minutes, seconds = map(int, text.lstrip("-").split(":"))
    return (-1 if text.startswith("-") else 1) * (hours * 3600 + minutes * 60 + seconds)
