"""A calendar at a provider behind a faulty proxy, seen through our services and, past the proxy, as it is."""

import os
import random
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, instant_of
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import AlmanacError
from almanac.kernel.instants import milliseconds
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.integration.calendar.faulty_proxy import FaultyProxy

NOW = datetime(2031, 3, 1, 12, tzinfo=UTC)
NINE = datetime(2031, 3, 3, 9, tzinfo=UTC)
LOCK = timedelta(seconds=31)
_SCOPE = Scope("acme", "main")
_SECONDS = 0.5
_PATIENT_SECONDS = 60
"""How long a call waits where no fault is planned: a busy machine is no fault."""

Times = tuple[int, int]
"""Start and end, in minutes after NINE."""


class RemoteCalendarUnderTest:
    """`connect` makes the account known; `look` reads every event at the provider, past the proxy."""

    def __init__(
        self,
        folder: Path,
        proxy: FaultyProxy,
        connect: Callable[[Connector], object],
        look: Callable[[], Iterable[Event]],
        *,
        google_tokens: str | None = None,
    ) -> None:
        self.clock = FixedClock(NOW)
        self.proxy = proxy
        self._folder = folder
        self._look = look
        self._store = SqliteStore(folder / "store.db", clock=self.clock, cursor_secret=b"the secret of these tests")
        self._google_tokens = google_tokens
        connector = self._connector(_PATIENT_SECONDS)
        connect(connector)
        (calendar,) = [one for one in connector.calendars.list_calendars() if not one.is_native]
        self.id = calendar.id

    def bookings(self, actor: str = "ann", *, seconds: float = _SECONDS) -> BookingService:
        """Open the calendar as another process would. The provider has `seconds` to answer, and no retry waits."""
        calendars = Calendars(self._store, _SCOPE, clock=self.clock, gateway=self._connector(seconds).connected)
        backoff = Backoff(_no_pause, random.random)
        return BookingService(calendars, actor=actor, random_bytes=os.urandom, backoff=backoff)

    def draft(self, minutes: int, length: int = 30, *, key: str | None = None) -> Draft:
        start = NINE + timedelta(minutes=minutes)
        end = start + timedelta(minutes=length)
        return Draft(calendar_id=self.id, start=start, end=end, summary=f"At {minutes}", idempotency_key=key)

    def recover(self) -> None:
        """Run the job while locks lapse, until it has looked at everything twice, then read the calendar once."""
        self.proxy.heal()
        bookings = self.bookings("recovery", seconds=_PATIENT_SECONDS)
        for _ in range(3):
            self.clock.instant += LOCK
            assert not bookings.recover().failed
        self.clock.instant += 2 * LOCK
        bookings.calendars.readable(self.id)

    def events_shown(self) -> dict[str, Times]:
        """Return the events that tools show here."""
        bookings = self.bookings(seconds=_PATIENT_SECONDS)
        start = milliseconds(NINE - timedelta(days=1))
        window = Interval(start, start + 30 * 86_400_000)
        shown = bookings.calendars.list_entries(bookings.calendars.find(self.id), window)
        assert not [one for one in shown if one.kind == "operation"]
        events = [event_of(one) for one in shown]
        return {event.id: times_of(event) for event in events if event is not None}

    def events_at_provider(self) -> dict[str, Times]:
        """Return the events in the provider's calendar."""
        return {event.id: times_of(event) for event in self._look()}

    def assert_agreement(self) -> dict[str, Times]:
        """Assert that calendar and provider hold the same events, and none twice."""
        standing = self.events_shown()
        assert standing == self.events_at_provider()
        spans = sorted(standing.values())
        assert all(one[1] <= other[0] for one, other in pairwise(spans)), spans
        return standing

    def close(self) -> None:
        self._store.close()

    def _connector(self, seconds: float) -> Connector:
        sealer = KeyFileSealer(self._folder / "key", os.urandom)
        environment = NetworkEnvironment(
            clock=self.clock,
            sleep=_no_pause,
            random=random.random,
            policy=NetworkPolicy(private=True),
            seconds=seconds,
            google_api=self.proxy.url if self._google_tokens is not None else None,
            google_tokens=self._google_tokens,
        )
        return Connector(self._store, _SCOPE, sealer=sealer, environment=environment, random_bytes=os.urandom)


def _no_pause(_: float) -> None:
    pass


def times_of(event: Event) -> Times:
    start, end = (int((instant_of(when, UTC_ZONE) - NINE).total_seconds() // 60) for when in (event.start, event.end))
    return start, end


def error_of(action: Callable[[], object]) -> AlmanacError | None:
    """Return the error of a call that must fail."""
    try:
        action()
    except AlmanacError as problem:
        return problem
    return None
