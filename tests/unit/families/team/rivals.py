"""Threads that claim, hold and release overlapping keys, and check that no other thread holds them."""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.key_syntax import parse_key
from almanac.families.team.claims.requests import AcquiredClaim
from almanac.families.team.core.project import Project
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.errors import Unavailable
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from tests.doubles.observed_store import ObservedStore
from tests.unit.families.team.teams import Team, open_project

T = TypeVar("T")

CLIENTS = 8
KEYS = (
    *("src/a.py", "src/b.py", "src/*.py", "src/a*", "src/", "src/lib/x", "src/lib", "src/a.py/x", "story:1"),
    *("/w/src/a.py", "/v/src/*.py"),
)
TTL = 60_000


class Interruption:
    """Runs `act` once, ahead of step `step`."""

    def __init__(self, step: int, act: Callable[[], None]) -> None:
        self._step = step
        self._act = act
        self.steps = 0

    def __call__(self) -> None:
        self.steps += 1
        if self.steps == self._step:
            self._act()


def project_of(store: Store, clock: FixedClock, before: Callable[[], None] = lambda: None) -> Project:
    """A project whose every pause takes a second of the clock's."""

    def sleep(_: float) -> None:
        clock.instant += timedelta(seconds=1)

    project = open_project(ObservedStore(store, lambda _: before()), clock)
    return replace(project, backoff=Backoff(sleep=sleep, random=lambda: 1.0))


def claims_of(team: Team, clock: FixedClock, before: Callable[[], None] = lambda: None) -> Claims:
    return Claims(project_of(team.store, clock, before))


class Witness:
    """Records the holder of each key, as the holders themselves see it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, str] = {}
        self.wins = 0

    def enter(self, key: str, holder: str) -> None:
        with self._lock:
            self.wins += 1
            for other, by in self._held.items():
                assert by == holder or not parse_key(other).overlaps(parse_key(key)), f"{key} and {other} are both held"
            self._held[key] = holder

    def leave(self, key: str) -> None:
        with self._lock:
            del self._held[key]


def insist(call: Callable[[], T]) -> T:
    """Repeat a call for as long as others are in its way, as its refusal says to do."""
    while True:
        try:
            return call()
        except Unavailable:
            continue


def contend(store: Store, scope: Scope, clock: Clock, wanted: int) -> None:
    """Claim and release overlapping keys in threads until the keys were held `wanted` times.

    The number of tries depends on the load of the machine, so successes are counted and not tries. Raises
    AssertionError if two threads hold overlapping keys.
    """
    witness, gate = Witness(), threading.Barrier(CLIENTS)

    def client(number: int) -> None:
        chance = random.Random(number)

        def dawdle() -> None:
            time.sleep(chance.random() * 0.002)

        project = open_project(ObservedStore(store, lambda _: dawdle()), clock, scope=scope)
        claims = Claims(replace(project, backoff=Backoff(sleep=time.sleep, random=chance.random)))
        holder = f"h{number}"
        gate.wait(timeout=60)
        while witness.wins < wanted:
            key = chance.choice(KEYS)
            if isinstance(insist(partial(claims.acquire, key, holder, TTL)), AcquiredClaim):
                witness.enter(key, holder)
                dawdle()
                witness.leave(key)
                insist(partial(claims.release, key, holder))

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(client, range(CLIENTS)))
