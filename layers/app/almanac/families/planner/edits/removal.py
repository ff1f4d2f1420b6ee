"""Deletion of events: one instance, this and the following ones, or the whole series. A series without instances is
deleted too."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import clean
from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.model.events import Event, When
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.edits.changes import EventChanges, commit_fully, refuse_unfinished
from almanac.families.planner.edits.edits import SeriesScope
from almanac.families.planner.edits.series_rest import defer_removal
from almanac.families.planner.events.ids import editable
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.events.series import has_instances, is_before, part_before
from almanac.kernel.errors import InvalidInput


class DeletionAnswer(Struct, frozen=True, rename="camel"):
    """`series_deleted`: nothing is left of the series that it belonged to. `untrusted`: others may have written the
    title."""

    id: str
    title: str
    deleted: bool
    scope: SeriesScope
    series_deleted: bool
    untrusted: bool = True


def delete_event(planner: Planner, event_id: str, scope: SeriesScope | None, revision: float | None) -> DeletionAnswer:
    """Delete an event. Raises NotFound, InvalidInput, Forbidden for a calendar at a provider, and Conflict for an
    outdated `revision`."""
    located = editable(planner, event_id)

    def attempt(changes: EventChanges) -> DeletionAnswer:
        found = changes.agenda.find(located.event)
        check_revision("the event", revision, found.event.revision)
        return _delete(changes, found, event_id, scope)

    deleted = commit_fully(planner, attempt, located.calendar)
    return replace(deleted, title=clean(deleted.title).text)


def _delete(changes: EventChanges, found: LocatedEvent, event_id: str, scope: SeriesScope | None) -> DeletionAnswer:
    agenda, series, slot = changes.agenda, found.series, found.slot
    if series is None and not found.event.is_series:
        mark = agenda.mark(found.id)
        changes.remove(found.event, found.pointer)
        changes.emit("item_deleted", found.event, mark)
        return DeletionAnswer(event_id, found.event.summary, True, scope or "this", False)
    if found.names_whole_series and scope in (None, "this"):
        raise InvalidInput(
            "This is the id of a whole series.",
            'Pass scope "all", or the id of one instance to delete only that.',
            path="scope",
        )
    series = series or found.event
    refuse_unfinished(changes, series)
    exceptions = agenda.exceptions(series)
    if slot is None or scope == "all" or (scope == "this_and_following" and not _is_later(series, slot, agenda)):
        return _delete_series(changes, series, exceptions, event_id, scope or "all")
    if scope == "this_and_following":
        return _end_series(changes, series, slot, exceptions, event_id)
    return _delete_instance(changes, found, series, slot, exceptions, event_id)


def _delete_series(
    changes: EventChanges, series: Event, exceptions: Sequence[Event], event_id: str, scope: SeriesScope
) -> DeletionAnswer:
    mark, pointer = changes.agenda.mark(series.id), changes.agenda.pointer(series.id)
    defer_removal(changes, series, None, exceptions)
    if pointer is not None:
        changes.remove(series, pointer)
    changes.emit("item_deleted", series, mark, scope=scope)
    return DeletionAnswer(event_id, series.summary, True, scope, True)


def _end_series(
    changes: EventChanges, series: Event, slot: When, exceptions: Sequence[Event], event_id: str
) -> DeletionAnswer:
    agenda = changes.agenda
    before = [
        exception
        for exception in exceptions
        if is_before(exception.recurrence_id or exception.start, slot, agenda.zone)
    ]
    after = [exception for exception in exceptions if exception not in before]
    ended = replace(part_before(series, slot, agenda.zone), sequence=series.sequence + 1)
    if not has_instances(ended, before, agenda.zone):
        return _delete_series(changes, series, exceptions, event_id, "this_and_following")
    mark = agenda.mark(series.id)
    defer_removal(changes, series, slot, after)
    changes.put(ended, mark, agenda.pointer(series.id))
    changes.emit("item_deleted", series, mark, scope="this_and_following")
    return DeletionAnswer(event_id, series.summary, True, "this_and_following", False)


def _delete_instance(
    changes: EventChanges, found: LocatedEvent, series: Event, slot: When, exceptions: Sequence[Event], event_id: str
) -> DeletionAnswer:
    agenda = changes.agenda
    left = [exception for exception in exceptions if not (found.is_exception and exception.id == found.event.id)]
    thinned = replace(series, exdates=(*series.exdates, slot))
    if not has_instances(thinned, left, agenda.zone):
        deleted = _delete_series(changes, series, exceptions, event_id, "this")
        return replace(deleted, title=found.event.summary)
    mark = agenda.mark(series.id)
    if found.is_exception:
        changes.remove(found.event, found.pointer)
    else:
        changes.links.drop(agenda.located_id_of(found.id))
    changes.put(thinned, mark, agenda.pointer(series.id))
    changes.emit("item_deleted", replace(found.event, id=found.id), mark, scope="this")
    return DeletionAnswer(event_id, found.event.summary, True, "this", False)


def _is_later(series: Event, slot: When, agenda: Agenda) -> bool:
    """Return whether the series starts before the instance."""
    return is_before(series.start, slot, agenda.zone)
