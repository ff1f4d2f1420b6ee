"""Installations of Almanac that share nothing but an account at a CalDAV server."""

import os
import random
import time
from collections.abc import Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from threading import Barrier

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.model.events import Event, instant_of
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Conflict
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.integration.caldav.conftest import Account

WORK = "caldav/work"
SCOPE = Scope("acme", "main")
FIRST = datetime(2031, 3, 3, 9, tzinfo=UTC)
ROUND = timedelta(hours=6)


class Installation:
    """A data folder, with the account connected."""

    def __init__(self, folder: Path, account: Account, addresses: tuple[str, ...] = ()) -> None:
        folder.mkdir()
        clock = SystemClock()
        self._clock = clock
        self._store = SqliteStore(folder / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
        self._folder = folder
        self._environment = NetworkEnvironment(clock, time.sleep, random.random, NetworkPolicy(private=True))
        connector = self._connector()
        connector.connect_caldav(
            "home", account.url, account.user, "password", timezone="Europe/Berlin", addresses=addresses
        )

    def bookings(self, actor: str = "ann") -> BookingService:
        calendars = Calendars(self._store, SCOPE, clock=self._clock, gateway=self._connector().connected)
        return BookingService(
            calendars, actor=actor, random_bytes=os.urandom, backoff=Backoff(time.sleep, random.random)
        )

    def close(self) -> None:
        self._store.close()

    def _connector(self) -> Connector:
        sealer = KeyFileSealer(self._folder / "key", os.urandom)
        return Connector(self._store, SCOPE, sealer=sealer, environment=self._environment, random_bytes=os.urandom)


@contextmanager
def installations(folder: Path, account: Account, number: int) -> Generator[list[Installation]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(closing(Installation(folder / f"installation{each}", account)))
            for each in range(number)
        ]


def hours(number: int, chance: random.Random) -> tuple[datetime, datetime]:
    """Return begin and end of a round's slot.

    Each slot has the round's middle hour, and up to an hour more on each side.
    """
    middle = FIRST + number * ROUND
    start = middle - timedelta(minutes=chance.randrange(60))
    return start, middle + timedelta(minutes=60 + chance.randrange(60))


def slot(number: int, chance: random.Random) -> Draft:
    """The slot of a round."""
    start, end = hours(number, chance)
    return Draft(calendar_id=WORK, start=start, end=end, summary=f"Round {number}")


def race(pool: Executor, rivals: list[BookingService], drafts: list[Draft]) -> list[Event | Conflict]:
    """Let all clients book their slots at the same moment, and return their answers."""
    gate = Barrier(len(rivals))

    def compete(bookings: BookingService, draft: Draft) -> Event | Conflict:
        gate.wait()
        try:
            return bookings.book(draft).event
        except Conflict as told:
            return told

    return list(pool.map(compete, rivals, drafts))


def events_at_server(account: Account) -> list[Event]:
    """Return the events in the server, by start."""
    events = account.provider.changes(account.work, None).events
    return sorted(events, key=lambda event: instant_of(event.start, UTC_ZONE))


def overlapping_pairs(events: list[Event]) -> list[tuple[str, str]]:
    spans = [(instant_of(one.start, UTC_ZONE), instant_of(one.end, UTC_ZONE), one.summary) for one in events]
    return [(one[2], other[2]) for one, other in pairwise(sorted(spans)) if other[0] < one[1]]


def check_rounds(folder: Path, account: Account, wanted: int, clients: int, *, number: int = 2) -> None:
    """Run races of so many clients, spread over `number` installations, until `wanted` of them had a winner.

    At most one booking survives in each round. It is the confirmed one, and all other clients were refused. How often
    all clients prevent each other depends on the load of the machine, so only a majority of such rounds is a defect.
    """
    chance = random.Random(7)
    won = 0
    with installations(folder, account, number) as made:
        rivals = [made[client % number].bookings(f"client{client}") for client in range(clients)]

        with ThreadPoolExecutor(clients) as pool:
            for each in range(2 * wanted):
                told = race(pool, rivals, [slot(each, chance) for _ in rivals])
                confirmed = [one.id for one in told if isinstance(one, Event)]
                refused = {one.code for one in told if isinstance(one, Conflict)}
                standing = [event.id for event in events_at_server(account) if event.summary == f"Round {each}"]
                assert len(standing) <= 1, (each, standing)
                assert standing == confirmed, each
                assert refused <= {"slot_taken", "slot_pending"}, refused
                won += len(confirmed)
                if won == wanted:
                    break
    assert overlapping_pairs(events_at_server(account)) == []
    assert won == wanted
