"""The laptop's live feed: many listeners, told within a second, nothing missing after being cut off.

ALMANAC_FULL=1 takes 100 listeners and 1,000 broadcasts.
"""

import asyncio
import json
import os
import random
import signal
import socket as sockets
import subprocess
import threading
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from almanac.families.team.messages.broadcasts import plan_broadcast
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.local.data_folder import DataFolder
from almanac.platform.store.port import Store
from tests.doubles.writers import SomeWriter
from tests.integration.feed_listeners import Listener
from tests.integration.local.server_process import ALMANAC, Server, almanac, environment, run_server

FULL = os.environ.get("ALMANAC_FULL") == "1"
LISTENERS, BROADCASTS, CUTS = (100, 1000, 3) if FULL else (20, 200, 3)
KEYS = 10
HERE = Scope("default", "default")


class Feed:
    """A server, the store behind it, and its address."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.store: Store = DataFolder(folder).open_store(SystemClock())
        self.url = f"ws://127.0.0.1:{server.port}/feed"
        self.key = server.key or ""

    def tell(self, number: int, scope: Scope = HERE, key: str | None = None) -> None:
        """Write a broadcast as set_broadcast does."""
        at = int(time.time() * 1000)
        named = key or f"key-{number % KEYS}"
        self.store.write(plan_broadcast(SomeWriter(self.store, scope, os.urandom), named, number, at=at).changes)

    def issue(self, tenant: str, project: str = "default", **more: Any) -> str:
        tenants = Tenants(self.store, SystemClock())
        if not tenants.exists(tenant):
            tenants.create(tenant)
        keys = ApiKeys(self.store, SystemClock(), os.urandom)
        return keys.issue(Grant(tenant=tenant, project=project, actor="ann", **more)).key.text


@pytest.fixture(scope="module")
def feed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Feed]:
    folder = tmp_path_factory.mktemp("feed")
    with run_server([ALMANAC, "serve", "--port", "0", "--data", folder]) as server:
        yield Feed(server, folder)
        assert server.stop() == 0
        assert server.log == []


def numbers(events: Iterable[dict[str, Any]]) -> list[int]:
    return [event["payload"]["value"] for event in events]


async def _listen_while_telling(feed: Feed, cuts: int) -> list[Listener]:
    chance = random.Random(11)
    listeners = [Listener(feed.url, feed.key, BROADCASTS, cuts, chance) for _ in range(LISTENERS)]
    async with asyncio.timeout(90), asyncio.TaskGroup() as tasks:
        for listener in listeners:
            tasks.create_task(listener.run())
        for listener in listeners:
            await listener.subscribed.wait()

        def tell() -> None:
            for number in range(BROADCASTS):
                feed.tell(number)
                if number % 10 == 9:
                    threading.Event().wait(0.02)

        await asyncio.to_thread(tell)
    return listeners


@pytest.mark.slow
def test_every_listener_is_told_everything_within_a_second(feed: Feed):
    # What else the machine does delays some round, a defect all of them.
    assert any(_milliseconds_of_a_round(feed) <= 1000 for _ in range(3))


def _milliseconds_of_a_round(feed: Feed) -> float:
    """Return the time from announcement to listener that 99 % of the deliveries stay under."""
    listeners = asyncio.run(_listen_while_telling(feed, cuts=0))
    assert all(numbers(each.events) == list(range(BROADCASTS)) for each in listeners)
    taken = [each for listener in listeners for each in listener.milliseconds]
    p50, p99 = quantiles(taken, n=100)[49], quantiles(taken, n=100)[98]
    print(f"{len(taken)} deliveries: p50 {p50:.0f} ms, p99 {p99:.0f} ms, max {max(taken):.0f} ms")
    assert len(taken) == LISTENERS * BROADCASTS
    return p99


@pytest.mark.slow
def test_listeners_that_are_cut_off_miss_nothing_and_get_nothing_twice(feed: Feed):
    listeners = asyncio.run(_listen_while_telling(feed, cuts=CUTS))
    assert all(each.connections == CUTS + 1 for each in listeners)
    # The writes come from one thread, so even the order across keys is theirs.
    assert all(numbers(each.events) == list(range(BROADCASTS)) for each in listeners)


def _subscribe(socket: Any, **wanted: Any) -> dict[str, Any]:
    socket.send(json.dumps({"type": "subscribe", **wanted}))
    while True:
        frame = json.loads(socket.recv(timeout=60))
        if frame["type"] != "ready":
            return frame


def _next(socket: Any) -> list[dict[str, Any]]:
    return json.loads(socket.recv(timeout=60))["events"]


def test_kinds_and_keys_narrow_what_is_told_and_other_tenants_hear_nothing(feed: Feed):
    with (
        connect(feed.url, additional_headers={"authorization": f"Bearer {feed.key}"}) as narrow,
        connect(feed.url, additional_headers={"x-api-key": feed.issue("rival")}) as rival,
    ):
        assert _subscribe(narrow, kinds=["broadcast_set"], keys=["wanted*"])["type"] == "subscribed"
        assert _subscribe(rival)["type"] == "subscribed"
        for number, key in enumerate(["other", "wanted/a", "unwanted", "wanted"]):
            feed.tell(number, key=key)
        heard = _next(narrow)
        while len(heard) < 2:
            heard += _next(narrow)
        assert numbers(heard) == [1, 3]
        feed.tell(7, Scope("rival", "default"))
        assert numbers(_next(rival)) == [7]
        foreign = heard[0]["cursor"]
        assert _subscribe(rival, since=foreign)["code"] == "invalid_input"


def _close_code(socket: Any) -> int:
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=60)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def test_a_browser_says_its_key_first_and_a_key_in_the_url_is_not_looked_at(feed: Feed):
    with connect(feed.url) as socket:
        socket.send(json.dumps({"type": "authenticate", "key": feed.key}))
        assert json.loads(socket.recv(timeout=60)) == {"type": "ready", "project": "default"}
        assert _subscribe(socket)["type"] == "subscribed"
    with connect(f"{feed.url}?key={feed.key}") as socket:
        assert _subscribe(socket)["code"] == "unauthorized"
        assert _close_code(socket) == 4401


@pytest.mark.parametrize(
    ("said", "code", "closed"),
    [
        ({"type": "authenticate", "key": "alm_abcdefghij_wrong"}, "unauthorized", 4401),
        ({"type": "nothing"}, "invalid_input", 4400),
        ("{", "invalid_input", 4400),
    ],
)
def test_what_cannot_be_let_in_is_told_why(feed: Feed, said: Any, code: str, closed: int):
    with connect(feed.url) as socket:
        socket.send(said if isinstance(said, str) else json.dumps(said))
        assert json.loads(socket.recv(timeout=60))["code"] == code
        assert _close_code(socket) == closed


def test_a_key_without_the_team_family_may_not_listen(feed: Feed):
    key = feed.issue("narrow", families=("time",))
    with connect(feed.url, additional_headers={"x-api-key": key}) as socket:
        assert json.loads(socket.recv(timeout=60))["code"] == "forbidden"
        assert _close_code(socket) == 4403


def test_there_is_no_other_socket(feed: Feed):
    with pytest.raises(InvalidStatus) as refused, connect(feed.url.replace("/feed", "/mcp")):
        pass
    assert refused.value.response.status_code == 403


def test_requests_are_answered_while_sockets_are_open(feed: Feed):
    with connect(feed.url, additional_headers={"x-api-key": feed.key}) as socket:
        _subscribe(socket)
        assert feed.server.request("GET", "/health").status == 200


def test_the_command_line_refuses_a_server_that_is_not_there(tmp_path: Path, feed: Feed):
    with sockets.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        done = almanac("watch", "--url", url, "--data", feed.folder)
    assert done.returncode == 2
    assert "almanac serve" in done.stderr


def test_the_command_line_shows_what_happens_and_begins_after_a_cursor(feed: Feed):
    command = [str(ALMANAC), "watch", "--json", "--url", feed.url, "--data", str(feed.folder), "--key", "watched*"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment(), **pipes) as watching:
        assert watching.stdout is not None
        assert watching.stderr is not None
        assert watching.stderr.readline() == "Listening.\n"
        for number in range(3):
            feed.tell(number, key=f"watched/{number}")
        told = [json.loads(watching.stdout.readline()) for _ in range(3)]
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=30) == 0
    assert numbers(told) == [0, 1, 2]
    later = [*command[:2], *command[3:], "--since", told[0]["cursor"]]
    with subprocess.Popen(later, env=environment(), **pipes) as again:
        assert again.stdout is not None
        line = again.stdout.readline()
        again.send_signal(signal.SIGINT)
        assert again.wait(timeout=30) == 0
    assert "broadcast_set" in line
    assert "watched/1" in line


def test_the_command_line_tells_of_a_key_that_is_refused(feed: Feed):
    key = feed.issue("narrow", families=("time",))
    done = almanac("watch", "--url", feed.url, ALMANAC_API_KEY=key)
    assert done.returncode == 1
    assert "may not use the family team" in done.stderr


@pytest.mark.slow
def test_a_server_that_stops_tells_its_listeners_and_waits_for_none(tmp_path: Path):
    with run_server([ALMANAC, "serve", "--port", "0", "--data", tmp_path]) as server:
        here = Feed(server, tmp_path)
        with connect(here.url, additional_headers={"x-api-key": here.key}) as socket:
            cursor = _subscribe(socket)["cursor"]
            assert server.stop() == 0
            assert _close_code(socket) == 1012
        here.tell(1)
    with run_server([ALMANAC, "serve", "--port", "0", "--data", tmp_path]) as server:
        here = Feed(server, tmp_path)
        with connect(here.url, additional_headers={"x-api-key": here.key}) as socket:
            assert _subscribe(socket, since=cursor)["type"] == "subscribed"
            assert numbers(_next(socket)) == [1]
