"""Events that may contain secrets stored before redaction existed, in native calendars.

Events of a provider are stored unchanged; the calendar shows and indexes them without their secrets.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec.structs import replace

from almanac.content.redaction import RedactedValue
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.codec import read_entries, view_of_entry
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.factory import open_bookings
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.located_ids import make_located_id
from almanac.families.calendar.texts.secrets import texts_of, with_texts
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.instants import instant_at
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.redactions.scan import Redactable, StoredTexts
from almanac.platform.services import Services
from almanac.platform.store.contention import WriteContention


def _events(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    bookings = open_bookings(services, caller.scope, actor=caller.actor, clock=services.get(Clock))
    for calendar in bookings.calendars.list_calendars():
        if calendar.is_native:
            yield from _of_calendar(bookings, calendar)


def _of_calendar(bookings: BookingService, calendar: CalendarRecord) -> Iterator[StoredTexts]:
    store, scope = bookings.calendars.store, bookings.calendars.scope
    for reach in ("narrow", "wide"):
        for entry in read_entries(store, scope, calendar.id, calendar.zone, reach):
            event = event_of(entry) if entry.kind == "event" else None
            if event is not None and not event.tombstone:
                yield StoredTexts(
                    {**texts_of(event), "titles": _titles(event)},
                    lambda redacted, event=event: _rewrite(bookings, calendar, event, redacted),
                )


def _rewrite(bookings: BookingService, calendar: CalendarRecord, event: Event, redacted: RedactedValue) -> None:
    """Store the event without the secrets, as an edit without an announcement."""
    calendars, author = bookings.calendars, bookings.author()
    current = calendars.find(calendar.id)
    pointer = calendars.pointer(current, event.id)
    if pointer is None or calendars.event_at(current, pointer) != event:
        raise WriteContention("The event was changed meanwhile.", "Scan again.")
    edited = with_texts(event, cast("Mapping[str, Any]", redacted.value))
    edited = _with_titles(edited, cast("Mapping[str, Any]", redacted.value)["titles"])
    edited = replace(edited, revision=event.revision + 1, updated=instant_at(author.now))
    entry, changes = bookings.writer(current).store(edited, author, pointer.booked_by, replaces=pointer.place)
    name = make_located_id(calendar.id, event.id)
    lost = redaction_changes(bookings, name, "event", redacted.findings, author.now)
    calendars.versioned_writes.write(current, [*changes, *lost], gone=[pointer.place], new=[view_of_entry(entry)])


def _titles(event: Event) -> list[str]:
    """Return the current and earlier titles, because an earlier one may still contain a secret."""
    known = event.indexed
    return [] if known is None else [known.title, *(each.title for each in known.earlier)]


def _with_titles(event: Event, titles: Sequence[str]) -> Event:
    if event.indexed is None:
        return event
    pairs = zip(event.indexed.earlier, titles[1:], strict=True)
    earlier = tuple(replace(each, title=title) for each, title in pairs)
    return replace(event, indexed=replace(event.indexed, title=titles[0], earlier=earlier))


REDACTABLE = (Redactable("event", _events),)
