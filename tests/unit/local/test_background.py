"""The worker beside the laptop server."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.events import Event, new_event
from almanac.local.background import reacting
from almanac.platform.bus.bell import Bell, RingingStore
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.worker import Pace
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store
from almanac.platform.store.sqlite import SqliteStore
from tests.unit.gateway.silent import Silent

SECRET = b"the secret of these tests"


def _event(number: int) -> Event:
    payload = {"number": number}
    return new_event(
        "noted", Scope("acme", "main"), key="a", actor="ada", at=1, random_bytes=os.urandom, payload=payload
    )


def test_events_are_handled_while_it_serves_and_failures_are_reported(tmp_path: Path):
    path, clock, telemetry, bell = tmp_path / "store.db", SystemClock(), Silent(), Bell()
    store = SqliteStore(path, clock=clock, cursor_secret=SECRET)
    handled, arrived = [0], threading.Event()

    def handle(event: Event, services: Services) -> Sequence[Change]:
        assert services.get(Store) is store
        assert services.get(Clock) is clock
        handled.append(event.payload["number"])
        if event.payload["number"] == 3:
            arrived.set()
        elif event.payload["number"] == 2 and handled.count(2) == 1:
            raise ValueError("once")
        return []

    reactions = [Reaction("numbers", frozenset(["noted"]), handle)]
    ringing = RingingStore(store, bell)
    with reacting(store, path, reactions, clock, telemetry, bell=bell, pace=Pace(poll=20)):
        for number in (1, 2, 3):
            ringing.write(outbox([_event(number)]))
        assert arrived.wait(30)
    assert handled == [0, 1, 2, 2, 3]
    assert [str(defect) for defect in telemetry.defects] == ["once"]
    ringing.write(outbox([_event(4)]))
    assert handled[-1] == 3
    store.close()
