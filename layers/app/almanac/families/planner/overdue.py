"""What should have been done by now: tasks and cards whose day is past."""

from datetime import date, timedelta
from typing import NamedTuple

from almanac.families.planner.agenda import Agenda
from almanac.families.planner.event_listing import Asked, list_events
from almanac.families.planner.event_rows import EventRow, told_alone
from almanac.families.planner.planner import Planner
from almanac.families.planner.records import CARDS, MARKS, Card

_SERIES_LOOKED_BACK = timedelta(days=7)


class Overdue(NamedTuple):
    """The oldest first; `more`: there are others."""

    tasks: list[EventRow]
    cards: list[Card]
    more: bool


def overdue(planner: Planner, agenda: Agenda, today: date, limit: int) -> Overdue:
    """Open tasks and cards of days before `today`; of tasks that repeat the instances of the last seven days."""
    marks = MARKS.within(planner.store, planner.scope)
    open_marks = marks.query(index="gsi1", until=today.isoformat(), limit=limit + 1).records
    standing = agenda.standing(mark.id for mark in open_marks[:limit])
    told = [told_alone(agenda, standing[mark.id], mark) for mark in open_marks[:limit] if mark.id in standing]
    # Moved by somebody who does not know of tasks, it may lie ahead by now.
    rows = {row.id: row for row in told if row.end_date < today.isoformat()}
    recent = Asked(type="task", status="pending", first=today - _SERIES_LOOKED_BACK, last=today - timedelta(days=1))
    listed = list_events(agenda, recent, limit)
    for row in listed.rows:
        if row.end_date < today.isoformat():
            rows.setdefault(row.id, row)
    tasks = sorted(rows.values(), key=lambda row: (row.date, row.time or "", row.id))
    cards = CARDS.within(planner.store, planner.scope).query(index="gsi1", until=today.isoformat(), limit=limit + 1)
    more = len(open_marks) > limit or len(cards.records) > limit or len(tasks) > limit or listed.position is not None
    return Overdue(tasks[:limit], list(cards.records[:limit]), more)
