"""Eight clients claim overlapping keys through MCP over HTTP, from two server processes on one data folder.

ALMANAC_CLAIM_OPERATIONS=1500 runs so many operations per client: long enough for claims to run out meanwhile.
"""

import os
import sys
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.local.server_process import ROOT, Server, call_message, run_server
from tests.integration.team.claim_clients import check, histories, over_http

CLIENTS = 8
OPERATIONS = int(os.environ.get("ALMANAC_CLAIM_OPERATIONS", "200"))

pytestmark = pytest.mark.slow


@pytest.fixture
def servers(tmp_path: Path) -> Generator[list[Server]]:
    """Two processes; the second finds the first one's key."""
    command = [sys.executable, ROOT / "tests/integration/team/team_server.py", tmp_path / "data"]
    with ExitStack() as stack:
        yield [stack.enter_context(run_server(command)) for _ in range(2)]


def test_claims_of_keys_and_globs_are_linearizable_and_never_have_two_holders(servers: list[Server]):
    clients = [over_http(server.url, server.key or "") for server in servers * (CLIENTS // len(servers))]
    history = histories(clients, OPERATIONS)

    assert len(history) == CLIENTS * OPERATIONS
    check(history)


def test_a_glob_that_runs_out_is_never_free_early_and_its_holder_is_told(servers: list[Server]):
    one, other = servers
    claimed = one.post(call_message("claim", key="src/*.py", holder="a", ttl_ms=5000)).json["result"][
        "structuredContent"
    ]
    expires_at = claimed["claim"]["expires_at"]
    while True:
        asked = other.post(call_message("claim", key="file:src/x.py", holder="b", ttl_ms=5000))
        result = asked.json["result"]["structuredContent"]
        if result["ok"]:
            break
        assert (result["held_by"], result["held_key"], result["expires_at"]) == ("a", "src/*.py", expires_at)

    assert result["claim"]["acquired_at"] >= expires_at
    told = one.post(call_message("extend", key="src/*.py", holder="a", ttl_ms=5000)).json["result"]["structuredContent"]
    assert told["reason"] == "not_held"
    assert [(notice["key"], notice["expired_at"]) for notice in told["notices"]] == [("src/*.py", expires_at)]
