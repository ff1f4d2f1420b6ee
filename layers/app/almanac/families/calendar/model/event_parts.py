"""Parts of an event besides its time and texts, in the words of RFC 5545."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

Related = Literal["start", "end"]
TodoStatus = Literal["needs-action", "in-process", "completed", "cancelled"]


class Alarm(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Reminder (VALARM).

    It is triggered `at` an aware UTC time, or `offset` seconds after (negative: before) the `related` end of the event.
    It repeats `repeat` times, each after `every` seconds. `other` are its further content lines, verbatim.
    """

    action: str = "DISPLAY"
    offset: int | None = None
    at: datetime | None = None
    related: Related = "start"
    description: str = ""
    repeat: int = 0
    every: int = 0
    other: tuple[str, ...] = ()


class Attendee(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Attendee of an event, or its organizer.

    `address` is the same as in `Event.attendees`. A field is empty if the event does not give it. `parameters` are
    further ones, each NAME=value.
    """

    address: str
    uri: str = ""
    name: str = ""
    partstat: str = ""
    role: str = ""
    rsvp: bool | None = None
    parameters: tuple[str, ...] = ()


class EarlierTitle(Struct, frozen=True):
    """Earlier title and start (in seconds since 1970) of an event, valid from `since`, included, until `until`."""

    title: str
    start: int
    since: int
    until: int


class SearchState(Struct, frozen=True, omit_defaults=True):
    """State of an event in search: the version of its document, and a digest of its contents.

    `since` is the instant of that version, which has `title` and `start` (in seconds since 1970). `earlier` are the
    last titles before it, oldest first. `known_since` is the instant of the first one, or 0 if that was before titles
    were kept. All are without secrets.
    """

    version: int
    digest: bytes
    known_since: int = 0
    since: int = 0
    title: str = ""
    start: int = 0
    earlier: tuple[EarlierTitle, ...] = ()


class Todo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Fields of a to-do (VTODO). `has_start`: it has DTSTART. `has_due`: it has DUE, which is the event's end, or its
    start if it has no other."""

    status: TodoStatus = "needs-action"
    completed: datetime | None = None
    percent: int | None = None
    has_start: bool = True
    has_due: bool = True

    @property
    def is_done(self) -> bool:
        return self.status in {"completed", "cancelled"} or self.completed is not None or self.percent == 100
