"""When a card is due: a day, or a time on the clocks of whoever said it, told to each caller on his own."""

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.families.planner.clocks.days import said, said_time, time_text
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, Card
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import InvalidInput

APART = timedelta(days=2)
"""How far the dates of two places may be from each other at one moment."""

_PAGES = 20


class Due(NamedTuple):
    """`day` None: there is no due date. `clock` is told in `zone`, which is None for a whole day."""

    day: date | None
    clock: time | None
    zone: str | None


class DueEdit(Struct, frozen=True):
    """UNSET leaves a part as it is; None, or an empty text, takes it away."""

    day: str | UnsetType | None = UNSET
    clock: str | UnsetType | None = UNSET


def due_of(card: Card, zone: ZoneInfo) -> Due:
    """As clocks in `zone` show it. A card that was kept before times had zones is due at that time on any clock."""
    if card.due is None:
        return Due(None, None, None)
    day = date.fromisoformat(card.due)
    if card.due_time is None:
        return Due(day, None, None)
    clock = time.fromisoformat(card.due_time)
    if card.due_zone is None:
        return Due(day, clock, zone.key)
    kept = datetime.combine(day, clock).replace(tzinfo=find_zone(card.due_zone), fold=card.due_fold)
    local = kept.astimezone(UTC).astimezone(zone)
    return Due(local.date(), local.time().replace(fold=local.fold), zone.key)


def due_day(card: Card, planner: Planner) -> str | None:
    """The day for the caller; where nobody's zone is known, for who said it."""
    zone = planner.bookings.calendars.default_zone
    day = due_of(card, find_zone(zone)).day if zone is not None else None
    return day.isoformat() if day is not None else card.due


def with_due(card: Card, edit: DueEdit, planner: Planner) -> Card:
    """The card with another due date. What is written as it is shown leaves it as it is, also in its zone; a day
    without a time keeps the time."""
    if edit == DueEdit():
        return card
    shown = due_of(card, planner.zone)
    day, clock = _said(edit, shown, planner)
    # Equal times are equal in either of two hours that are shown alike: writing the second back does not move it.
    if (day, clock) == (shown.day, shown.clock) and (clock is None or not clock.fold or clock.fold == card.due_fold):
        return card
    if day is None or clock is None:
        return replace(card, due=day.isoformat() if day else None, due_time=None, due_fold=0, due_zone=None)
    local = _existing(day, clock, planner.zone)
    return replace(
        card,
        due=local.date().isoformat(),
        due_time=time_text(local.time()),
        due_fold=local.fold,
        due_zone=planner.zone.key,
    )


def cards_due(planner: Planner, first: date, last: date, limit: int) -> list[Card]:
    """At most `limit` cards that are due on these days for the caller."""
    rows = CARDS.within(planner.store, planner.scope)
    # They are filed by the clocks of who said it, which may show a day up to two days away.
    since, until = (first - APART).isoformat(), (last + APART + timedelta(days=1)).isoformat()
    found: list[Card] = []
    cursor: str | None = None
    for _ in range(_PAGES):
        page = rows.query(index="gsi2", since=since, until=until, limit=limit, cursor=cursor)
        found += [card for card in page.records if first <= (due_of(card, planner.zone).day or date.min) <= last]
        cursor = page.cursor
        if cursor is None or len(found) >= limit:
            break
    return found[:limit]


def _existing(day: date, clock: time, zone: ZoneInfo) -> datetime:
    """The time on clocks in `zone`, or the next one where they skip it."""
    local = datetime.combine(day, clock)
    return local.replace(tzinfo=zone) if clock.fold else resolve(local, zone).instant.astimezone(zone)


def _said(edit: DueEdit, shown: Due, planner: Planner) -> tuple[date | None, time | None]:
    day, clock = shown.day, shown.clock
    if edit.day is not UNSET:
        spoken = said(edit.day, "dueDate", planner) if edit.day and edit.day.strip() else None
        day = spoken.day if spoken is not None else None
        kept = clock.replace(fold=0) if clock is not None else None
        clock = None if spoken is None else spoken.clock if spoken.clock is not None else kept
    if edit.clock is not UNSET:
        clock = said_time(edit.clock, "dueTime", planner) if edit.clock and edit.clock.strip() else None
    if clock is not None and day is None:
        raise InvalidInput("dueTime needs a dueDate.", "Give dueDate too.", path="dueTime")
    return day, clock
