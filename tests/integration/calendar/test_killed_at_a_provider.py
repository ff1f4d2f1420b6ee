"""Test servers that are killed while a CalDAV server does their request. Another process makes both agree."""

import random
import subprocess
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from click.testing import CliRunner

from almanac.families.calendar.model.events import instant_of
from almanac.families.time.core.zones import UTC_ZONE
from almanac.local.commands.calendar import calendar
from tests.integration.caldav.conftest import Account
from tests.integration.calendar.faulty_proxy import Exchange, FaultyProxy, Late, cut_in_headers, faulty
from tests.integration.calendar.persistent_client import PersistentClient
from tests.integration.calendar.race import (
    CLIENTS,
    ROUNDS,
    AnswerLost,
    Client,
    Slot,
    all_at_once,
    attempts,
    elsewhere,
    events_in,
    window,
    winner,
)
from tests.integration.calendar.servers import Servers
from tests.integration.local.server_process import ROOT, environment

LOCK_SECONDS = 5
KILLED_WITHIN = 1.0
AGENTS = CLIENTS // 2
WORK = "caldav/work"
ELSEWHERE = elsewhere(0)

pytestmark = pytest.mark.slow


class ServerPair:
    """Two servers on a folder that knows the account, whose CalDAV server is behind the proxy."""

    def __init__(self, servers: Servers, proxy: FaultyProxy, account: Account, folder: Path) -> None:
        self.servers = servers
        self.proxy = proxy
        self._account = account
        self._folder = folder

    def remote_slots(self) -> dict[str, Slot]:
        """Return the slots in the CalDAV server, by event id."""
        events = self._account.provider.changes(self._account.work, None).events
        return {event.id: Slot(instant_of(event.start, UTC_ZONE), instant_of(event.end, UTC_ZONE)) for event in events}

    def recover(self) -> None:
        """Run recovery in processes of their own once locks have lapsed, and again one lock later."""
        for seconds in (LOCK_SECONDS + 1, 40):
            self.recover_in(seconds)

    def recover_in(self, seconds: int) -> None:
        script = ROOT / "tests/integration/calendar/scheduled_work.py"
        command = [sys.executable, str(script), str(self._folder), str(seconds)]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def pair(tmp_path: Path, account: Account) -> Generator[ServerPair]:
    folder = tmp_path / "data"
    with faulty(account.url) as proxy, Servers(folder, LOCK_TTL_SECS=str(LOCK_SECONDS)) as servers:
        given = ["connect", "caldav", proxy.url, "--user", account.user, "--data", str(folder), "--timezone", "UTC"]
        connected = CliRunner().invoke(calendar, given, input="password\n")
        assert connected.exit_code == 0, connected.output
        yield ServerPair(servers, proxy, account, folder)


class HeldAnswer:
    """A request that was carried out while its answer does not come."""

    def __init__(self) -> None:
        self._done = Event()

    def __call__(self, exchange: Exchange) -> None:
        exchange.pass_on()
        self._done.set()
        exchange.await_disconnect()

    def await_held(self) -> None:
        assert self._done.wait(60)


def kill_during(pair: ServerPair, tool: str, fault: Late | HeldAnswer, **arguments: Any) -> None:
    """Kill the server while a call's write meets the fault."""
    pair.proxy.plan(fault)
    with ThreadPoolExecutor(1) as pool, closing(pair.servers.client(0)) as client:
        call = pool.submit(client.ask, tool, calendar_id=WORK, **arguments)
        fault.await_held()
        pair.servers.kill(0)
        with pytest.raises(AnswerLost):
            call.result()


def ask_for(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = client.ask(tool, calendar_id=WORK, **arguments)
    assert answer.result is not None, answer.said
    return answer.result


@pytest.mark.parametrize("arrives", ["at once", "before recovery", "after recovery"])
def test_a_booking_whose_server_was_killed_stands_here_and_there_or_nowhere(pair: ServerPair, arrives: str):
    slot, booking = window(0), {"summary": "Review", "idempotency_key": "k", **ELSEWHERE.times}
    late = Late()
    kill_during(pair, "book_slot", HeldAnswer() if arrives == "at once" else late, **booking)
    if arrives == "before recovery":
        late.let_through()
    pair.proxy.plan(cut_in_headers, frozenset({"GET"}))
    pair.recover()
    if arrives == "after recovery":
        late.let_through()

    with closing(pair.servers.client(1)) as client:
        again = ask_for(client, "book_slot", **booking)
        assert again["replayed"] == (arrives != "after recovery")
        assert pair.remote_slots() == {again["event_id"]: ELSEWHERE}
        assert events_in(client, WORK, slot) == {again["event_id"]: "Review"}


@pytest.mark.parametrize("arrives", ["at once", "before recovery", "after recovery"])
def test_a_move_whose_server_was_killed_is_made_or_not(pair: ServerPair, arrives: str):
    to = Slot(ELSEWHERE.start - timedelta(hours=2), ELSEWHERE.end - timedelta(hours=2))
    late = Late()
    with closing(pair.servers.client(1)) as client:
        booked = ask_for(client, "book_slot", summary="Review", **ELSEWHERE.times)
        fault = HeldAnswer() if arrives == "at once" else late
        kill_during(pair, "reschedule_booking", fault, booking_id=booked["booking_id"], **to.times)
        if arrives == "before recovery":
            late.let_through()
        pair.recover()
        left = to if arrives == "after recovery" else ELSEWHERE
        other = ask_for(client, "book_slot", summary="Other", **left.times)
        if arrives == "after recovery":
            late.let_through()
        ask_for(client, "cancel_booking", booking_id=other["booking_id"])

        stands = ELSEWHERE if arrives == "after recovery" else to
        assert pair.remote_slots() == {booked["event_id"]: stands}
        assert events_in(client, WORK, stands) == {booked["event_id"]: "Review"}


@pytest.mark.parametrize("arrives", ["at once", "before recovery", "after recovery"])
def test_a_cancellation_whose_server_was_killed_is_made(pair: ServerPair, arrives: str):
    late = Late()
    with closing(pair.servers.client(1)) as client:
        booked = ask_for(client, "book_slot", summary="Review", **ELSEWHERE.times)
        fault = HeldAnswer() if arrives == "at once" else late
        kill_during(pair, "cancel_booking", fault, booking_id=booked["booking_id"])
        if arrives == "before recovery":
            late.let_through()
        pair.recover()
        other = ask_for(client, "book_slot", summary="Other", **ELSEWHERE.times)
        if arrives == "after recovery":
            late.let_through()

        assert pair.remote_slots() == {other["event_id"]: ELSEWHERE}
        assert ask_for(client, "cancel_booking", booking_id=booked["booking_id"])["already"]


def test_a_lock_of_a_killed_server_lapses_and_holds_nothing_but_its_slot(pair: ServerPair):
    late = Late()
    kill_during(pair, "book_slot", late, summary="Review", **ELSEWHERE.times)
    with closing(pair.servers.client(1)) as client:
        began = time.monotonic()
        ask_for(client, "book_slot", summary="Beside", start=ELSEWHERE.end.isoformat(), end=window(0).end.isoformat())
        assert time.monotonic() - began < LOCK_SECONDS

        ask_for(client, "book_slot", summary="Instead", **ELSEWHERE.times)
        assert time.monotonic() - began < 3 * LOCK_SECONDS
    late.let_through()
    pair.recover()
    assert len(pair.remote_slots()) == 2


def test_killing_one_of_two_servers_in_every_round_leaves_one_event_and_no_orphan(pair: ServerPair):
    chance = random.Random(8)
    stands: dict[str, str] = {}
    lost = 0
    with ExitStack() as stack, ThreadPoolExecutor(AGENTS) as pool:
        clients = [stack.enter_context(closing(PersistentClient(pair.servers, each % 2))) for each in range(AGENTS)]
        for number in range(max(1, ROUNDS // 5)):
            victim = chance.randrange(2)

            def kill_and_start(victim: int = victim) -> None:
                time.sleep(chance.random() * KILLED_WITHIN)
                pair.servers.kill(victim)
                pair.servers.start(victim)

            outcomes = all_at_once(pool, clients, attempts(WORK, number, chance, AGENTS), kill_and_start)
            lost += sum(outcome.lost for outcome in outcomes)
            won = winner(outcomes)
            assert won.answer.result is not None
            stands[won.answer.result["event_id"]] = won.attempt.summary
            for place, client in enumerate(clients):
                client.move_to(place % 2)
    pair.recover()
    assert pair.remote_slots().keys() == stands.keys()
    for place in range(2):
        with closing(pair.servers.client(place)) as client:
            assert events_in(client, WORK, Slot(window(0).start, window(ROUNDS).end)) == stands
    assert lost, "no kill met a call under way"
