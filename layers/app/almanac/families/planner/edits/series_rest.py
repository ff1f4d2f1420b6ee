"""Work after a change of a series: deletion of exceptions and links to instances, or their move to another series.

A series may have thousands of both. Each step is one write and can be repeated. A tombstone in the calendar hides
exceptions that are still to be deleted. The new series leaves out instances whose exceptions are still to be moved, so
that none appears twice.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from msgspec.structs import replace

from almanac.families.calendar.entries.codec import read_entries
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.model.events import Event, When, ZonedTime, instant_of
from almanac.families.calendar.model.instance_ids import (
    InstanceId,
    id_on_day,
    instance_id,
    is_daily_at_most,
    read_instance_id,
    slot_day,
)
from almanac.families.calendar.model.located_ids import read_located
from almanac.families.planner.core.records import MARKS
from almanac.families.planner.core.slot_moves import Move
from almanac.families.planner.core.unfinished_work import UNFINISHED, UnfinishedWork, delete_work
from almanac.families.planner.edits.changes import EventChanges
from almanac.families.planner.edits.series_moves import days_moved, may_change_days, new_day_of
from almanac.families.planner.edits.series_traces import links_to_instances, marks_of_instances
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.events.series import is_before
from almanac.families.planner.links.changes import LINKS_AT_ONCE
from almanac.kernel.errors import InvalidInput, LimitExceeded

_EXCEPTIONS_AT_ONCE = 12
_RENAMED_AT_ONCE = 10
_MARKS_AT_ONCE = 50
_MOST_MOVED = 2000
"""Maximum exceptions that one change may move. Meanwhile the series lists the instance of each."""


def defer_removal(
    changes: EventChanges, series: Event, slot: When | None, exceptions: Collection[Event], heir: str = ""
) -> None:
    """Hide the exceptions from `slot` on, or all for None, and schedule their deletion. Links to such instances are
    deleted too, or lead to the event `heir`."""
    if exceptions or links_to_instances(changes.agenda, series.id, slot, limit=1):
        tombstone = changes.hide(series, slot)
        work = UnfinishedWork(item=series.id, task="instances", uid=series.uid, slot=slot, grave=tombstone, heir=heir)
        changes.defer(work)


def defer_move(
    changes: EventChanges,
    before: Event,
    slot: When | None,
    after: Event,
    exceptions: Sequence[Event],
    move: Move | None,
) -> Event:
    """Schedule the move of exceptions and links of `before`, from `slot` on or all, to `after` by `move`. Return
    `after` in the form stored until then. Raises InvalidInput if two exceptions would replace the same instance."""
    if len({_slot(_move_exception(one, after.uid, move)) for one in exceptions}) < len({*map(_slot, exceptions)}):
        raise InvalidInput(
            "Several instances that were changed on their own would come to the same time.",
            "Delete those that are not needed, or keep a time of day for each.",
            path="time",
        )
    moved = [exception for exception in exceptions if _move_exception(exception, after.uid, move) != exception]
    is_once = is_daily_at_most(before)
    relinks = (
        before.id != after.id
        or before.renamed != after.renamed
        or is_once != is_daily_at_most(after)
        or may_change_days(move, before.start)
    )
    if not moved and not (relinks and links_to_instances(changes.agenda, before.id, slot, limit=1)):
        return after
    if len(moved) > _MOST_MOVED:
        raise LimitExceeded(
            f"More than {_MOST_MOVED} instances that were changed on their own would move.",
            'Use scope "this_and_following" from a later instance on.',
        )
    changes.defer(
        UnfinishedWork(
            item=before.id,
            task="series",
            uid=before.uid,
            slot=slot,
            heir=after.id,
            was=before.start,
            renamed=None if is_once else before.renamed,
            move=move,
        )
    )
    return replace(after, exdates=(*after.exdates, *(_slot(_move_exception(one, after.uid, move)) for one in moved)))


def with_other_ids(agenda: Agenda, before: Event, after: Event, move: Move | None, *, has_new_rule: bool) -> Event:
    """Return the changed series, with other ids for its instances if exceptions, which keep their ids, would have those
    of other instances."""
    stored = agenda.exceptions_called_after(before)
    goes_elsewhere = has_new_rule or slot_day(before.start) != slot_day(after.start)
    if any(
        goes_elsewhere
        if one.uid != before.uid
        else _is_called_by_slot(before, one) and not _is_called_by_slot(after, _move_exception(one, after.uid, move))
        for one in stored
    ):
        return replace(after, renamed=after.renamed + 1)
    return after


def _is_called_by_slot(series: Event, exception: Event) -> bool:
    return instance_id(series, _slot(exception)) == exception.id


def remove_some(changes: EventChanges, work: UnfinishedWork) -> bool:
    """Run one step of the task "instances". Return whether more remains."""
    series = read_located(work.item).event
    if links := links_to_instances(
        changes.agenda, series, work.slot, limit=_RENAMED_AT_ONCE if work.heir else LINKS_AT_ONCE
    ):
        if work.heir:
            changes.links.rename_all(links, [changes.agenda.located_id_of(work.heir)] * len(links))
        else:
            changes.links.drop_some(links)
        return True
    some = list(islice(_exceptions(changes.agenda, work), _EXCEPTIONS_AT_ONCE))
    for number, one in enumerate(some):
        linked = changes.links.count(changes.agenda.located_id_of(one.id)) > 0
        if linked and number:
            break
        if (pointer := changes.agenda.pointer(one.id)) is not None:
            changes.remove(one, pointer)
        if linked:
            # The links of one exception fill the write.
            break
    if some or _delete_marks(changes, series, work.slot):
        return True
    if (tombstone := changes.agenda.pointer(work.grave)) is not None:
        changes.unhide(tombstone)
    changes.add(delete_work(changes.planner, work))
    return False


def _delete_marks(changes: EventChanges, series: str, slot: When | None) -> bool:
    """Delete marks of exceptions that a calendar tool deleted with their series. Return whether there were any."""
    marks = marks_of_instances(changes.agenda, series, slot)
    existing = changes.agenda.find_existing(read_located(mark.id).event for mark in marks)
    orphans = [mark for mark in marks if read_located(mark.id).event not in existing]
    for orphan in orphans[:_MARKS_AT_ONCE]:
        changes.add(changes.planner.rows(MARKS).delete(orphan.id))
    return bool(orphans)


def move_some(changes: EventChanges, work: UnfinishedWork) -> bool:
    """Run one step of the task "series". Return whether more remains."""
    agenda = changes.agenda
    pointer, heir = agenda.pointer(work.heir), agenda.event(work.heir)
    if pointer is None or heir is None:
        changes.add(delete_work(changes.planner, work))
        return False
    if _move_links(changes, work, heir):
        return True
    some = list(islice(_to_move(agenda, work, heir.uid), _EXCEPTIONS_AT_ONCE))
    if not some:
        changes.add(delete_work(changes.planner, work))
        return False
    for one in some:
        if (stored := agenda.pointer(one.id)) is not None:
            changes.move(_move_exception(one, heir.uid, work.move), stored)
    back = {_slot(_move_exception(one, heir.uid, work.move)) for one in some}
    changes.move(replace(heir, exdates=tuple(exdate for exdate in heir.exdates if exdate not in back)), pointer)
    _save_progress(changes, replace(work, reached_slot=_slot(some[-1])))
    return True


def _to_move(agenda: Agenda, work: UnfinishedWork, uid: str) -> Iterator[Event]:
    """Yield the exceptions that still have to move, in order. If they move to later days, the last comes first, so that
    none takes the place of another and none moves twice."""
    backwards = _moves_later(work)

    def is_waiting(one: Event) -> bool:
        if _move_exception(one, uid, work.move) == one:
            return False
        if work.reached_slot is None:
            return True
        first, then = (_slot(one), work.reached_slot) if backwards else (work.reached_slot, _slot(one))
        return is_before(first, then, agenda.zone)

    waiting = filter(is_waiting, _exceptions(agenda, work))
    yield from sorted(waiting, key=lambda one: instant_of(_slot(one), agenda.zone), reverse=backwards)


def _moves_later(work: UnfinishedWork) -> bool:
    if work.move is None or work.was is None:
        return False
    return days_moved(work.move, work.was) > 0 if work.move.shift is None else work.move.shift > 0


def _move_links(changes: EventChanges, work: UnfinishedWork, heir: Event) -> bool:
    """Move some of the links, in the order of `_to_move`, and return whether there were any. Exceptions keep their ids
    and links."""
    series, agenda = read_located(work.item).event, changes.agenda
    is_elsewhere = (
        series != work.heir
        or heir.renamed
        or (work.renamed is None) != is_daily_at_most(heir)
        or (work.was is not None and may_change_days(work.move, work.was))
    )
    if not is_elsewhere:
        return False
    backwards = _moves_later(work)
    links = links_to_instances(
        agenda, series, work.slot, reached=work.reached, backwards=backwards, limit=_RENAMED_AT_ONCE
    )
    if not links:
        return False
    exceptions = agenda.find_existing(read_located(link.item).event for link in links)
    moved = [link for link in links if read_located(link.item).event not in exceptions]
    renamed = [agenda.located_id_of(_new_instance_id(read_located(link.item).event, heir, work)) for link in moved]
    pairs = [(link, name) for link, name in zip(moved, renamed, strict=True) if link.item != name]
    changes.links.rename_all([link for link, _ in pairs], [name for _, name in pairs])
    last = links[-1].item
    # An item may have more links than were read: they are next, unless they stay. "$" sorts after the separator of key
    # parts, so behind all links of the item.
    stays = last not in (link.item for link, _ in pairs)
    _save_progress(changes, replace(work, reached=last if stays == backwards else f"{last}$"))
    return True


def _save_progress(changes: EventChanges, work: UnfinishedWork) -> None:
    changes.add(changes.planner.rows(UNFINISHED).put(work))


def _new_instance_id(item: str, heir: Event, work: UnfinishedWork) -> str:
    named = read_instance_id(item)
    if named is None or not heir.is_series:
        return heir.id
    slot = _slot_of_id(named, work)
    if slot is not None and (work.renamed is not None or not is_daily_at_most(heir)):
        return instance_id(heir, slot if work.move is None else work.move.of(slot))
    if named.clock is not None and not heir.renamed:
        return f"{heir.id}_{named.day:%Y%m%dT}{named.clock:%H%M%S}"
    day = named.day if work.move is None or work.was is None else new_day_of(work.move, work.was, named.day)
    return id_on_day(heir, day)


def _slot_of_id(named: InstanceId, work: UnfinishedWork) -> When | None:
    """Return the former slot of an instance by its former id; None if the series had whole days."""
    if not isinstance(work.was, ZonedTime):
        return None
    if work.renamed is None or named.clock is None:
        return replace(work.was, local=datetime.combine(named.day, work.was.local.time()), fold=0)
    local = datetime.combine(named.day, named.clock) - timedelta(seconds=work.renamed)
    return replace(work.was, local=local, fold=0)


def _exceptions(agenda: Agenda, work: UnfinishedWork) -> Iterator[Event]:
    planner = agenda.planner
    for one in read_entries(planner.store, planner.scope, agenda.calendar.id, agenda.zone, "wide"):
        event = event_of(one) if one.kind == "event" else None
        if event is None or event.tombstone or event.uid != work.uid or event.recurrence_id is None:
            continue
        if work.slot is None or not is_before(event.recurrence_id, work.slot, agenda.zone):
            yield event


def _move_exception(exception: Event, uid: str, move: Move | None) -> Event:
    slot = _slot(exception)
    return replace(exception, uid=uid, recurrence_id=move.of(slot) if move is not None else slot)


def _slot(exception: Event) -> When:
    return exception.recurrence_id or exception.start
