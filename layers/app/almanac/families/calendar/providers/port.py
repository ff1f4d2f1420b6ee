"""Port to calendar providers: services that keep calendars outside of our store.

A native calendar has no provider: it exists only in the store. For any other calendar the provider is authoritative,
and the store has a shadow (a copy). Every method raises Unavailable, with the provider's name, if the provider is down
or does not answer in time, and Forbidden if the credentials do not allow the request. After Unavailable a write may or
may not have happened.
"""

from collections.abc import Collection
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.time.core.zones import stored_zone

ProviderName = Literal["native", "caldav", "google", "webcal"]
Response = Literal["accepted", "declined", "tentative"]
AccessRole = Literal["owner", "writer", "reader", "freeBusyReader"]


class RemoteCalendar(Struct, frozen=True, kw_only=True):
    """Calendar as its provider describes it.

    `id` is the provider's, without our prefix. `timezone` is an IANA name, None if the provider gives none. A
    calendar with the role freeBusyReader shows no events. Events that one of the `owner_addresses` declined take no
    time.
    """

    id: str
    name: str
    primary: bool = False
    access_role: AccessRole = "owner"
    timezone: str | None = None

    @property
    def zone(self) -> ZoneInfo:
        """Zone of its whole days, and of times without a zone. UTC if none is known."""
        return stored_zone(self.timezone)

    owner_addresses: tuple[str, ...] = ()


class ProviderCopy(Struct, frozen=True, kw_only=True):
    """Stored copy of an event at its provider: its id, and its version, organizer and page for people, if any."""

    id: str
    etag: str | None = None
    href: str | None = None
    url: str | None = None
    organizer: str = ""


class Changes(Struct, frozen=True, kw_only=True):
    """Page of the changes since a token.

    `token` requests the next page; `complete` is False while more is ready. `reset`: the pages begin from nothing, so
    any event that they do not name is gone. `standing` names all existing resources if the provider may have failed to
    report removed ones.
    """

    events: tuple[Event, ...]
    removed_ids: tuple[str, ...] = ()
    token: str | None = None
    complete: bool = True
    reset: bool = False
    standing: frozenset[str] | None = None


class Answer(Struct, frozen=True):
    """Answer to an invitation, with a comment for the organizer."""

    response: Response
    comment: str = ""


class ProviderEvent(Struct, frozen=True):
    """Event at a provider. `ours`: an Almanac booked it and will withdraw it if it overlaps another."""

    event: Event
    ours: bool


class Provider(Protocol):
    name: str

    def create(self, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        """Write a new event under our id, `event.id` (and `event.uid`).

        Writing the same event under the same id again succeeds. Raises Conflict if the id belongs to another event.
        """
        ...

    def update(
        self, calendar: RemoteCalendar, event: Event, etag: str | None, changed: Collection[str] = ()
    ) -> ProviderCopy:
        """Replace an event, and with a series move its exceptions.

        `changed` may contain `attendees` and `alarms` if those are new. Raises Conflict if the event no longer has
        `etag`, NotFound if it is gone.
        """
        ...

    def respond(self, calendar: RemoteCalendar, event: Event, etag: str | None, answer: Answer) -> ProviderCopy:
        """Answer an invitation in the name of the account, for a series including its exceptions.

        Raises InvalidInput (code not_invited) if the account is not invited or organizes the event; otherwise as
        `update`.
        """
        ...

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        """Delete an event. Deleting a missing one succeeds. Raises Conflict if it no longer has `etag`."""
        ...

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        """Return the provider's current event; None if it is missing or cancelled."""
        ...

    def current_events(self, calendar: RemoteCalendar, window: Interval) -> list[ProviderEvent]:
        """Return the current events in or near `window`, read from the provider instead of the shadow."""
        ...

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        """Return the changes since `token`, or everything for None."""
        ...

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:
        """Return the busy time in `window` of a calendar with the role freeBusyReader. Raises InvalidInput for too long
        a window."""
        ...

    def calendars(self) -> list[RemoteCalendar]:
        """Return the calendars of the account."""
        ...
