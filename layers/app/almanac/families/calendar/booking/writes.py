"""Store changes of a plan."""

from typing import NamedTuple

from almanac.families.calendar.booking.plans import Plan
from almanac.families.calendar.entries.codec import view_of_entry
from almanac.families.calendar.entries.records import PlaceInCalendar
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.entries.writer import Author, EntryWriter
from almanac.platform.store.port import Change


class Writes(NamedTuple):
    """Changes to the store. `gone` and `new` are the entries that they remove and add."""

    changes: list[Change]
    gone: list[PlaceInCalendar]
    new: list[EntryView]

    @property
    def all_places(self) -> list[PlaceInCalendar]:
        return [*self.gone, *(one.filed for one in self.new)]


def writes_of(plan: Plan, writer: EntryWriter, author: Author) -> Writes:
    changes: list[Change] = []
    removed: list[PlaceInCalendar] = []
    new: list[EntryView] = []
    if plan.cancels is not None:
        changes += writer.cancel(plan.cancels.event, plan.cancels.place, author, plan.cancels.booked_by)
        removed.append(plan.cancels.place)
    for event, booked_by, replaces, is_new in plan.puts:
        entry, stored = writer.store(event, author, booked_by, replaces=replaces, is_new=is_new)
        changes += stored
        removed += [replaces] if replaces is not None else []
        new.append(view_of_entry(entry))
    if plan.hold is not None:
        changes += writer.put_hold(plan.hold)
        new.append(view_of_entry(plan.hold))
    if plan.prepares is not None:
        operation, pointer = plan.prepares
        changes += [writer.put_operation(operation), writer.put_pointer(pointer)]
        new.append(view_of_entry(operation))
    if plan.idempotency is not None:
        changes.append(writer.put_idempotency(plan.idempotency))
    if plan.announces is not None:
        kind, event = plan.announces.kind, plan.announces.event
        changes += writer.announcing.announce(
            kind, event, actor=author.actor, at=author.now, random_bytes=author.random_bytes
        )
    for event, place in plan.removes:
        changes += writer.remove(event, place, author)
        removed.append(place)
    for place in plan.releases:
        changes += writer.release(place)
        removed.append(place)
    return Writes(changes, removed, new)
