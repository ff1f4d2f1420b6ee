"""A store in a file, the booking service over it, and a provider in a folder, for tests of booking.

Several threads and processes may open all of these at once.
"""

import hashlib
import os
import random
import tempfile
import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from almanac.families.calendar.accounts.shadow import Shadow, batches, write_batch
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.cache import CalendarCache
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.entries.writer import Author
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, convert_to_zone, decode_event, encode_event
from almanac.families.calendar.providers.port import Answer, Changes, ProviderCopy, ProviderEvent, RemoteCalendar
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, NotFound
from almanac.kernel.instants import milliseconds
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NINE = datetime(2026, 3, 16, 9, tzinfo=UTC)
SCOPE = Scope("tenant", "project")
REMOTE = "google/work"

Faults = Callable[[str], None]
"""Called with `before_create`, `after_create` and so on; what it raises, the provider raises."""


class FolderProvider:
    """A calendar server that keeps each event in a file, refuses stale versions, and never minds an overlap."""

    name = "google"

    def __init__(self, folder: Path, faults: Faults | None = None) -> None:
        self._folder = folder
        self._faults: Faults = faults or _no_faults

    def create(self, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        self._faults("before_create")
        data = encode_event(event)
        written = self._write_whole(data)
        try:
            os.link(written, self._folder / event.id)
        except FileExistsError:
            if (self._folder / event.id).read_bytes() != data:
                raise Conflict("The id is another event's.", "Take another one.") from None
        finally:
            written.unlink()
        self._faults("after_create")
        return ProviderCopy(id=event.id, etag=_etag(data))

    def respond(self, calendar: RemoteCalendar, event: Event, etag: str | None, answer: Answer) -> ProviderCopy:
        return self.update(calendar, replace(event, declined=answer.response == "declined"), etag)

    def update(
        self, calendar: RemoteCalendar, event: Event, etag: str | None, changed: Collection[str] = ()
    ) -> ProviderCopy:
        self._faults("before_update")
        file = self._folder / event.id
        if not file.exists() and self._series_of(event.id) is None:
            raise NotFound("The event is gone.", "Pull the calendar.")
        if file.exists() and etag is not None and _etag(file.read_bytes()) != etag:
            raise Conflict("The event was changed.", "Pull the calendar.")
        data = encode_event(event)
        os.replace(self._write_whole(data), file)
        self._faults("after_update")
        return ProviderCopy(id=event.id, etag=_etag(data))

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        self._faults("before_delete")
        file = self._folder / event_id
        if etag is not None and file.exists() and _etag(file.read_bytes()) != etag:
            raise Conflict("The event was changed.", "Pull the calendar.")
        file.unlink(missing_ok=True)
        series = self._series_of(event_id)
        if series is not None:
            slot = convert_to_zone(datetime.strptime(event_id[-16:], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC), UTC_ZONE)
            thinned = replace(series, exdates=(*series.exdates, slot), etag=None)
            os.replace(self._write_whole(encode_event(thinned)), self._folder / series.id)
        self._faults("after_delete")

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        self._faults("before_find")
        file = self._folder / event_id
        return _read(file) if file.exists() else None

    def current_events(self, calendar: RemoteCalendar, window: Interval) -> list[ProviderEvent]:
        self._faults("before_look")
        return [ProviderEvent(event, event.uid.endswith("@almanac")) for event in self.events()]

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        return Changes(events=tuple(self.events()))

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:
        raise AssertionError("its events can be read")

    def calendars(self) -> list[RemoteCalendar]:
        return [RemoteCalendar(id="work", name="Work")]

    def _series_of(self, event_id: str) -> Event | None:
        """Return the id of the series that an instance belongs to."""
        file = self._folder / event_id.partition("_")[0]
        return _read(file) if "_" in event_id and file.exists() else None

    def _write_whole(self, data: bytes) -> Path:
        # Whole or not at all, also when the process is killed.
        handle, name = tempfile.mkstemp(dir=self._folder.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return Path(name)

    def events(self) -> list[Event]:
        return [_read(file) for file in sorted(self._folder.iterdir())]


class OneProvider:
    """Every calendar that is not native lies at the same provider, and its shadow is always fresh."""

    def __init__(self, provider: FolderProvider) -> None:
        self._provider = provider

    def discover(self, calendar_id: str) -> CalendarRecord | None:
        return None

    def provider(self, calendar: CalendarRecord) -> FolderProvider:
        return self._provider

    def refresh(self, calendar: CalendarRecord, *, booking: bool) -> None:
        pass

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        return self._provider.busy(calendar.at_provider(), window)


def open_store(folder: Path, clock: Clock) -> SqliteStore:
    return SqliteStore(folder / "store.db", clock=clock, cursor_secret=b"a secret of the tests")


def open_bookings(
    folder: Path,
    clock: Clock,
    *,
    faults: Faults | None = None,
    cache: CalendarCache | None = None,
    actor: str = "ann",
    patient: bool = False,
    store: Store | None = None,
    scope: Scope = SCOPE,
) -> BookingService:
    """Bookings in the store of `folder`, with a provider in its folder `provider`; `patient` ones sleep really."""
    (folder / "provider").mkdir(exist_ok=True)
    gateway = OneProvider(FolderProvider(folder / "provider", faults))
    store = store or open_store(folder, clock)
    calendars = Calendars(store, scope, clock=clock, cache=cache, gateway=gateway, default_zone="America/New_York")
    backoff = Backoff(sleep=time.sleep if patient else lambda _: None, random=random.random, wait_seconds=5)
    return BookingService(calendars, actor=actor, random_bytes=os.urandom, backoff=backoff)


def connect_remote(bookings: BookingService) -> None:
    """The calendar REMOTE, at the provider."""
    bookings.calendars.create(
        CalendarRecord(
            id=REMOTE, name="Work", timezone="America/New_York", created_at=0, provider="google", remote_id="work"
        )
    )


def draft(
    minutes: int,
    length: int = 30,
    *,
    calendar: str = "primary",
    summary: str = "Meeting",
    idempotency_key: str | None = None,
    hold_id: str | None = None,
) -> Draft:
    """A slot of `length` minutes that begins so many minutes after NINE."""
    start = NINE + timedelta(minutes=minutes)
    return Draft(
        calendar_id=calendar,
        start=start,
        end=start + timedelta(minutes=length),
        summary=summary,
        idempotency_key=idempotency_key,
        hold_id=hold_id,
    )


def window(days: int = 30) -> Interval:
    """Return a window that begins a day before NINE."""
    start = milliseconds(NINE - timedelta(days=1))
    return Interval(start, start + days * 86_400_000)


def minutes_by_event(bookings: BookingService, calendar: str = "primary") -> dict[str, tuple[int, int]]:
    """Start and end, in minutes after NINE, of the events of the month by id."""
    shown = bookings.calendars.list_entries(bookings.calendars.find(calendar), window())
    nine = milliseconds(NINE)
    return {
        event.id: ((one.start - nine) // 60_000, (one.end - nine) // 60_000)
        for one in shown
        if one.kind == "event" and (event := event_of(one)) is not None
    }


def _read(file: Path) -> Event:
    data = file.read_bytes()
    return replace(decode_event(data), etag=_etag(data))


def _no_faults(_: str) -> None:
    pass


def _etag(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def file(bookings: BookingService, calendar_id: str, *events: Event) -> int:
    """Events from outside; how many of them were new or different."""
    calendars = bookings.calendars
    calendar = calendars.find_or_create(calendar_id)
    shadow = Shadow(calendars, calendar, Author("import", calendars.now(), os.urandom), among=events)
    came = list(shadow.take(events))
    for batch in batches([*came, *shadow.retire(events)], spare=1):
        calendar = write_batch(calendars, calendar, batch)
    return len(came)
