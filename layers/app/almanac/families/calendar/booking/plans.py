"""Plans: the writes of a calendar change, or the conflict that prevents it. Pure functions of values."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.calendar.booking.slots import Slots
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.records import (
    Action,
    CalendarRecord,
    Hold,
    IdempotencyRecord,
    Operation,
    PlaceInCalendar,
    Pointer,
    reach_of,
)
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, encode_event


class Attempt(NamedTuple):
    """Actor and time of a change, the ids it may use, and the end of its lock."""

    actor: str
    now: int
    new_id: str
    operation_id: str
    locked_until: int


class PutEvent(NamedTuple):
    """Store the event, and delete the entry at `replaces`.

    `booked_by` is None for an event made elsewhere. `is_new`: the event has a fresh random id.
    """

    event: Event
    booked_by: str | None
    replaces: PlaceInCalendar | None = None
    is_new: bool = False


class CancelEvent(NamedTuple):
    """Delete the event, remember for a while that it was cancelled, and announce that."""

    event: Event
    place: PlaceInCalendar
    booked_by: str | None


class RemoveEvent(NamedTuple):
    """Delete the event without an announcement."""

    event: Event
    place: PlaceInCalendar


class Preparation(NamedTuple):
    """Store an operation to carry out at the provider. `pointer` leads to it."""

    operation: Operation
    pointer: Pointer


class Announcement(NamedTuple):
    kind: str
    event: Event


class Plan(Struct, frozen=True, kw_only=True):
    """One atomic write, valid only if the calendar has not changed since it was read.

    `removes` are events and `releases` are holds; both go together with their pointers. `is_partial`: a further write
    must finish the change.
    """

    puts: tuple[PutEvent, ...] = ()
    cancels: CancelEvent | None = None
    removes: tuple[RemoveEvent, ...] = ()
    releases: tuple[PlaceInCalendar, ...] = ()
    hold: Hold | None = None
    idempotency: IdempotencyRecord | None = None
    announces: Announcement | None = None
    prepares: Preparation | None = None
    is_partial: bool = False


class PendingOperation(NamedTuple):
    """The operation at `place` locks the time and has to end first."""

    place: PlaceInCalendar


class SlotConflict(NamedTuple):
    """Slots that are not free, each with an entry that overlaps it."""

    overlaps: Sequence[tuple[Interval, EntryView]]
    slots: Slots


_KINDS = {"create": "slot_booked", "move": "booking_rescheduled"}


def match_none(_: EntryView) -> bool:
    return False


def find_obstacle(
    shown: Sequence[EntryView], slots: Slots, own: Callable[[EntryView], bool] = match_none
) -> PendingOperation | SlotConflict | None:
    """Return the conflict of the slots, or the operation that locks them. Entries that match `own` do not count."""
    busy = [one for one in shown if one.busy and not own(one)]
    overlaps = _find_overlaps(busy, slots.instances)
    if not overlaps:
        return None
    lasting = _find_overlaps((one for one in busy if not isinstance(one.record, Operation)), slots.instances)
    return SlotConflict(lasting, slots) if lasting else PendingOperation(overlaps[0][1].filed)


def _find_overlaps(busy: Iterable[EntryView], slots: Sequence[Interval]) -> list[tuple[Interval, EntryView]]:
    """Return the slots that an entry of `busy` overlaps, in order, each with the first such entry. Slots do not
    overlap."""
    starts, ends = [one.start for one in slots], [one.end for one in slots]
    overlaps: dict[int, EntryView] = {}
    for one in busy:
        for place in range(bisect_right(ends, one.start), bisect_left(starts, one.end)):
            if one.interval.overlaps(slots[place]):
                overlaps.setdefault(place, one)
    return [(slots[place], overlaps[place]) for place in sorted(overlaps)]


def new_operation(
    action: Action, calendar: CalendarRecord, event: Event, slot: Interval, attempt: Attempt, booked_by: str | None
) -> Operation:
    """Return a prepared operation that makes `event` the provider's state and locks its slot; a series locks each
    instance."""
    return Operation(
        calendar=calendar.id,
        reach=reach_of(*slot, event if event.is_series else None),
        start=slot.start,
        id=attempt.operation_id,
        end=slot.end,
        busy=True,
        action=action,
        state="prepared",
        event=encode_event(event),
        lapses_at=attempt.locked_until,
        actor=attempt.actor,
        booked_by=booked_by,
    )


def plan_commit(operation: Operation, event: Event) -> Plan:
    """Plan the commit of a prepared operation. `event` is the event as its provider has it."""
    releases = (operation.hold,) if operation.hold is not None else ()
    if operation.action != "cancel":
        put = PutEvent(event, operation.booked_by, operation.stands_at)
        return Plan(puts=(put,), announces=Announcement(_KINDS[operation.action], event), releases=releases)
    if event.recurrence_id is not None:
        # The series includes the instance until the next pull, so a cancelled exception takes its place meanwhile.
        put = PutEvent(replace(event, status="cancelled"), None, operation.stands_at)
        return Plan(puts=(put,), announces=Announcement("booking_cancelled", event), releases=releases)
    place = operation.stands_at or place_of(operation)
    return Plan(cancels=CancelEvent(event, place, operation.booked_by), releases=releases)
