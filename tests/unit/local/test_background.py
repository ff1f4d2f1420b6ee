"""The worker beside the laptop server."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.events import Event, new_event
from almanac.local.background.reactions import FEED_WORKER, REACTIONS_WORKER, run_reactions
from almanac.platform.bus.notifier import Notifiers, NotifyingStore
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.worker import Pace
from almanac.platform.due.scheduling_store import SchedulingStore
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.silent import Silent

SECRET = b"the secret of these tests"


def _event(number: int) -> Event:
    payload = {"number": number}
    return new_event(
        "noted", Scope("acme", "main"), key="a", actor="ada", at=1, random_bytes=os.urandom, payload=payload
    )


def test_events_are_handled_while_it_serves_and_failures_are_reported(tmp_path: Path):
    path, clock, telemetry, notifiers = tmp_path / "store.db", SystemClock(), Silent(), Notifiers()
    store = SqliteStore(path, clock=clock, cursor_secret=SECRET)
    handled, arrived = [0], threading.Event()

    def handle(event: Event, services: Services) -> Sequence[Change]:
        assert isinstance(services.get(Store), SchedulingStore)
        assert services.get(Clock) is clock
        handled.append(event.payload["number"])
        if event.payload["number"] == 3:
            arrived.set()
        elif event.payload["number"] == 2 and handled.count(2) == 1:
            raise ValueError("once")
        return []

    reactions = [Reaction("numbers", frozenset(["noted"]), handle)]
    ringing = NotifyingStore(store, notifiers)
    with run_reactions(
        store, path, {REACTIONS_WORKER: reactions}, clock, telemetry, notifiers=notifiers, pace=Pace(poll=20)
    ):
        for number in (1, 2, 3):
            ringing.write(outbox([_event(number)]))
        assert arrived.wait(30)
    assert handled == [0, 1, 2, 2, 3]
    assert [str(defect) for defect in telemetry.defects] == ["once"]
    ringing.write(outbox([_event(4)]))
    assert handled[-1] == 3
    store.close()


def test_one_line_does_not_wait_for_another_and_loses_nothing_to_it(tmp_path: Path):
    path, clock, telemetry, notifiers = tmp_path / "store.db", SystemClock(), Silent(), Notifiers()
    store = SqliteStore(path, clock=clock, cursor_secret=SECRET)
    told: list[int] = []
    arrived, go_on = threading.Event(), threading.Event()

    def stuck(event: Event, services: Services) -> Sequence[Change]:
        assert go_on.wait(30)
        return []

    def tell(event: Event, services: Services) -> Sequence[Change]:
        told.append(event.payload["number"])
        if len(told) == 3:
            arrived.set()
        return []

    kinds = frozenset(["noted"])
    lines = {
        FEED_WORKER: [Reaction("tell", kinds, tell)],
        REACTIONS_WORKER: [Reaction("stuck", kinds, stuck)],
    }
    ringing = NotifyingStore(store, notifiers)
    with run_reactions(store, path, lines, clock, telemetry, notifiers=notifiers, pace=Pace(poll=20)):
        for number in (1, 2, 3):
            ringing.write(outbox([_event(number)]))
        assert arrived.wait(30)
        go_on.set()
    assert told == [1, 2, 3]
    store.close()


def test_a_line_that_is_new_begins_where_the_reactions_were(tmp_path: Path):
    """They did its work until now."""
    path, clock, notifiers = tmp_path / "store.db", SystemClock(), Notifiers()
    store = SqliteStore(path, clock=clock, cursor_secret=SECRET)
    kinds, told = frozenset(["noted"]), list[int]()
    seen = {number: threading.Event() for number in (1, 2)}

    def note(event: Event, services: Services) -> Sequence[Change]:
        told.append(event.payload["number"])
        seen[event.payload["number"]].set()
        return []

    store.write(outbox([_event(1)]))
    with run_reactions(
        store, path, {REACTIONS_WORKER: [Reaction("note", kinds, note)]}, clock, Silent(), notifiers=notifiers
    ):
        assert seen[1].wait(30)
    store.write(outbox([_event(2)]))
    both = {REACTIONS_WORKER: [], FEED_WORKER: [Reaction("note2", kinds, note)]}
    with run_reactions(store, path, both, clock, Silent(), notifiers=Notifiers()):
        assert seen[2].wait(30)
    assert told == [1, 2]
    store.close()
