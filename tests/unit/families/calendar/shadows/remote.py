"""A provider in memory, and helpers that show its events as users see them."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime

from msgspec.structs import replace

from almanac.families.calendar.accounts.credentials import AccountRecord, Accounts
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, ZonedTime
from almanac.families.calendar.providers.partial_pull import PartialPull, Unreadable
from almanac.families.calendar.providers.port import (
    Answer,
    Changes,
    Provider,
    ProviderCopy,
    ProviderEvent,
    RemoteCalendar,
)
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Conflict, NotFound
from almanac.kernel.instants import milliseconds

SCOPE = Scope("acme", "main")
WORK = "google/work"
WEEK = Interval(milliseconds(datetime(2026, 3, 2, tzinfo=UTC)), milliseconds(datetime(2026, 3, 9, tzinfo=UTC)))


class Remote:
    """A provider in memory that can be down, forget its tokens, also without a word, and give its changes in pages."""

    name = "The remote"

    def __init__(self) -> None:
        self.calendar_list = [RemoteCalendar(id="work", name="Work", timezone="Europe/Berlin")]
        self.events: dict[str, Event] = {}
        self.log: list[str] = []
        self.down: Exception | None = None
        self.oldest = 0
        self.silent = False
        self.page = 1000
        self.unreadable: dict[str, str] = {}
        self.asked: list[str | None] = []
        self.requests = 0
        self.meanwhile: Callable[[], None] = lambda: None

    def put(self, event: Event) -> Event:
        self.log.append(event.id)
        self.unreadable.pop(event.id, None)
        self.events[event.id] = replace(event, etag=str(len(self.log)))
        return self.events[event.id]

    def spoil(self, event_id: str, said: str) -> None:
        """Make a stored text unreadable."""
        self.log.append(event_id)
        self.events.pop(event_id, None)
        self.unreadable[event_id] = said

    def drop(self, event_id: str) -> None:
        self.log.append(event_id)
        self.events.pop(event_id, None)
        self.unreadable.pop(event_id, None)

    def create(self, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        self._answers()
        if event.id in self.events:
            raise Conflict("There is one.", "Take another id.")
        return ProviderCopy(id=event.id, etag=self.put(event).etag)

    def respond(self, calendar: RemoteCalendar, event: Event, etag: str | None, answer: Answer) -> ProviderCopy:
        return self.update(calendar, replace(event, declined=answer.response == "declined"), etag)

    def update(
        self, calendar: RemoteCalendar, event: Event, etag: str | None, changed: Collection[str] = ()
    ) -> ProviderCopy:
        self._answers()
        if event.id not in self.events:
            raise NotFound("It is gone.", "Pull.")
        if etag != self.events[event.id].etag:
            raise Conflict("It changed.", "Pull.")
        return ProviderCopy(id=event.id, etag=self.put(event).etag)

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        self._answers()
        if event_id in self.events:
            self.drop(event_id)

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        self._answers()
        return self.events.get(event_id)

    def current_events(self, calendar: RemoteCalendar, window: Interval) -> list[ProviderEvent]:
        self._answers()
        return [ProviderEvent(event, event.uid.endswith("@almanac")) for event in self.events.values()]

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        self._answers()
        self.asked.append(token)
        kind, begin, since = token.split(":") if token else ("full", "0", "0")
        if kind == "since" and int(since) < self.oldest:
            kind, begin, since = "full", "0", "0"
        end = len(self.log)
        told = (
            sorted({*self.events, *self.unreadable}) if kind == "full" else list(dict.fromkeys(self.log[int(since) :]))
        )
        part = told[int(begin) : int(begin) + self.page]
        complete = int(begin) + self.page >= len(told)
        page = PartialPull(
            events=tuple(self.events[one] for one in part if one in self.events),
            removed_ids=tuple(one for one in part if one not in self.events and one not in self.unreadable),
            token=f"since:0:{end}" if complete else f"{kind}:{int(begin) + self.page}:{since}",
            complete=complete,
            reset=kind == "full" and not (self.silent and token),
            standing=frozenset({*self.events, *self.unreadable}) if self.silent and complete else None,
            unreadable=tuple(Unreadable(one, self.unreadable[one]) for one in part if one in self.unreadable),
        )
        self.meanwhile()
        return page

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:
        self._answers()
        return []

    def calendars(self) -> list[RemoteCalendar]:
        self._answers()
        return self.calendar_list

    def _answers(self) -> None:
        self.requests += 1
        if self.down is not None:
            raise self.down


class Always:
    """Opens the same provider for every account."""

    def __init__(self, remote: Remote) -> None:
        self.remote = remote

    def provider(self, accounts: Accounts, record: AccountRecord) -> Provider:
        accounts.secret(record)
        return self.remote


def event(name: str, hour: int = 9, **more: object) -> Event:
    start, end = (ZonedTime(datetime(2026, 3, 3, at), "Europe/Berlin") for at in (hour, hour + 1))
    made = Event(id=name, uid=name, start=start, end=end, summary=name)
    return replace(made, **more)


def shown_ids(calendars: Calendars) -> list[str]:
    calendar = calendars.readable(WORK)
    return [one.filed.id for one in calendars.list_entries(calendars.find(calendar.id), WEEK)]
