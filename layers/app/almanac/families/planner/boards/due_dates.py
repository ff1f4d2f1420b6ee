"""Due dates of cards: a day, or a time in the zone of the caller that set it, shown in each caller's zone."""

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.families.planner.core.days import parse_day_time, parse_time, time_text
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, Card
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import find_zone, place_zone
from almanac.kernel.errors import InvalidInput

APART = timedelta(days=2)
"""Maximum difference between the dates of two places at the same moment."""

_PAGES = 20


class Due(NamedTuple):
    """A due date. `day` is None if there is none. `clock` is in `zone`; both are None for a whole day."""

    day: date | None
    clock: time | None
    zone: str | None


class DueEdit(Struct, frozen=True):
    """An edit of the due date. UNSET keeps a part; None or an empty text clears it."""

    day: str | UnsetType | None = UNSET
    clock: str | UnsetType | None = UNSET


def due_of(card: Card, zone: ZoneInfo | None) -> Due:
    """Return the due date in `zone`; None means the zone in which it was set. A time stored without a zone is due at
    that time in every zone."""
    if card.due is None:
        return Due(None, None, None)
    day = date.fromisoformat(card.due)
    if card.due_time is None:
        return Due(day, None, None)
    clock = time.fromisoformat(card.due_time)
    if card.due_zone is None or zone is None:
        return Due(day, clock.replace(fold=card.due_fold), zone.key if zone is not None else card.due_zone)
    stored = datetime.combine(day, clock).replace(tzinfo=find_zone(card.due_zone), fold=card.due_fold)
    local = stored.astimezone(UTC).astimezone(zone)
    return Due(local.date(), local.time().replace(fold=local.fold), zone.key)


def due_day(card: Card, planner: Planner) -> str | None:
    """Return the due day in the caller's zone, or in the zone in which it was set if the caller has none."""
    day = due_of(card, planner.zone_if_any).day
    return day.isoformat() if day is not None else None


def with_due(card: Card, edit: DueEdit, planner: Planner) -> Card:
    """Return the card with the edited due date. Writing back the shown value changes nothing, not even the zone. A day
    without a time keeps the time."""
    if edit == DueEdit():
        return card
    shown_due = due_of(card, planner.zone_if_any)
    day, clock = _apply_edit(edit, shown_due, planner)
    # A repeated hour looks the same both times, so writing the second back does not move it.
    if (day, clock) == (shown_due.day, shown_due.clock) and (
        clock is None or not clock.fold or clock.fold == card.due_fold
    ):
        return card
    if day is None or clock is None:
        return replace(card, due=day.isoformat() if day else None, due_time=None, due_fold=0, due_zone=None)
    keeps_clock = planner.zone_if_any is None and shown_due.zone is not None and clock == shown_due.clock
    zone = find_zone(shown_due.zone) if keeps_clock and shown_due.zone is not None else planner.zone
    kept_in = place_zone(zone)
    local = existing_time(day, clock, zone).astimezone(kept_in)
    return replace(
        card,
        due=local.date().isoformat(),
        due_time=time_text(local.time()),
        due_fold=local.fold,
        due_zone=kept_in.key,
    )


def clock_change_of(card: Card, edit: DueEdit, planner: Planner) -> str | None:
    """Return a sentence about the due time that the edit asked for if clocks skip or repeat it, or None."""
    zone, shown_due = planner.zone_if_any, due_of(card, planner.zone_if_any)
    day, clock = _apply_edit(edit, shown_due, planner)
    if zone is None or day is None or clock is None or shown_due.clock is None:
        return None
    match resolve(datetime.combine(day, clock.replace(fold=0)), zone).dst:
        case "gap":
            skipped = f"{time_text(clock)} does not exist on {day} in {zone.key}, where clocks skip it"
            return f"{skipped}: the card is due at {time_text(shown_due.clock)}."
        case "overlap" if not shown_due.clock.fold:
            return f"{time_text(clock)} happens twice on {day} in {zone.key}: the card is due the first time."
        case _:
            return None


def cards_due(planner: Planner, first: date, last: date, limit: int) -> list[Card]:
    """Return at most `limit` cards due on these days of the caller."""
    rows = planner.rows(CARDS)
    # The index has the day in the zone in which it was set, up to two days away.
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


def existing_time(day: date, clock: time, zone: ZoneInfo) -> datetime:
    """Return the local time in `zone`, or the next existing one if clocks skip it."""
    local = datetime.combine(day, clock)
    return local.replace(tzinfo=zone) if clock.fold else resolve(local, zone).instant.astimezone(zone)


def _apply_edit(edit: DueEdit, shown_due: Due, planner: Planner) -> tuple[date | None, time | None]:
    day, clock = shown_due.day, shown_due.clock
    if edit.day is not UNSET:
        parsed = parse_day_time(edit.day, "dueDate", planner) if edit.day and edit.day.strip() else None
        day = parsed.day if parsed is not None else None
        kept = clock.replace(fold=0) if clock is not None else None
        clock = None if parsed is None else parsed.clock if parsed.clock is not None else kept
    if edit.clock is not UNSET:
        clock = parse_time(edit.clock, "dueTime", planner) if edit.clock and edit.clock.strip() else None
    if clock is not None and day is None:
        raise InvalidInput("dueTime needs a dueDate.", "Give dueDate too.", path="dueTime")
    return day, clock
