"""How soon a message reaches agents that wait for it at a laptop's server, which eight and more of them may do."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest

from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.kernel.clock import SystemClock
from almanac.local.data_folder import DataFolder
from tests.integration.local.server_process import ALMANAC, Server, called, running

FULL = os.environ.get("ALMANAC_FULL") == "1"
READERS, ROUNDS = (20, 50) if FULL else (10, 3)
P95_SECONDS = 1.0


def answer(server: Server, key: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return server.post(called(tool, **arguments), x_api_key=key).json["result"]["structuredContent"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_message_reaches_all_who_wait_for_it_within_a_second(tmp_path: Path) -> None:
    """More readers than a tenant has threads wait, and the sender still has its turn."""
    with running([ALMANAC, "serve", "--port", "0", "--data", tmp_path]) as server:
        store = DataFolder(tmp_path).open_store(SystemClock())
        keys = ApiKeys(store, SystemClock(), os.urandom)
        issued = [
            keys.issue(Grant(tenant="default", project="default", actor=f"agent{each}")).key.text
            for each in range(READERS)
        ]

        def wait(key: str, seen: int) -> float:
            while True:
                found = answer(server, key, "read_inbox", limit=50, wait_ms=20_000)
                if len(found["messages"]) > seen:
                    return time.monotonic()

        took: list[float] = []
        with ThreadPoolExecutor(READERS) as readers:
            for number in range(ROUNDS):
                waiting = [readers.submit(wait, key, number) for key in issued]
                # Calls of a tenant begin in their order: after these, the readers wait.
                for _ in range(READERS):
                    answer(server, server.key or "", "list_reviews")
                letter = {"to": ["everybody"], "subject": str(number), "body": ""}
                sent = time.monotonic()
                answer(server, server.key or "", "send_message", **letter)
                took += [each.result() - sent for each in waiting]
        assert quantiles(took, n=20)[-1] < P95_SECONDS
