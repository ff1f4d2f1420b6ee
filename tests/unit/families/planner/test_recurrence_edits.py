"""Edits of series against a model that keeps every instance as a row of its own and generates rows day by day."""

import tempfile
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from almanac.families.calendar.model.instance_ids import read_instance_id
from tests.project_app import ProjectApp, planner_app

FIRST = date(2026, 3, 2)
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
Told = tuple[str, str | None, str, bool]


@dataclass(frozen=True)
class Pattern:
    """Every `interval` days or weeks, on `weekdays` where they are given, `count` times or through `until`."""

    frequency: str
    interval: int
    count: int | None
    until: date | None
    weekdays: frozenset[int]

    def days(self, start: date) -> list[date]:
        found: list[date] = []
        monday, day = start - timedelta(days=start.weekday()), start
        while len(found) < (self.count or 10**6) and day <= (self.until or date.max):
            if self.frequency == "daily":
                fits = (day - start).days % self.interval == 0
            else:
                fits = (day - monday).days // 7 % self.interval == 0
                fits = fits and day.weekday() in (self.weekdays or {start.weekday()})
            found += [day] if fits else []
            day += timedelta(days=1)
        return found

    def arguments(self) -> dict[str, Any]:
        asked: dict[str, Any] = {"frequency": self.frequency, "interval": self.interval}
        asked |= {"count": self.count} if self.count else {}
        asked |= {"until": self.until.isoformat()} if self.until else {}
        return asked | ({"weekdays": [WEEK[day] for day in sorted(self.weekdays)]} if self.weekdays else {})

    def starts_on(self, day: date) -> date:
        """The first day of the pattern from `day` on, however few times it happens."""
        endless = Pattern(self.frequency, self.interval, 1, None, self.weekdays)
        return endless.days(day)[0]


@dataclass
class Row:
    slot: date
    day: date
    time: str | None
    title: str
    exception: bool = False


@dataclass
class Series:
    """`gone` are the slots of instances that were deleted."""

    start: date
    time: str | None
    title: str
    rows: list[Row] = field(default_factory=list[Row])
    gone: set[date] = field(default_factory=set[date])

    def generate(self, pattern: Pattern) -> None:
        """Make the rows of the pattern. Exceptions stay, each in place of the row of its slot."""
        kept = [row for row in self.rows if row.exception]
        self.start = pattern.starts_on(self.start)
        taken = self.gone | {row.slot for row in kept}
        days = [day for day in pattern.days(self.start) if day not in taken]
        self.rows = kept + [Row(day, day, self.time, self.title) for day in days]


class Model:
    def __init__(self) -> None:
        self.series: list[Series] = []

    def expected_rows(self) -> list[Told]:
        rows = [row for one in self.series for row in one.rows]
        return sorted(((r.day.isoformat(), r.time, r.title, r.exception) for r in rows), key=str)

    def find(self, slot: date, day: date, title: str) -> tuple[Series, Row]:
        return next(
            (s, row) for s in self.series for row in s.rows if (row.slot, row.day, row.title) == (slot, day, title)
        )

    def change(self, one: Series, row: Row, scope: str, change: dict[str, Any], pattern: Pattern | None) -> None:
        if scope == "this":
            row.title, row.time = change.get("title", row.title), change.get("time", row.time)
            row.day, row.exception = change.get("day", row.day), True
            return
        if scope == "this_and_following" and row.slot > one.start:
            rest = Series(row.slot, one.time, one.title)
            rest.rows = [each for each in one.rows if each.slot >= row.slot]
            rest.gone = {slot for slot in one.gone if slot >= row.slot}
            one.rows = [each for each in one.rows if each.slot < row.slot]
            self.series.append(rest)
            one = rest
        one.title, one.time = change.get("title", one.title), change.get("time", one.time)
        for each in one.rows:
            if not each.exception:
                each.title, each.time = one.title, one.time
        if pattern is not None:
            one.generate(pattern)

    def delete(self, one: Series, row: Row, scope: str) -> None:
        if scope == "this":
            one.rows.remove(row)
            one.gone.add(row.slot)
        elif scope == "all":
            one.rows = []
        else:
            one.rows = [each for each in one.rows if each.slot < row.slot]


def a_pattern(frequency: str, interval: int, count: int | None, days: int, weekdays: set[int]) -> Pattern:
    """Return a pattern that ends after `days` days if it has no count."""
    until = None if count else FIRST + timedelta(days=days)
    return Pattern(frequency, interval, count, until, frozenset(weekdays if frequency == "weekly" else ()))


PATTERNS = st.builds(
    a_pattern,
    st.sampled_from(["daily", "weekly"]),
    st.integers(1, 3),
    st.one_of(st.none(), st.integers(1, 8)),
    st.integers(0, 40),
    st.sets(st.integers(0, 6), max_size=3),
)
TITLES = st.sampled_from(["Alpha", "Beta", "Gamma"])
TIMES = st.sampled_from(["08:00", "09:30", "16:15", None])
SCOPES = st.sampled_from(["this", "all", "this_and_following"])
CHANGES = st.fixed_dictionaries({}, optional={"title": TITLES, "time": TIMES})
STEPS = st.tuples(
    st.sampled_from(["change", "change", "change", "move", "delete"]),
    st.integers(0, 30),
    SCOPES,
    CHANGES,
    st.one_of(st.none(), PATTERNS),
    st.integers(-3, 3),
)


def list_rows(app: ProjectApp) -> list[dict[str, Any]]:
    data = app.do("calendar_list_events", dateFrom="2026-01-01", dateTo="2027-12-31", limit=100)
    assert not data["truncated"]
    return data["events"]


def as_rows(events: list[dict[str, Any]]) -> list[Told]:
    return sorted(((e["date"], e["time"], e["title"], e["recurrenceException"]) for e in events), key=str)


def slot_of(event: dict[str, Any]) -> date:
    named = read_instance_id(event["id"])
    assert named is not None
    return named.day


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pattern=PATTERNS, time=TIMES, steps=st.lists(STEPS, min_size=1, max_size=6))
@example(
    pattern=Pattern("daily", 1, None, date(2026, 3, 3), frozenset()),
    time="08:00",
    steps=[
        ("move", 1, "this", {}, None, 1),
        ("change", 0, "all", {}, Pattern("weekly", 1, None, date(2026, 3, 2), frozenset({0})), 0),
        ("change", 1, "this_and_following", {"title": "Beta"}, None, 0),
    ],
)
def test_edits_of_series_do_what_a_table_of_rows_would(
    pattern: Pattern, time: str | None, steps: list[tuple[str, int, str, dict[str, Any], Pattern | None, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app, model = planner_app(Path(folder)), Model()
        if pattern.until is not None and pattern.starts_on(FIRST) > pattern.until:
            return
        series = Series(FIRST, time, "Alpha")
        series.generate(pattern)
        model.series.append(series)
        made = app.do(
            "calendar_create_event",
            title="Alpha",
            date=FIRST.isoformat(),
            time=time or "",
            recurrence=pattern.arguments(),
        )
        assert made["date"] == series.start.isoformat()
        assert as_rows(list_rows(app)) == model.expected_rows()
        for step in steps:
            events = list_rows(app)
            if not events:
                break
            take(app, model, events, step)
            assert as_rows(list_rows(app)) == model.expected_rows()


def is_shown(pattern: Pattern, event: dict[str, Any]) -> bool:
    shown = event["recurrence"]
    weekdays = {("MO", "TU", "WE", "TH", "FR", "SA", "SU").index(day) for day in shown.get("weekdays", ())}
    until = pattern.until.isoformat() if pattern.until is not None else None
    rule = (pattern.frequency.lower(), pattern.interval, pattern.count, until, pattern.weekdays)
    return rule == (
        shown["frequency"],
        shown["interval"],
        shown.get("count"),
        shown["until"][:10] if "until" in shown else None,
        frozenset(weekdays),
    )


def take(
    app: ProjectApp,
    model: Model,
    events: list[dict[str, Any]],
    step: tuple[str, int, str, dict[str, Any], Pattern | None, int],
) -> None:
    kind, index, scope, change, pattern, shift = step
    event = events[index % len(events)]
    one, row = model.find(slot_of(event), date.fromisoformat(event["date"]), event["title"])
    if kind == "delete":
        model.delete(one, row, scope)
        app.do("calendar_delete_event", eventId=event["id"], scope=scope)
        return
    if kind == "move":
        day = row.day + timedelta(days=shift)
        if shift:
            model.change(one, row, "this", {"day": day}, None)
        app.do("calendar_update_event", eventId=event["id"], date=day.isoformat())
        return
    new = pattern if scope != "this" else None
    begins = row.slot if scope == "this_and_following" else one.start
    if new is not None and new.until is not None and new.starts_on(begins) > new.until:
        new = None
    if event["recurrenceException"]:
        new = None
    asked = {name: "" if value is None else value for name, value in change.items()}
    asked |= {"recurrence": new.arguments()} if new is not None else {}
    if not asked:
        return
    # What is written as it is shown is no change.
    change = {name: value for name, value in change.items() if value != event[name]}
    if new is not None and is_shown(new, event):
        new = None
    if change or new is not None:
        model.change(one, row, scope, change, new)
    app.do("calendar_update_event", eventId=event["id"], scope=scope, **asked)
