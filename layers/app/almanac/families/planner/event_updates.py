"""Changing events: one instance, this and those that follow, or the whole series."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from almanac.families.calendar.booking_ids import new_event_id
from almanac.families.calendar.events import AllDay, Event, When
from almanac.families.planner.agenda import Agenda, Found
from almanac.families.planner.event_answers import Edited, edited
from almanac.families.planner.event_changes import EventChanges, edit
from almanac.families.planner.event_edits import (
    SeriesScope,
    Timing,
    Wanted,
    changed,
    clock_of,
    drafted,
    exception_of,
    reclocked,
    timing,
)
from almanac.families.planner.instance_links import move_links
from almanac.families.planner.planner import Planner
from almanac.families.planner.records import Mark
from almanac.families.planner.recurrence_input import Recurrence, rule_text
from almanac.families.planner.revisions import check_revision
from almanac.families.planner.series import (
    aligned,
    begun_at,
    ended_before,
    has_instances,
    is_before,
    is_daily_at_most,
    moved_to,
    rule_of,
    slot_day,
    uid_of,
    with_until_kept,
)
from almanac.kernel.errors import InvalidInput


def create_event(planner: Planner, wanted: Wanted) -> Edited:
    """Raises InvalidInput for a date, time or rule that is not understood."""

    def attempt(changes: EventChanges) -> Edited:
        when = timing(wanted, planner)
        event, mark = drafted(wanted, when, planner)
        changes.stand(event, mark)
        changes.tell("item_created", event.id, mark, title=event.summary)
        return edited(changes.agenda, event, mark, clock=when.clock)

    return edit(planner, attempt)


def update_event(
    planner: Planner, event_id: str, wanted: Wanted, scope: SeriesScope | None, revision: float | None
) -> Edited:
    """Raises NotFound, InvalidInput, and Conflict where `revision` is not the one that stands."""
    if wanted.is_empty:
        raise InvalidInput("There is nothing to change.", "Give the fields that are to change beside eventId.")

    def attempt(changes: EventChanges) -> Edited:
        found = changes.agenda.find(event_id)
        check_revision("the event", revision, found.event.revision)
        chosen = _scope(found, scope)
        when = timing(wanted, planner)
        if chosen == "this":
            return _one(changes, found, wanted, when)
        _refuse_other_day(found, when)
        series = found.series or found.event
        exceptions = changes.agenda.exceptions(series)
        if chosen == "all" or found.slot is None or _is_first(found.slot, series, changes.agenda):
            return _whole(changes, found, wanted, when, exceptions)
        return _following(changes, found.slot, series, wanted, when, exceptions)

    return edit(planner, attempt)


def _scope(found: Found, scope: SeriesScope | None) -> SeriesScope:
    if found.series is None and not found.event.is_series:
        return "this"
    if found.names_whole_series and scope in (None, "this"):
        raise InvalidInput(
            "This id names a whole series.",
            'Pass scope "all", or the id of one instance: calendar_list_events gives them.',
            path="scope",
        )
    return scope or "this"


def _one(changes: EventChanges, found: Found, wanted: Wanted, when: Timing) -> Edited:
    agenda, planner = changes.agenda, changes.planner
    if found.series is None or found.slot is None:
        event, mark = changed(found.event, agenda.mark(found.id), wanted, when, planner)
        if isinstance(wanted.recurrence, Recurrence):
            event = aligned(replace(event, rrule=rule_text(wanted.recurrence, event.start, planner)))
        changes.stand(event, mark, found.pointer)
        changes.tell("item_updated", found.id, mark, title=event.summary)
        return edited(agenda, event, mark, clock=when.clock or clock_of(found.event.start))
    if wanted.recurrence is not UNSET:
        raise InvalidInput(
            "One instance alone cannot repeat otherwise.",
            'Pass scope "this_and_following" or "all" to change the recurrence.',
            path="scope",
        )
    if found.is_exception:
        base, mark = found.event, agenda.mark(found.event.id)
    else:
        base = exception_of(found, found.series, found.slot)
        mark = replace(agenda.mark(found.series.id), id=base.id)
    event, mark = changed(base, mark, wanted, when, planner)
    changes.stand(event, mark, found.pointer if found.is_exception else None)
    changes.tell("item_updated", event.id, mark, title=event.summary)
    return edited(agenda, event, mark, clock=when.clock or clock_of(base.start))


def _whole(changes: EventChanges, found: Found, wanted: Wanted, when: Timing, exceptions: Sequence[Event]) -> Edited:
    agenda = changes.agenda
    series = found.series or found.event
    pointer = agenda.pointer(series.id)
    event, mark = _series_changed(changes, series, wanted, when)
    if event.is_series:
        _refile(changes, exceptions, series, event)
    else:
        _remove(changes, exceptions)
    changes.stand(event, mark, pointer)
    changes.tell("item_updated", event.id, mark, title=event.summary)
    if not event.is_series or found.slot is None or found.is_exception or wanted.recurrence is not UNSET:
        return edited(agenda, event, mark)
    return edited(agenda, event, mark, slot=reclocked([found.slot], series, event)[0])


def _following(
    changes: EventChanges, slot: When, series: Event, wanted: Wanted, when: Timing, exceptions: Sequence[Event]
) -> Edited:
    agenda, planner = changes.agenda, changes.planner
    before = [one for one in exceptions if is_before(one.recurrence_id or one.start, slot, agenda.zone)]
    after = [one for one in exceptions if one not in before]
    new_id = new_event_id(planner.now_ms(), planner.random_bytes)
    rest = replace(begun_at(series, slot, agenda.zone), id=new_id, uid=uid_of(new_id), created=None)
    if isinstance(wanted.recurrence, Recurrence):
        rest = moved_to(rest, slot.day if isinstance(slot, AllDay) else slot)
    event, mark = _series_changed(changes, rest, wanted, when, agenda.mark(series.id))
    old, pointer = ended_before(series, slot, agenda.zone), agenda.pointer(series.id)
    old_mark = agenda.mark(series.id)
    if event.is_series:
        _refile(changes, after, rest, event)
    else:
        _remove(changes, after)
    if pointer is not None and not has_instances(old, before, agenda.zone):
        changes.remove(series, pointer)
    else:
        changes.stand(old, old_mark, pointer)
    event = changes.stand(event, mark)
    move_links(changes, series, slot, event, [one.id for one in exceptions])
    changes.tell("item_updated", series.id, old_mark, title=old.summary, continued_by=new_id)
    changes.tell("item_created", new_id, mark, title=event.summary, continues=series.id)
    return edited(agenda, event, mark)


def _series_changed(
    changes: EventChanges, series: Event, wanted: Wanted, when: Timing, mark: Mark | None = None
) -> tuple[Event, Mark]:
    planner = changes.planner
    said = Timing(None, when.clock, when.whole_day)
    event, mark = changed(series, mark or changes.agenda.mark(series.id), wanted, said, planner)
    if (event.start != series.start) and not is_daily_at_most(series) and wanted.recurrence is UNSET:
        raise InvalidInput(
            "A series that repeats within a day has no one time of day.", "Give another recurrence.", path="time"
        )
    if event.start != series.start:
        rule = with_until_kept(rule_of(series), series.start, event.start)
        event = replace(
            event,
            rrule=str(rule) if series.rrule is not None else None,
            exdates=reclocked(series.exdates, series, event),
            rdates=reclocked(series.rdates, series, event),
        )
    if isinstance(wanted.recurrence, Recurrence):
        event = aligned(replace(event, rrule=rule_text(wanted.recurrence, event.start, planner), rdates=()))
    elif wanted.recurrence is None:
        event = replace(event, rrule=None, rdates=(), exdates=())
    return event, replace(mark, id=event.id)


def _refile(changes: EventChanges, exceptions: Sequence[Event], before: Event, after: Event) -> None:
    """The exceptions stand as they are, for the same instances of what the series has become."""
    for one in exceptions:
        slot = reclocked([one.recurrence_id or one.start], before, after)[0]
        pointer = changes.agenda.pointer(one.id)
        if pointer is not None and (one.uid != after.uid or slot != one.recurrence_id):
            changes.refile(replace(one, uid=after.uid, recurrence_id=slot), pointer)


def _remove(changes: EventChanges, exceptions: Sequence[Event]) -> None:
    for one in exceptions:
        pointer = changes.agenda.pointer(one.id)
        if pointer is not None:
            changes.remove(one, pointer)


def _is_first(slot: When, series: Event, agenda: Agenda) -> bool:
    return not is_before(series.start, slot, agenda.zone)


def _refuse_other_day(found: Found, when: Timing) -> None:
    if when.day is None:
        return
    days = {slot_day(found.event.start)} if found.slot is None else {slot_day(found.slot)}
    if found.is_exception:
        days.add(slot_day(found.event.start))
    if when.day not in days:
        raise InvalidInput(
            "The date of several instances cannot be changed at once.",
            'Pass scope "this" to move one instance, or a recurrence for other days.',
            path="date",
        )
