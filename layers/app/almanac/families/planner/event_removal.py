"""Deleting events: one instance, this and those that follow, or the whole series. An empty series goes too."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.calendar.events import Event, When
from almanac.families.planner.agenda import Agenda, Found
from almanac.families.planner.event_changes import EventChanges, edit
from almanac.families.planner.event_edits import SeriesScope
from almanac.families.planner.instance_links import drop_links
from almanac.families.planner.planner import Planner
from almanac.families.planner.revisions import check_revision
from almanac.families.planner.series import ended_before, has_instances, is_before
from almanac.kernel.errors import InvalidInput
from almanac.kernel.firewall import clean

_AT_ONCE = 20
"""Exceptions that go in one write."""


class Deleted(Struct, frozen=True, rename="camel"):
    """`series_deleted`: nothing is left of the series that it belonged to."""

    id: str
    title: str
    deleted: bool
    scope: SeriesScope
    series_deleted: bool


def delete_event(planner: Planner, event_id: str, scope: SeriesScope | None, revision: float | None) -> Deleted:
    """Raises NotFound, InvalidInput, and Conflict where `revision` is not the one that stands."""
    checked: list[bool] = []

    def attempt(changes: EventChanges) -> Deleted | None:
        found = changes.agenda.find(event_id)
        if not checked:
            check_revision("the event", revision, found.event.revision)
        return _deleted(changes, found, event_id, scope)

    # Where many exceptions go, each write takes some of them, and the last one the rest.
    while (deleted := edit(planner, attempt)) is None:
        checked.append(True)
    return replace(deleted, title=clean(deleted.title).text)


def _deleted(changes: EventChanges, found: Found, event_id: str, scope: SeriesScope | None) -> Deleted | None:
    agenda, series, slot = changes.agenda, found.series, found.slot
    if series is None and not found.event.is_series:
        mark = agenda.mark(found.id)
        changes.remove(found.event, found.pointer)
        changes.tell("item_deleted", found.id, mark, title=found.event.summary)
        return Deleted(event_id, found.event.summary, True, scope or "this", False)
    if found.names_whole_series and scope in (None, "this"):
        raise InvalidInput(
            "This id names a whole series.",
            'Pass scope "all", or the id of one instance to delete only that.',
            path="scope",
        )
    series = series or found.event
    exceptions = agenda.exceptions(series)
    if slot is None or scope == "all" or (scope == "this_and_following" and not _is_later(series, slot, agenda)):
        return _all_gone(changes, series, exceptions, event_id, scope or "all")
    if scope == "this_and_following":
        return _ended(changes, series, slot, exceptions, event_id)
    return _one_gone(changes, found, series, slot, exceptions, event_id)


def _all_gone(
    changes: EventChanges, series: Event, exceptions: Sequence[Event], event_id: str, scope: SeriesScope
) -> Deleted | None:
    if _some_gone(changes, series, exceptions):
        return None
    mark, pointer = changes.agenda.mark(series.id), changes.agenda.pointer(series.id)
    _remove(changes, exceptions)
    drop_links(changes, series, None)
    if pointer is not None:
        changes.remove(series, pointer)
    changes.tell("item_deleted", series.id, mark, title=series.summary, scope=scope)
    return Deleted(event_id, series.summary, True, scope, True)


def _ended(
    changes: EventChanges, series: Event, slot: When, exceptions: Sequence[Event], event_id: str
) -> Deleted | None:
    agenda = changes.agenda
    before = [one for one in exceptions if is_before(one.recurrence_id or one.start, slot, agenda.zone)]
    after = [one for one in exceptions if one not in before]
    if _some_gone(changes, series, after):
        return None
    ended = replace(ended_before(series, slot, agenda.zone), sequence=series.sequence + 1)
    if not has_instances(ended, before, agenda.zone):
        return _all_gone(changes, series, exceptions, event_id, "this_and_following")
    mark = agenda.mark(series.id)
    _remove(changes, after)
    drop_links(changes, series, slot)
    changes.stand(ended, mark, agenda.pointer(series.id))
    changes.tell("item_deleted", series.id, mark, title=series.summary, scope="this_and_following")
    return Deleted(event_id, series.summary, True, "this_and_following", False)


def _one_gone(
    changes: EventChanges, found: Found, series: Event, slot: When, exceptions: Sequence[Event], event_id: str
) -> Deleted | None:
    agenda = changes.agenda
    left = [one for one in exceptions if not (found.is_exception and one.id == found.event.id)]
    thinned = replace(series, exdates=(*series.exdates, slot))
    if not has_instances(thinned, left, agenda.zone):
        gone = _all_gone(changes, series, exceptions, event_id, "this")
        return replace(gone, title=found.event.summary) if gone is not None else None
    mark = agenda.mark(series.id)
    if found.is_exception:
        changes.remove(found.event, found.pointer)
    else:
        changes.links.drop(found.id)
    changes.stand(thinned, mark, agenda.pointer(series.id))
    changes.tell("item_deleted", found.id, mark, title=found.event.summary, scope="this")
    return Deleted(event_id, found.event.summary, True, "this", False)


def _some_gone(changes: EventChanges, series: Event, exceptions: Sequence[Event]) -> bool:
    """Takes some out where they are too many for one write, so that their instances do not come back either."""
    if len(exceptions) <= _AT_ONCE:
        return False
    some = exceptions[:_AT_ONCE]
    _remove(changes, some)
    exdates = (*series.exdates, *(one.recurrence_id or one.start for one in some))
    changes.stand(replace(series, exdates=exdates), changes.agenda.mark(series.id), changes.agenda.pointer(series.id))
    return True


def _remove(changes: EventChanges, exceptions: Sequence[Event]) -> None:
    for one in exceptions:
        pointer = changes.agenda.pointer(one.id)
        if pointer is not None:
            changes.remove(one, pointer)


def _is_later(series: Event, slot: When, agenda: Agenda) -> bool:
    """Whether anything of the series lies before the instance."""
    return is_before(series.start, slot, agenda.zone)
