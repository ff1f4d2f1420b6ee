"""Creation and updates of events: one instance, this and the following ones, or the whole series."""

from collections.abc import Sequence
from datetime import time
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.model.booking_ids import new_event_id
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime
from almanac.families.calendar.model.instance_ids import is_daily_at_most, uid_of
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.model.overrides import move_to
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import Mark
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.slot_moves import Move
from almanac.families.planner.edits.answers import EditAnswer, edit_answer, first_remaining, unchanged_answer
from almanac.families.planner.edits.changes import EventChanges, commit, commit_fully, refuse_unfinished
from almanac.families.planner.edits.edits import (
    EventEdit,
    SeriesScope,
    apply_edit,
    as_series,
    draft_event,
    keep_freed,
    new_exception,
    redact_edit,
)
from almanac.families.planner.edits.series_moves import anchor_move, move_between, move_series, shift_move
from almanac.families.planner.edits.series_rest import defer_move, defer_removal, with_other_ids
from almanac.families.planner.edits.timing import (
    UNCHANGED,
    Timing,
    displayed_start,
    is_displayed,
    move_start,
    parse_timing,
)
from almanac.families.planner.events.ids import editable
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.events.recurrence import Recurrence, rule_text, says_the_same, zone_of_rule
from almanac.families.planner.events.rows import EventRow
from almanac.families.planner.events.series import align_start, has_instances, is_before, part_before, part_from
from almanac.kernel.errors import InvalidInput

_TEXTS = ("title", "description", "location", "type", "status", "duration_minutes")


def create_event(planner: Planner, edit: EventEdit) -> EditAnswer:
    """Create an event, task or series. Raises InvalidInput for a date, time or rule that cannot be parsed."""

    edit, findings = redact_edit(edit)

    def attempt(changes: EventChanges) -> EditAnswer:
        when = parse_timing(edit.date, edit.time, planner)
        event, mark = draft_event(edit, when, planner)
        changes.put(event, mark, is_new=True)
        changes.list_redactions(event.id, findings)
        changes.emit("item_created", event, mark)
        return edit_answer(changes.agenda, event, mark, clock=when.clock)

    return commit(planner, attempt)


def update_event(
    planner: Planner, event_id: str, edit: EventEdit, scope: SeriesScope | None, revision: float | None
) -> EditAnswer:
    """Update an event. Fields written back as shown change nothing. Raises NotFound, InvalidInput, Forbidden for a
    calendar at a provider, and Conflict for an outdated `revision`."""
    if edit.is_empty:
        raise InvalidInput("There is nothing to change.", "Give eventId and at least one field to change.")

    edit, findings = redact_edit(edit)
    located = editable(planner, event_id)

    def attempt(changes: EventChanges) -> EditAnswer:
        found = changes.agenda.find(located.event)
        check_revision("the event", revision, found.event.revision)
        scope_of_edit = _scope(found, scope)
        result, start = unchanged_answer(changes.agenda, found), _start_of(changes.agenda, found)
        effective = effective_edit(edit, result.row, start, found.series or found.event, planner)
        if effective.is_empty:
            return result
        changes.list_redactions(located.event, findings)
        when = parse_timing(effective.date, effective.time, planner)
        if scope_of_edit == "this":
            return _update_one(changes, found, effective, when)
        _refuse_other_day(found, start, when, planner)
        when = replace(when, day=None)
        series = found.series or found.event
        refuse_unfinished(changes, series)
        exceptions = changes.agenda.exceptions(series)
        if scope_of_edit == "all" or found.slot is None or _is_first(found.slot, series, changes.agenda):
            return _update_all(changes, found, effective, when, exceptions)
        return _update_following(changes, found.slot, series, effective, when, exceptions)

    return commit_fully(planner, attempt, located.calendar)


def _scope(found: LocatedEvent, scope: SeriesScope | None) -> SeriesScope:
    if found.series is None and not found.event.is_series:
        return "this"
    if found.names_whole_series and scope in (None, "this"):
        raise InvalidInput(
            "This is the id of a whole series.",
            'Pass scope "all", or the id of one instance from calendar_list_events.',
            path="scope",
        )
    return scope or "this"


def _start_of(agenda: Agenda, found: LocatedEvent) -> When:
    """Return the shown start. For a whole series it is that of the first remaining instance."""
    if found.series is not None and found.slot is not None and not found.is_exception:
        return found.slot
    return first_remaining(agenda, found.event) if found.event.is_series else found.event.start


def _update_one(changes: EventChanges, found: LocatedEvent, edit: EventEdit, when: Timing) -> EditAnswer:
    agenda, planner = changes.agenda, changes.planner
    if found.series is None or found.slot is None:
        event, mark = apply_edit(found.event, agenda.mark(found.id), edit, when, planner)
        if isinstance(edit.recurrence, Recurrence):
            event = as_series(event, edit.recurrence, planner)
        event, mark, taken = _retake_time(agenda, event, agenda.mark(found.id), mark)
        changes.put(event, mark, found.pointer)
        changes.emit("item_updated", event, mark, found.event)
        result = edit_answer(agenda, event, mark, clock=_clock_of_request(when, found.event.start, planner))
        return replace(result, taken=taken)
    if edit.recurrence is not UNSET:
        raise InvalidInput(
            "A single instance has no recurrence of its own.",
            'Pass scope "this_and_following" or "all" to change the recurrence.',
            path="scope",
        )
    if found.is_exception:
        base, mark = found.event, agenda.mark(found.event.id)
    else:
        base = new_exception(found, found.series, found.slot)
        mark = replace(agenda.mark(found.series.id), id=base.id)
    event, mark = apply_edit(base, mark, edit, when, planner)
    changes.put(event, mark, found.pointer if found.is_exception else None)
    changes.emit("item_updated", event, mark, base)
    return edit_answer(agenda, event, mark, clock=_clock_of_request(when, base.start, planner))


def _clock_of_request(when: Timing, start: When, planner: Planner) -> time | None:
    """Return the requested time of day. With a day alone the event keeps its time."""
    return None if when.whole_day else when.clock or displayed_start(start, planner.zone)[1]


def _retake_time(agenda: Agenda, event: Event, before: Mark, mark: Mark) -> tuple[Event, Mark, bool]:
    """Take the time of a reopened task again, unless another event has taken it. Return also whether another event has
    taken it."""
    if not (before.freed and not mark.freed and event.takes_time) or event.is_series:
        return event, mark, False
    window = interval_of(event, agenda.zone)
    shown = agenda.planner.bookings.calendars.list_entries(agenda.calendar, window)
    if any(one.busy and one.filed.id != event.id and one.interval.overlaps(window) for one in shown):
        return *keep_freed(event, mark), True
    return event, mark, False


def _update_all(
    changes: EventChanges, found: LocatedEvent, edit: EventEdit, when: Timing, exceptions: Sequence[Event]
) -> EditAnswer:
    agenda = changes.agenda
    series = found.series or found.event
    pointer, slot = agenda.pointer(series.id), found.slot or first_remaining(agenda, series)
    move = _move_of(slot, series, edit, when, changes.planner)
    event, mark = _change_series(changes, series, edit, move)
    stored = event
    if event.is_series:
        event = with_other_ids(agenda, series, event, move, has_new_rule=edit.recurrence is not UNSET)
        stored = defer_move(changes, series, None, event, exceptions, move)
    else:
        defer_removal(changes, series, None, exceptions, event.id)
    changes.put(stored, mark, pointer)
    changes.emit("item_updated", event, mark, series)
    if not event.is_series or found.slot is None or found.is_exception or edit.recurrence is not UNSET:
        return edit_answer(agenda, event, mark)
    return edit_answer(agenda, event, mark, slot=move.of(slot) if move is not None else slot)


def _update_following(
    changes: EventChanges, slot: When, series: Event, edit: EventEdit, when: Timing, exceptions: Sequence[Event]
) -> EditAnswer:
    agenda, planner = changes.agenda, changes.planner
    before = [
        exception
        for exception in exceptions
        if is_before(exception.recurrence_id or exception.start, slot, agenda.zone)
    ]
    after = [exception for exception in exceptions if exception not in before]
    new_id = new_event_id(planner.now_ms(), planner.random_bytes)
    rest = replace(part_from(series, slot, agenda.zone), id=new_id, uid=uid_of(new_id), created=None)
    if isinstance(edit.recurrence, Recurrence):
        rest = move_to(rest, slot.day if isinstance(slot, AllDay) else slot)
    move = _move_of(slot, rest, edit, when, planner)
    event, mark = _change_series(changes, rest, edit, move, agenda.mark(series.id))
    old, pointer = part_before(series, slot, agenda.zone), agenda.pointer(series.id)
    old_mark = agenda.mark(series.id)
    stored = event
    if event.is_series:
        stored = defer_move(changes, series, slot, event, after, move)
    else:
        defer_removal(changes, series, slot, after, event.id)
    if pointer is not None and not has_instances(old, before, agenda.zone):
        changes.remove(series, pointer)
    else:
        changes.put(old, old_mark, pointer)
    changes.put(stored, mark)
    changes.emit("item_updated", old, old_mark, series, continued_by=agenda.located_id_of(new_id))
    changes.emit("item_created", event, mark, continues=agenda.located_id_of(series.id))
    return edit_answer(agenda, event, mark)


def _move_of(slot: When, series: Event, edit: EventEdit, when: Timing, planner: Planner) -> Move | None:
    """Return the move of the series that takes the instance at `slot` to the requested time; None for no move. With
    another rule the series moves to the zone of the rule."""
    target = move_start(slot, when, planner.zone)
    is_several = not is_daily_at_most(series)
    if isinstance(edit.recurrence, Recurrence):
        zone = zone_of_rule(edit.recurrence, planner)
        if is_several and isinstance(slot, ZonedTime) and isinstance(target, ZonedTime):
            return shift_move(slot, target, zone)
        anchor = anchor_move(target, zone)
        if anchor is not None:
            return anchor
    move = move_between(slot, target)
    if move is not None and is_several and edit.recurrence is UNSET:
        raise InvalidInput(
            "A series that repeats several times a day has no single time of day.",
            "Change its recurrence instead of its time.",
            path="time",
        )
    return move


def _change_series(
    changes: EventChanges, series: Event, edit: EventEdit, move: Move | None, mark: Mark | None = None
) -> tuple[Event, Mark]:
    planner = changes.planner
    moved = move_series(series, move, keeps_rule=edit.recurrence is UNSET) if move is not None else series
    event, mark = apply_edit(moved, mark or changes.agenda.mark(series.id), edit, UNCHANGED, planner, was=series)
    if isinstance(edit.recurrence, Recurrence):
        event = align_start(replace(event, rrule=rule_text(edit.recurrence, event.start, planner), rdates=()))
    elif edit.recurrence is None:
        event = replace(event, rrule=None, rdates=(), exdates=())
    return event, replace(mark, id=event.id)


def _is_first(slot: When, series: Event, agenda: Agenda) -> bool:
    return not is_before(series.start, slot, agenda.zone)


def _refuse_other_day(found: LocatedEvent, start: When, when: Timing, planner: Planner) -> None:
    """Raise InvalidInput for another day. The shown day may be written back."""
    shown_days = {displayed_start(one, planner.zone)[0] for one in (start, found.slot or start)}
    if when.day is not None and when.day not in shown_days:
        raise InvalidInput(
            "The date of several instances cannot be changed at once.",
            'Pass scope "this" to move one instance, or a recurrence for other days.',
            path="date",
        )


def effective_edit(edit: EventEdit, row: EventRow, start: When, series: Event | None, planner: Planner) -> EventEdit:
    """Return the edit without fields that `row` shows already, since a field written back changes nothing. `start` is
    that of the row, and `series` the series of the instance."""
    cleared: dict[str, Any] = {name: None for name in _TEXTS if getattr(edit, name) == getattr(row, name)}
    if is_displayed(parse_timing(edit.date, edit.time, planner), start, planner.zone):
        cleared |= {"date": None, "time": None}
    if edit.attendees is not None and list(edit.attendees) == row.attendees:
        cleared["attendees"] = None
    recurrence = edit.recurrence
    is_single = recurrence is None and row.recurrence is None
    if is_single or (isinstance(recurrence, Recurrence) and series and says_the_same(recurrence, series, planner)):
        cleared["recurrence"] = UNSET
    changed = replace(edit, **cleared)
    # A change of type or time may change the default of `busy`, so keep an explicit `busy`.
    alone = replace(changed, busy=None).is_empty or row.recurrence_exception
    return replace(changed, busy=None) if alone and edit.busy == row.busy else changed
