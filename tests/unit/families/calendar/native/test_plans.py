"""Test plans of bookings, moves and cancellations as pure values of stored data and request."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.idempotency import request_of
from almanac.families.calendar.booking.plan_booking import RequestedTime, plan_booking, plan_hold
from almanac.families.calendar.booking.plan_cancellation import Cancellation, plan_cancellation
from almanac.families.calendar.booking.plan_move import move_of, plan_move
from almanac.families.calendar.booking.plans import (
    Attempt,
    PendingOperation,
    Plan,
    RemoveEvent,
    SlotConflict,
    new_operation,
)
from almanac.families.calendar.booking.slots import event_template, slots_of
from almanac.families.calendar.entries.codec import event_entry, place_of, view_of_entry
from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.entries.records import CalendarRecord, Hold, PlaceInCalendar, Pointer
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.model.events import Event, decode_event
from almanac.families.time.core.zones import UTC_ZONE

NINE = datetime(2026, 3, 16, 9, tzinfo=UTC)
HALF = timedelta(minutes=30)
HERE = CalendarRecord(id="primary", name="Primary", timezone="UTC", created_at=0, version=7)
ELSEWHERE = replace(HERE, id="google/work", provider="google", remote_id="work")
ATTEMPT = Attempt("ann", 1_000, "new", "op", 31_000)


def draft(**fields: object) -> Draft:
    return replace(Draft(calendar_id="primary", start=NINE, end=NINE + HALF, summary="Meeting"), **fields)


def requested_time(
    calendar: CalendarRecord, *shown: EntryView, hold: PlaceInCalendar | None = None, rule: str | None = None
) -> RequestedTime:
    event = event_template(NINE, NINE + HALF, rule, UTC_ZONE)
    return RequestedTime(calendar, event, slots_of(event, UTC_ZONE), shown, hold)


def at(minutes: int, event_id: str) -> Event:
    start = NINE + timedelta(minutes=minutes)
    return replace(event_template(start, start + HALF, None, UTC_ZONE), id=event_id, uid=event_id)


def stored_view(event: Event) -> EntryView:
    return view_of_entry(event_entry("primary", event, UTC_ZONE))


def under_way(event: Event) -> EntryView:
    slot = slots_of(event, UTC_ZONE).instances[0]
    return view_of_entry(new_operation("create", ELSEWHERE, event, slot, ATTEMPT, "bob"))


def pointer(event: Event) -> Pointer:
    return Pointer(calendar="primary", id=event.id, place=stored_view(event).filed, booked_by="bob")


def as_plan(plan: object) -> Plan:
    assert isinstance(plan, Plan)
    return plan


def test_equal_readings_give_equal_plans():
    plans = [plan_booking(requested_time(HERE), draft(), None, ATTEMPT) for _ in range(2)]

    assert plans[0] == plans[1]


def test_a_native_booking_is_one_write_of_event_key_and_announcement():
    wanted = draft(idempotency_key="k")

    plan = as_plan(plan_booking(requested_time(HERE), wanted, request_of(wanted, "ann"), ATTEMPT))

    (put,) = plan.puts
    assert (put.event.id, put.booked_by, put.replaces) == ("new", "ann", None)
    assert plan.announces is not None
    assert plan.announces.event == put.event
    assert plan.idempotency is not None
    assert plan.idempotency.event_id == "new"
    assert plan.prepares is None


def test_a_booking_at_a_provider_is_prepared_and_puts_and_announces_nothing_yet():
    plan = as_plan(plan_booking(requested_time(ELSEWHERE), draft(), None, ATTEMPT))

    assert plan.prepares is not None
    operation, known = plan.prepares
    assert (operation.id, operation.event_id, operation.lapses_at) == ("op", "new", 31_000)
    assert (known.id, known.state, known.operation) == ("new", "preparing", place_of(operation))
    assert (plan.puts, plan.announces) == ((), None)


def test_what_is_there_refuses_although_something_else_is_under_way():
    both = (under_way(at(-10, "first")), stored_view(at(10, "second")))

    taken = plan_booking(requested_time(HERE, *both), draft(), None, ATTEMPT)

    assert isinstance(taken, SlotConflict)
    assert [shown.filed.id for _, shown in taken.overlaps] == ["second"]


def test_what_is_only_under_way_is_waited_for():
    one = under_way(at(10, "first"))

    assert plan_booking(requested_time(HERE, one), draft(), None, ATTEMPT) == PendingOperation(one.filed)
    assert plan_hold(requested_time(HERE, one), "Maybe", 60, ATTEMPT) == PendingOperation(one.filed)


def test_every_instance_that_is_taken_is_named():
    week = (stored_view(at(1440 * day, f"e{day}")) for day in (1, 3))

    taken = plan_booking(requested_time(HERE, *week, rule="FREQ=DAILY;COUNT=5"), draft(), None, ATTEMPT)

    assert isinstance(taken, SlotConflict)
    assert [shown.filed.id for _, shown in taken.overlaps] == ["e1", "e3"]


def test_a_hold_that_is_booked_is_not_in_its_own_way_and_goes():
    hold = plan_hold(requested_time(HERE), "Maybe", 60, ATTEMPT)
    assert isinstance(hold, Hold)
    held = view_of_entry(hold)

    assert isinstance(plan_booking(requested_time(HERE, held), draft(), None, ATTEMPT), SlotConflict)
    plan = as_plan(plan_booking(requested_time(HERE, held, hold=held.filed), draft(), None, ATTEMPT))
    assert plan.releases == (held.filed,)


def test_a_move_puts_the_event_in_place_of_itself():
    event = at(0, "e")
    found = LocatedEvent(event, pointer(event))
    move = move_of(HERE, found, NINE + timedelta(minutes=10), None, UTC_ZONE)

    plan = as_plan(plan_move(HERE, found, move, [stored_view(event)], ATTEMPT))

    (put,) = plan.puts
    assert put.replaces == stored_view(event).filed
    assert (put.booked_by, put.event.sequence, put.event.revision) == ("bob", event.sequence + 1, event.revision + 1)


def test_a_move_to_where_the_event_is_needs_no_plan():
    event = at(0, "e")
    found = LocatedEvent(event, pointer(event))

    assert move_of(HERE, found, NINE, NINE + HALF, UTC_ZONE).is_needless
    assert not move_of(HERE, found, NINE, NINE + 2 * HALF, UTC_ZONE).is_needless


def test_a_move_at_a_provider_remembers_the_event_as_it_was():
    event = at(0, "e")
    found = LocatedEvent(event, pointer(event))
    move = move_of(ELSEWHERE, found, NINE + 4 * HALF, None, UTC_ZONE)

    plan = as_plan(plan_move(ELSEWHERE, found, move, [], ATTEMPT))

    assert plan.prepares is not None
    operation = plan.prepares.operation
    assert operation.before is not None
    assert decode_event(operation.before) == event
    assert operation.stands_at == found.pointer.place


def test_a_series_with_too_many_exceptions_goes_in_parts_and_their_instances_do_not_come_back():
    series = replace(at(0, "s"), rrule="FREQ=DAILY")
    exception = replace(at(1500, "x"), uid="s", recurrence_id=at(1440, "x").start)
    read = Cancellation(
        LocatedEvent(series, pointer(series)),
        None,
        (RemoveEvent(exception, stored_view(exception).filed),),
        has_more=True,
    )

    plan = as_plan(plan_cancellation(HERE, read, ATTEMPT, UTC_ZONE))

    assert plan.is_partial
    assert plan.cancels is None
    assert plan.puts[0].event.exdates == (exception.recurrence_id,)
    assert plan.removes == read.exceptions


def test_a_cancellation_at_a_provider_takes_no_time_and_is_found_beside_the_event():
    event = at(0, "e")

    plan = as_plan(plan_cancellation(ELSEWHERE, Cancellation(LocatedEvent(event, pointer(event))), ATTEMPT, UTC_ZONE))

    assert plan.prepares is not None
    operation, known = plan.prepares
    assert not operation.busy
    assert (operation.start, operation.reach) == (known.place.start, known.place.reach)
    assert known.operation == place_of(operation)
