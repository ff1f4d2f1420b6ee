"""Event ids that include their calendar, for tools that get no calendar id.

3k7q... an event of "primary" 3k7q...@room-2 an event of the calendar room-2 a%40b.org@caldav/me an event whose own id
has an @, as servers give them, of the calendar caldav/me
"""

from typing import NamedTuple

PRIMARY = "primary"
"""Id of the calendar that always exists."""

AT = "@"
_ESCAPES = (("%", "%25"), (AT, "%40"))


class LocatedId(NamedTuple):
    """Parts of a located id. `event` is the id within the calendar."""

    calendar: str
    event: str


def make_located_id(calendar: str, event: str) -> str:
    if calendar == PRIMARY:
        return event
    for sign, escape in _ESCAPES:
        event = event.replace(sign, escape)
    return f"{event}{AT}{calendar}"


def read_located(text: str) -> LocatedId:
    """Return the parts of an id that `make_located_id` made."""
    event, at, calendar = text.partition(AT)
    if not at:
        return LocatedId(PRIMARY, text)
    for sign, escape in reversed(_ESCAPES):
        event = event.replace(escape, sign)
    return LocatedId(calendar, event)


def id_within(calendar: str, text: str) -> str:
    """Return the id within `calendar`, from an id that includes the calendar or from a plain one."""
    located = read_located(text)
    return located.event if located.calendar == calendar else text
