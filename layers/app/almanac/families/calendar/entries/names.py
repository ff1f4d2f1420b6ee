"""Names of calendars, and the ids derived from them."""

import re
import unicodedata
from contextlib import suppress

from msgspec.structs import replace

from almanac.content import admit
from almanac.content.redaction import redact
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CALENDARS, CalendarRecord
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.kernel.errors import Conflict, Forbidden, InvalidInput, Unavailable
from almanac.kernel.ids import RandomBytes, ulid
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import ConditionFailed

_ID = re.compile(r"[a-z0-9][a-z0-9._@-]{0,99}")
_LONGEST_OF_A_NAME = 60
_TRIES = 20


def create_named(
    calendars: Calendars, name: str, calendar_id: str | None, zone: str | None, random_bytes: RandomBytes
) -> CalendarRecord:
    """Create a native calendar. Without `calendar_id`, its id is derived from the name, or generated if that is
    impossible.

    Raises Conflict if the id, or without one the name, is taken; InvalidInput for an invalid id.
    """
    shown = _admitted(name)
    record = CalendarRecord(id="", name=shown, timezone=zone, created_at=calendars.now())
    if calendar_id is not None:
        return calendars.create(replace(record, id=_check_id(calendar_id)))
    for one in calendars.list_calendars():
        if one.is_native and one.id != PRIMARY and one.name.casefold() == shown.casefold():
            raise Conflict(
                f'There is a calendar named "{shown[:80]}" already: {one.id}.',
                "Use it, choose another name, or give the new one a calendar_id of its own.",
                untrusted=True,
            )
    generated = ulid(calendars.now(), random_bytes).lower()
    new_id = _id_from_name(shown)
    for candidate in (new_id, f"{new_id}-{generated[-6:]}" if new_id else ""):
        if candidate and candidate != PRIMARY:
            with suppress(Conflict):
                return calendars.create(replace(record, id=candidate))
    return calendars.create(replace(record, id=f"calendar-{generated}"))


def rename(calendars: Calendars, calendar: CalendarRecord, name: str) -> CalendarRecord:
    """Rename the calendar. Raises Forbidden if its provider names it."""
    if name == calendar.name:
        return calendar
    if not calendar.is_native:
        raise Forbidden(
            f"The calendar {calendar.id} gets its name from its provider.",
            "Rename it there; the next sync brings the name.",
        )
    shown = _admitted(name)
    rows = CALENDARS.within(calendars.store, calendars.scope)
    for _ in range(_TRIES):
        current = calendars.find(calendar.id)
        renamed = replace(current, name=shown, version=current.version + 1)
        try:
            calendars.store.write([rows.put(renamed, Equals("version", current.version))])
        except ConditionFailed:
            continue
        return renamed
    raise Unavailable(f"The calendar {calendar.id} is being changed by other calls.", "Repeat the call in a moment.")


def _admitted(name: str) -> str:
    """Return the name without invisible characters and secrets. Raises InvalidInput for text that addresses a language
    model."""
    return redact(admit({"name": name})["name"]).text


def _check_id(calendar_id: str) -> str:
    if calendar_id == PRIMARY:
        raise Conflict('There is a calendar "primary" already.', "Use it, or choose another id.")
    if not _ID.fullmatch(calendar_id):
        raise InvalidInput(
            f'"{calendar_id[:80]}" cannot be the id of a calendar.',
            "Use 1 to 100 lower-case letters, digits and . _ @ -, beginning with a letter or digit, e.g. room-2.",
            path="calendar_id",
        )
    return calendar_id


def _id_from_name(name: str) -> str:
    """Return an id that resembles the name; "" if too few of its letters are Latin."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = [char for char in plain if char.isalnum()]
    latin = [char for char in letters if char.isascii()]
    if len(latin) * 2 < len(letters):
        return ""
    spelled = "".join(char for char in plain if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9._@-]+", "-", spelled)[:_LONGEST_OF_A_NAME].strip("-._@")
