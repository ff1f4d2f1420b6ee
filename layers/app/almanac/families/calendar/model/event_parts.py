"""Parts of an event besides its time and its texts, in the words of RFC 5545."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

Related = Literal["start", "end"]
TodoStatus = Literal["needs-action", "in-process", "completed", "cancelled"]


class Alarm(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reminder (VALARM). Its trigger is either `at`, aware and in UTC, or `offset` seconds after (negative: before)
    the `related` end of the event. It is repeated `repeat` times, each time after `every` seconds. `other` are its
    further content lines, as they were written."""

    action: str = "DISPLAY"
    offset: int | None = None
    at: datetime | None = None
    related: Related = "start"
    description: str = ""
    repeat: int = 0
    every: int = 0
    other: tuple[str, ...] = ()


class Attendee(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An attendee of an event, or its organizer. `address` is what `Event.attendees` has for the person. Empty: the
    event does not say. `parameters` are further ones, each NAME=value."""

    address: str
    uri: str = ""
    name: str = ""
    partstat: str = ""
    role: str = ""
    rsvp: bool | None = None
    parameters: tuple[str, ...] = ()


class EarlierTitle(Struct, frozen=True):
    """An earlier title and start (in seconds since 1970) of an event, from `since`, included, until `until`."""

    title: str
    start: int
    since: int
    until: int


class SearchState(Struct, frozen=True, omit_defaults=True):
    """The state of an event in search: the version of its document, and a digest of its contents.

    `since` is the instant of that version, in which `title` and `start`, in seconds since 1970, are. `earlier` are the
    last ones before, the oldest first, and `known_since` is the instant of the first; 0 where that was before titles
    were kept. All without secrets.
    """

    version: int
    digest: bytes
    known_since: int = 0
    since: int = 0
    title: str = ""
    start: int = 0
    earlier: tuple[EarlierTitle, ...] = ()


class Todo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Fields of a to-do (VTODO). `has_start`: it says DTSTART; `has_due`: it says DUE, which is the event's end, or its
    start where it has no other."""

    status: TodoStatus = "needs-action"
    completed: datetime | None = None
    percent: int | None = None
    has_start: bool = True
    has_due: bool = True

    @property
    def is_done(self) -> bool:
        return self.status in {"completed", "cancelled"} or self.completed is not None or self.percent == 100
