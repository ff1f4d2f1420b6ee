"""Test how soon a message reaches waiting readers of a laptop's server: eight agents and more, and the channel."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import quantiles
from typing import Any, Self

import pytest

from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.kernel.clock import SystemClock
from almanac.local.client.tool_calls import Failed, Session
from almanac.local.data_folder import DataFolder
from almanac.platform.store.port import Store
from tests.integration.local.channel_client import Network, channel_client
from tests.integration.local.server_process import ALMANAC, Server, call_message, run_server

FULL = os.environ.get("ALMANAC_FULL") == "1"
READERS, ROUNDS = (20, 50) if FULL else (10, 3)
P95_SECONDS = 1.0


def answer(server: Server, key: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return server.post(call_message(tool, **arguments), x_api_key=key).json["result"]["structuredContent"]


def issue(store: Store, actor: str) -> str:
    grant = Grant(tenant="default", project="default", actor=actor)
    return ApiKeys(store, SystemClock(), os.urandom).issue(grant).key.text


@pytest.mark.slow
def test_a_message_reaches_all_who_wait_for_it_within_a_second(tmp_path: Path) -> None:
    """More readers than a tenant has threads wait, and the sender still has its turn."""
    with run_server([ALMANAC, "serve", "--port", "0", "--data", tmp_path]) as server:
        store = DataFolder(tmp_path).open_store(SystemClock())
        issued = [issue(store, f"agent{each}") for each in range(READERS)]

        def wait(key: str, seen: int) -> float:
            while True:
                found = answer(server, key, "read_inbox", limit=50, wait_ms=20_000)
                if len(found["messages"]) > seen:
                    return time.monotonic()

        p95_of_rounds: list[float] = []
        with ThreadPoolExecutor(READERS) as readers:
            for number in range(ROUNDS):
                waiting = [readers.submit(wait, key, number) for key in issued]
                # Calls of a tenant begin in their order: after these, the readers wait.
                for _ in range(READERS):
                    answer(server, server.key or "", "list_reviews")
                letter = {"to": ["everybody"], "subject": str(number), "body": ""}
                sent = time.monotonic()
                answer(server, server.key or "", "send_message", **letter)
                p95_of_rounds.append(quantiles([each.result() - sent for each in waiting], n=20)[-1])
        # A busy machine delays some round, a defect all of them.
        assert min(p95_of_rounds) < P95_SECONDS


@pytest.mark.parametrize(
    ("rounds", "letters", "more"),
    [
        pytest.param(3, 12, 5, marks=pytest.mark.slow),
        pytest.param(20, 40, 10, marks=[pytest.mark.soak, pytest.mark.timeout(3600)]),
    ],
)
def test_mail_reaches_a_waiting_reader_and_the_channel_and_none_is_lost(
    tmp_path: Path, rounds: int, letters: int, more: int
) -> None:
    """Each round sends letters one after another, and `more` while the network of both readers is cut."""
    with run_server([ALMANAC, "serve", "--port", "0", "--data", tmp_path]) as server:
        store = DataFolder(tmp_path).open_store(SystemClock())
        ann = issue(store, "ann")
        with (
            closing(Network(server.port)) as network,
            channel_client(f"http://127.0.0.1:{network.port}/mcp", ann, tmp_path) as client,
            Reader(network.port, ann) as reader,
        ):
            sent: set[str] = set()
            of_rounds: list[tuple[float, float]] = []
            for number in range(rounds):
                sender = issue(store, f"sender{number}")
                took: list[tuple[float, float]] = []
                for _ in range(letters):
                    began = time.monotonic()
                    sent.add(one := _send(server, sender))
                    assert not client.wait({one})
                    assert not reader.wait({one})
                    took.append((reader.at[one] - began, client.at(one) - began))
                network.cut()
                sent |= {_send(server, sender) for _ in range(more)}
                network.mend()
                assert not client.wait(sent)
                assert not reader.wait(sent)
                # The first of all also waits until both have come.
                readers, channels = zip(*took[1:], strict=True)
                of_rounds.append((quantiles(readers, n=20)[-1], quantiles(channels, n=20)[-1]))
            assert len(client.seen) == len({meta["id"] for meta, _, _ in client.seen}) == len(sent)
            assert reader.at.keys() == sent
        print("p95 of the rounds, read_inbox and channel:", [f"{a:.2f} {b:.2f}" for a, b in of_rounds])
        # What else the machine does delays some round, a defect all of them.
        assert any(max(each) <= P95_SECONDS for each in of_rounds)


def _send(server: Server, sender: str) -> str:
    return answer(server, sender, "send_message", to=["ann"], subject="s", body="b")["message"]["id"]


class Reader:
    """Waits in read_inbox for one message after another, and asks again where the network fails. `at` is when each
    message came, by its id."""

    def __init__(self, port: int, key: str) -> None:
        self.at: dict[str, float] = {}
        self._port, self._key = port, key
        self._changed = threading.Condition()
        self._is_done = False
        self._reading = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._reading.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_done = True
        self._reading.join()

    def wait(self, wanted: set[str], seconds: float = 60) -> set[str]:
        """Wait for all messages, and return the missing ones."""
        with self._changed:
            self._changed.wait_for(lambda: wanted <= self.at.keys(), seconds)
            return wanted - self.at.keys()

    def _read(self) -> None:
        cursor: str | None = None
        session = Session(f"http://127.0.0.1:{self._port}/mcp", self._key)
        while not self._is_done:
            try:
                box = session.call("read_inbox", {"wait_ms": 2000, **({"cursor": cursor} if cursor else {})}).structured
            except Failed:
                continue
            cursor = box["next_cursor"]
            with self._changed:
                self.at |= {one["id"]: time.monotonic() for one in box["messages"]}
                self._changed.notify_all()
        session.close()
