"""Resources of a CalDAV calendar: one per event or series, named after its id."""

import re
from urllib.parse import quote, unquote, urlsplit

from msgspec.structs import replace

from almanac.families.calendar.ical.ids import digest_id
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.kernel.errors import InvalidInput

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9@.+=_-]{0,119}")
_LIKE_AN_INSTANCE = re.compile(r".*_\d{8}(T\d{6}Z?)?")
_INSTANCE = "~"


def resource_id(url: str) -> str:
    """Return the id of the event or series at a URL: the name of the resource, or its digest if the name is not a valid
    id."""
    name = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
    plain = name.removesuffix(".ics")
    return (
        plain if plain != name and _PLAIN.fullmatch(plain) and not _LIKE_AN_INSTANCE.match(plain) else digest_id(name)
    )


def resource_of(event_id: str) -> tuple[str, str | None]:
    """Return the id of the resource of an event, and the stamp of its instance if it is an exception."""
    resource, sign, stamp = event_id.partition(_INSTANCE)
    return resource, stamp if sign else None


def resource_url(collection: str, resource: str) -> str:
    return f"{collection}{quote(resource, safe='@+=')}.ics"


def events_at(url: str, text: bytes, etag: str | None, calendar: RemoteCalendar) -> tuple[list[Event], list[str]]:
    """Return the events of a resource, the series before its exceptions, and the parts that cannot be read."""
    from almanac.families.calendar.ical.parser import read_events  # noqa: PLC0415 - icalendar takes 130 ms to import

    resource, path = resource_id(url), urlsplit(url).path

    def name_of(_uid: str, stamp: str | None) -> str:
        return resource if stamp is None else f"{resource}{_INSTANCE}{stamp}"

    try:
        owners = calendar.owner_addresses
        parsed = read_events(text, calendar.zone, name_of, owner_addresses=owners)
    except InvalidInput as problem:
        return [], [f"{path}: {problem.message}"]
    events = [replace(event, etag=etag, href=path) for event in parsed.events]
    events.sort(key=lambda event: (event.recurrence_id is not None, event.id))
    return events, [f"{path}: {problem}" for problem in parsed.problems]
