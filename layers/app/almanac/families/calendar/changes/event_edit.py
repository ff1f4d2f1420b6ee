"""Edits of an event's texts, people and reminders."""

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import admit, quote_fields
from almanac.families.calendar.booking.draft import check_title, redact_texts
from almanac.families.calendar.model.attendees import attendee_details, check_attendees
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.reminders import alarms_at, reminders_of
from almanac.families.calendar.texts.secrets import visible
from almanac.kernel.errors import InvalidInput

_TEXTS = ("summary", "description", "location")


class EventEdit(Struct, frozen=True, kw_only=True):
    """New values of an event; None keeps a field.

    `attendees` and `reminders` replace all former ones; `reminders` are minutes before the start.
    """

    summary: str | None = None
    description: str | None = None
    location: str | None = None
    attendees: tuple[str, ...] | None = None
    reminders: tuple[int, ...] | None = None

    @property
    def texts(self) -> dict[str, str]:
        return {name: text for name in _TEXTS if (text := getattr(self, name)) is not None}


def admit_edit(edit: EventEdit) -> EventEdit:
    """Return the edit without invisible characters and secrets.

    Raises InvalidInput for an edit without changes, text that addresses a language model, and an empty title.
    """
    if edit == EventEdit():
        raise InvalidInput("There is nothing to change.", "Give at least one of the fields that can be changed.")
    guests = {f"attendees[{number}]": guest for number, guest in enumerate(edit.attendees or ())}
    texts = admit({name: text for name, text in (edit.texts | guests).items() if text})
    if edit.summary is not None:
        check_title(texts.get("summary", ""))
    people = tuple(texts.pop(name, "").strip() for name in guests) if edit.attendees is not None else None
    redacted = redact_texts({name: texts.get(name, "") for name in edit.texts})
    return replace(edit, **redacted, attendees=people)


def changed_fields(event: Event, edit: EventEdit, source: str) -> frozenset[str]:
    """Return the fields of the event that the edit changes. A value that repeats the displayed one is no change.

    `source` is the provider, which decides how texts are displayed.
    """
    shown = visible(event, source)
    texts = {name: getattr(shown, name) for name in _TEXTS}
    people = {f"attendee {place}": one for place, one in enumerate(event.attendees)}
    quoted = quote_fields({name: text for name, text in (texts | people).items() if text}, source).fields
    changed = {name for name, text in edit.texts.items() if text not in {getattr(event, name), quoted.get(name, "")}}
    addresses = {address.lower() for address in event.attendees}
    shown_people = {quoted.get(name, "").lower() for name in people}
    if edit.attendees is not None and _lower_case(edit.attendees) not in (addresses, shown_people):
        changed.add("attendees")
    if edit.reminders is not None and sorted(set(edit.reminders), reverse=True) != reminders_of(event):
        changed.add("alarms")
    return frozenset(changed)


def apply_edit(event: Event, edit: EventEdit, changed: Collection[str]) -> Event:
    """Return the event with the changed fields. Attendees who stay keep their answers.

    Raises InvalidInput for a new attendee without an e-mail address.
    """
    event = replace(event, **{name: text for name, text in edit.texts.items() if name in changed})
    if "attendees" in changed:
        current = {address.lower(): address for address in event.attendees}
        addresses = {address.lower().removeprefix("mailto:"): address for address in edit.attendees or ()}
        new = check_attendees([address for name, address in addresses.items() if name not in current])
        people = (*(address for name, address in current.items() if name in addresses), *new)
        details = (*(one for one in event.attendee_details if one.address in people), *attendee_details(new))
        event = replace(event, attendees=people, attendee_details=details)
    if "alarms" in changed:
        event = replace(event, alarms=alarms_at(edit.reminders or ()))
    return event


def _lower_case(addresses: Collection[str]) -> set[str]:
    return {address.lower() for address in addresses}
