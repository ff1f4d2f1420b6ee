"""The provider port: where a calendar is kept besides our own store.

A native calendar has no provider: the store is its only home. For every other one the provider holds the truth and the
store a shadow of it. Every method raises Unavailable, naming the provider, when it is down or does not answer in time,
and Forbidden when the credentials do not allow it. After Unavailable a write may or may not have happened.
"""

from collections.abc import Collection
from typing import Literal, Protocol

from msgspec import Struct

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event

ProviderName = Literal["native", "caldav", "google", "webcal"]
Response = Literal["accepted", "declined", "tentative"]
AccessRole = Literal["owner", "writer", "reader", "freeBusyReader"]


class RemoteCalendar(Struct, frozen=True, kw_only=True):
    """A calendar as its provider knows it. `id` is the provider's, without our prefix. `timezone` is an IANA name,
    None where the provider does not say. Of a calendar with the role freeBusyReader no events are told. What one of the
    `owner_addresses` declined takes no time."""

    id: str
    name: str
    primary: bool = False
    access_role: AccessRole = "owner"
    timezone: str | None = None
    owner_addresses: tuple[str, ...] = ()


class ProviderCopy(Struct, frozen=True, kw_only=True):
    """An event as its provider stored it: its id there, its version, its organizer, and a page for people, if there are
    any."""

    id: str
    etag: str | None = None
    href: str | None = None
    url: str | None = None
    organizer: str = ""


class Changes(Struct, frozen=True, kw_only=True):
    """One page of what changed since a token. `token` asks for what follows; `complete` is False while more is ready.

    `reset` says that these pages begin from nothing: what they do not name is gone. `standing` names all resources that
    there are, where the provider may have forgotten to name those that went.
    """

    events: tuple[Event, ...]
    removed_ids: tuple[str, ...] = ()
    token: str | None = None
    complete: bool = True
    reset: bool = False
    standing: frozenset[str] | None = None


class Answer(Struct, frozen=True):
    """An answer to an invitation, with a word to the organizer."""

    response: Response
    comment: str = ""


class ProviderEvent(Struct, frozen=True):
    """An event that a provider shows. `ours`: an Almanac booked it, and takes it back where it meets another."""

    event: Event
    ours: bool


class Provider(Protocol):
    name: str

    def create(self, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        """Writes a new event under the id that we made, `event.id` (and `event.uid`).

        The same event under the same id again is the same success. Raises Conflict where the id is another event's.
        """
        ...

    def update(
        self, calendar: RemoteCalendar, event: Event, etag: str | None, changed: Collection[str] = ()
    ) -> ProviderCopy:
        """Replaces an event, and moves what differs from a series with it. `changed` names those of `attendees` and
        `alarms` that are new. Raises Conflict when it no longer has `etag`, NotFound when it is gone."""
        ...

    def respond(self, calendar: RemoteCalendar, event: Event, etag: str | None, answer: Answer) -> ProviderCopy:
        """Answers an invitation in the name of the account; for a series also what differs from it. Raises InvalidInput
        (code not_invited) where the account is not invited, or organizes the event; else as `update`."""
        ...

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        """Removes an event; one that is not there is a success. Raises Conflict when it no longer has `etag`."""
        ...

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        """The event as it is there now; None for one that is missing or cancelled."""
        ...

    def standing(self, calendar: RemoteCalendar, window: Interval) -> list[ProviderEvent]:
        """The events in `window`, or near it, at this moment: asked of the provider, not taken from a shadow."""
        ...

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        """Changes since `token`; None asks for everything."""
        ...

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:
        """The busy time in `window` of a calendar whose role is freeBusyReader. Raises InvalidInput for too long a
        window."""
        ...

    def calendars(self) -> list[RemoteCalendar]:
        """The calendars of the account."""
        ...
