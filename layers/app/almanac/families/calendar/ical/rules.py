"""Recurrence rules and dates of an iCalendar component."""

from collections.abc import Sequence

from icalendar import Component

from almanac.families.calendar.ical.lines import Node
from almanac.families.calendar.ical.moments import Moments, plain
from almanac.families.calendar.model.events import Period, When, ZonedTime, convert_to_zone
from almanac.families.time.core.zones import UTC_ZONE
from almanac.families.time.recurrence import parse_rule
from almanac.kernel.errors import InvalidInput

_MOST_RULES = 8
_MOST_DATES = 10_000
_TOO_FINE = frozenset({"SECONDLY", "MINUTELY"})


def rules_of(node: Node, moments: Moments) -> tuple[str, ...]:
    """Return the RRULE values as rules that can be expanded.

    Unreadable parts of a rule are dropped, so that it names too many times rather than too few.
    """
    rules: list[str] = []
    for text in _texts_of(node, "RRULE", moments):
        rule = _read_rule(text)
        if rule is None:
            rule = _salvage(text)
            form = f"only as {rule}" if rule else "not at all: only its first time is known"
            moments.doubt(f'its RRULE "{text[:80]}" could be read {form}')
        if rule is not None:
            rules.append(rule)
    return tuple(dict.fromkeys(rules))


def exclusion_rules(node: Node, moments: Moments) -> tuple[str, ...]:
    rules: list[str] = []
    for text in _texts_of(node, "EXRULE", moments):
        rule = _read_rule(text)
        if rule is None or parse_rule(rule).freq in _TOO_FINE:
            moments.doubt(f'its EXRULE "{text[:80]}" cannot be read: nothing is left out by it')
        else:
            rules.append(rule)
    return tuple(dict.fromkeys(rules))


def excluded_dates(component: Component, moments: Moments) -> tuple[When, ...]:
    dates = [one.start if isinstance(one, Period) else one for one in moments.list_dates(component, "EXDATE")]
    return _limit_dates(list(dict.fromkeys(map(plain, dates))), "EXDATE", moments)


def added_dates(component: Component, moments: Moments) -> tuple[tuple[When, ...], tuple[Period, ...]]:
    """Return all added dates, and those with an end of their own."""
    starts: dict[When, None] = {}
    periods: dict[When, Period] = {}
    for one in moments.list_dates(component, "RDATE"):
        if isinstance(one, Period):
            whole = Period(_in_utc(one.start), _in_utc(one.end))
            starts[whole.start] = None
            periods[whole.start] = whole
        else:
            starts[plain(one)] = None
    limited = _limit_dates([*(start for start in starts if start not in periods), *periods], "RDATE", moments)
    return limited, tuple(periods[start] for start in limited if start in periods)


def _limit_dates(dates: Sequence[When], name: str, moments: Moments) -> tuple[When, ...]:
    """Return at most 10,000 dates, grouped by zone as they are written."""
    if len(dates) > _MOST_DATES:
        moments.doubt(f"only the last {_MOST_DATES} dates of its {name} are kept")
    zones: dict[str, list[When]] = {}
    for when in dates[-_MOST_DATES:]:
        zones.setdefault(when.zone if isinstance(when, ZonedTime) else "", []).append(when)
    return tuple(when for some in zones.values() for when in some)


def _in_utc(when: When) -> When:
    return convert_to_zone(when.instant, UTC_ZONE) if isinstance(when, ZonedTime) else when


def _texts_of(node: Node, name: str, moments: Moments) -> Sequence[str]:
    """Return the nonempty values. Some programs write empty ones for events that do not recur."""
    texts = [text.strip() for text in node.raw_values(name)]
    texts = [text for text in texts if text]
    if len(texts) > _MOST_RULES:
        moments.doubt(f"only the first {_MOST_RULES} of its {name} are read")
    return texts[:_MOST_RULES]


def _read_rule(text: str) -> str | None:
    try:
        return str(parse_rule(text))
    except InvalidInput:
        return None


def _salvage(text: str) -> str | None:
    """Return a rule from the readable parts, without COUNT: with other parts missing it would end the series
    too early."""
    parts = [part.strip().upper() for part in text[:2000].split(";") if part.strip()]
    salvaged = [part for part in parts if part.startswith("FREQ=")][:1]
    rule = _read_rule(";".join(salvaged)) if salvaged else None
    for part in sorted(parts, key=lambda part: part.startswith("BYSETPOS")):
        if rule is not None and not part.startswith(("FREQ=", "COUNT=", "RSCALE=", "SKIP=")):
            longer = _read_rule(";".join([*salvaged, part]))
            if longer is not None:
                salvaged, rule = [*salvaged, part], longer
    return rule
