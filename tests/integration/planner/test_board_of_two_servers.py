"""Eight agents move cards through MCP over HTTP, at two server processes on one data folder."""

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.server_process import ALMANAC, Server, run_server
from tests.integration.team.claim_clients import Ask, over_http
from tests.unit.families.planner.shared_board import Do, check_board, dealt, move_about

AGENTS, MOVES = 8, 25

pytestmark = pytest.mark.slow


@pytest.fixture
def servers(tmp_path: Path) -> Generator[list[Server]]:
    """Two processes; the second finds the first one's key."""
    with ExitStack() as stack:
        command = [ALMANAC, "serve", "--port", "0", "--data", tmp_path / "data"]
        yield [stack.enter_context(run_server(command)) for _ in range(2)]


def do_with(ask: Ask) -> Do:
    def do(tool: str, /, **arguments: Any) -> dict[str, Any]:
        result = ask(tool, arguments)
        assert result["ok"], result["error"]
        return result["data"]

    return do


def test_no_card_is_lost_and_none_is_there_twice(servers: list[Server]) -> None:
    gate = threading.Barrier(AGENTS)
    with over_http(servers[0].url, servers[0].key or "") as ask:
        cards = dealt(do_with(ask), 12)

    def agent(number: int) -> None:
        server = servers[number % 2]
        with over_http(server.url, servers[0].key or "") as ask:
            gate.wait(timeout=60)
            move_about(do_with(ask), cards, number, MOVES)

    with ThreadPoolExecutor(AGENTS) as agents:
        list(agents.map(agent, range(AGENTS)))
    for server in servers:
        with over_http(server.url, servers[0].key or "") as ask:
            check_board(do_with(ask), cards)
