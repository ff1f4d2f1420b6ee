"""Test rounds of bookings, moves and cancellations in which any request to the provider may fail or outlast the lock.

Requests of recovery may fail as well. Answers to callers stay true.
"""

import os
import random
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest

from almanac.families.calendar.booking.refusals import OutcomeUnknown
from almanac.kernel.errors import AlmanacError
from tests.integration.calendar.faulty_proxy import (
    Fault,
    cut_before,
    cut_half_way,
    cut_in_head,
    cut_in_headers,
    fail_afterwards,
    refuse_with,
    silent,
    slow,
)
from tests.integration.calendar.remote_calendar import LOCK, NINE, RemoteCalendarUnderTest, Times

ROUNDS = int(os.environ.get("ALMANAC_RACE_ROUNDS", "50"))
SEED = int(os.environ.get("ALMANAC_RACE_SEED", "7"))
CALLS = 3
FAULTS: tuple[Fault, ...] = (
    *(cut_before, cut_in_head, cut_in_headers, cut_half_way, silent),
    *(fail_afterwards(500), fail_afterwards(503), refuse_with(500), refuse_with(503)),
)
STARTS = range(0, 600, 10)

pytestmark = pytest.mark.slow


class Agent:
    """Calls at random and records the answers: the place of each booking, and changes with an unknown outcome.

    An outcome is unknown if the provider did not answer, or if another agent was just settling the booking.
    """

    def __init__(self, remote: RemoteCalendarUnderTest, chance: random.Random) -> None:
        self._remote = remote
        self._chance = chance
        self.told: dict[str, Times] = {}
        self._doubtful: list[tuple[str | None, Times | None]] = []

    def call(self) -> None:
        calls: list[Callable[[], None]] = [self._book, *([self._move, self._cancel] if self.told else [])]
        with suppress(AlmanacError):
            self._chance.choice(calls)()

    def look(self, found: dict[str, Times]) -> None:
        """Settle doubtful changes by the events found."""
        for event_id, wanted in self._doubtful:
            if event_id is None:
                self.told |= {one: times for one, times in found.items() if times == wanted and one not in self.told}
            elif found.get(event_id) == wanted and event_id in self.told:
                self._becomes(event_id, wanted)
        self._doubtful.clear()

    def _book(self) -> None:
        start, length = self._chance.choice(STARTS), self._chance.choice((10, 20, 60))
        with self._note_doubt(None, (start, start + length)):
            booked = self._remote.bookings().book(self._remote.draft(start, length)).event
            self.told[booked.id] = (start, start + length)

    def _move(self) -> None:
        moving, start = self._chance.choice(list(self.told)), self._chance.choice(STARTS)
        began, ended = self.told[moving]
        wanted = (start, start + ended - began)
        with self._note_doubt(moving, wanted):
            self._remote.bookings().reschedule(self._remote.id, moving, NINE + timedelta(minutes=start), None)
            self.told[moving] = wanted

    def _cancel(self) -> None:
        leaving = self._chance.choice(list(self.told))
        with self._note_doubt(leaving, None):
            self._remote.bookings().cancel(self._remote.id, leaving)
            del self.told[leaving]

    @contextmanager
    def _note_doubt(self, event_id: str | None, wanted: Times | None) -> Generator[None]:
        try:
            yield
        except AlmanacError as problem:
            if isinstance(problem, OutcomeUnknown) or "longer to answer" in problem.message:
                self._doubtful.append((event_id, wanted))
            raise

    def _becomes(self, event_id: str, times: Times | None) -> None:
        if times is None:
            del self.told[event_id]
        else:
            self.told[event_id] = times


def test_what_was_told_is_what_stands_here_and_there_after_every_round(remote: RemoteCalendarUnderTest):
    chance = random.Random(SEED)
    agent = Agent(remote, chance)

    def recover_later() -> None:
        remote.clock.instant += LOCK
        remote.bookings("recovery").recover()

    def let_lock_lapse() -> None:
        remote.clock.instant += LOCK

    late = [
        slow(before=recover_later),
        slow(after=recover_later),
        slow(before=let_lock_lapse),
        slow(after=let_lock_lapse),
    ]
    stood = 0
    for number in range(ROUNDS):
        for _ in range(CALLS):
            for _ in range(2):
                remote.proxy.plan(slow(), None, times=chance.randrange(8))
                remote.proxy.plan(chance.choice([*FAULTS, *late]), None, times=chance.choice((1, 1, 2, 5)))
            agent.call()
            if chance.random() < 0.3:
                recover_later()
            remote.proxy.heal()
        remote.recover()
        found = remote.assert_agreement()
        agent.look(found)

        assert found == agent.told, number
        stood += len(found)
    assert stood
