"""Overdue tasks and cards: open ones of past days."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from almanac.families.calendar.model.located_ids import read_located
from almanac.families.planner.boards.due_dates import APART, due_day
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, MARKS, Card, Mark
from almanac.families.planner.events.agendas import Agendas
from almanac.families.planner.events.listing import EventQuery, list_events
from almanac.families.planner.events.rows import EventRow, single_row

_SERIES_LOOKED_BACK = timedelta(days=7)


class Overdue(NamedTuple):
    """In no order. `more`: there are others."""

    tasks: list[EventRow]
    cards: list[Card]
    more: bool


def overdue(planner: Planner, agendas: Agendas, today: date, limit: int) -> Overdue:
    """Open tasks and cards of days before `today`, of which `limit` are shown; of recurring tasks the instances of the
    last seven days."""
    until, known = today.isoformat(), limit + 1
    marks = planner.rows(MARKS).query(index="gsi1", until=until, limit=known).records
    # The index has the day in the zone of who set it.
    page = planner.rows(CARDS).query(index="gsi1", until=(today + APART).isoformat(), limit=known)
    cards = tuple(card for card in page.records if (due_day(card, planner) or until) < until)
    days = sorted([mark.open_day or "" for mark in marks] + [card.open_due or "" for card in cards])
    if len(days) > limit:
        # Later days than that of the last one shown need not be read.
        marks = [mark for mark in marks if (mark.open_day or "") <= days[limit - 1]]
        cards = [card for card in cards if (card.open_due or "") <= days[limit - 1]]
    tasks = _task_rows(agendas, marks, today)
    since, more = today - _SERIES_LOOKED_BACK, len(days) > limit or len(page.records) > limit
    if len(days) <= limit or days[limit - 1] >= since.isoformat():
        last = today - timedelta(days=1)
        recent = EventQuery(type="task", status="pending", first=since, last=last, repeating=True)
        listed = list_events(agendas, recent, limit)
        tasks = {row.id: row for row in listed.rows if row.end_date < until} | tasks
        more = more or listed.position is not None or len(tasks) + len(cards) > limit
    return Overdue(list(tasks.values()), list(cards), more)


def _task_rows(agendas: Agendas, marks: Sequence[Mark], today: date) -> dict[str, EventRow]:
    """The rows of open single tasks, by id."""
    rows: list[EventRow] = []
    for agenda in agendas.all:
        own = {at.event: mark for mark in marks if (at := read_located(mark.id)).calendar == agenda.calendar.id}
        rows += [single_row(agenda, event, own[event.id]) for event in agenda.existing(own).values()] if own else []
    # A calendar tool may have moved it ahead.
    return {row.id: row for row in rows if row.end_date < today.isoformat()}
