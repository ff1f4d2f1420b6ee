"""Test the indexing process of a laptop. Everything written is indexed, even if the process dies."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.server_process import ALMANAC, Server, call_message, environment, run_server
from tests.until import wait_until

_PROCESS = "almanac.local.search.indexer.process"


def _pids(server: Server) -> list[int]:
    """Return the process ids of this server's search process."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in listed.splitlines()[1:]]
    return [int(pid) for pid, parent, args in rows if int(parent) == server.process.pid and _PROCESS in args]


def _ask(server: Server, tool: str, **arguments: Any) -> dict[str, Any]:
    result = server.post(call_message(tool, **arguments)).json["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


def _index_counts(folder: Path) -> tuple[int, int]:
    """How many documents the index has, and how many are on their way to it."""
    command = [ALMANAC, "search", "status", "--data", folder, "--json"]
    told = subprocess.run(command, capture_output=True, check=True, env=environment()).stdout
    rows = json.loads(told)
    return sum(row["documents"] for row in rows), sum(row["fresh"] for row in rows)


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
def test_what_is_written_is_indexed_also_after_the_process_was_killed(tmp_path: Path) -> None:
    with run_server([ALMANAC, "serve", "--port", "0", "--data", tmp_path]) as server:
        _ask(server, "notes_create", title="Heron", body="The heron sleeps in the reeds.")
        wait_until(lambda: _index_counts(tmp_path) == (1, 0))
        [killed] = _pids(server)
        os.kill(killed, signal.SIGKILL)
        _ask(server, "notes_create", title="Ferry", body="The ferry leaves at noon.")
        found = _ask(server, "notes_search", q="ferry")
        assert found["data"]["notes"][0]["title"] == "Ferry"
        wait_until(lambda: _index_counts(tmp_path) == (2, 0))
        assert _pids(server) not in ([], [killed])
        assert any("the process of search" in line for line in server.log)
        [living] = _pids(server)
        assert server.stop() == 0
        wait_until(lambda: _is_gone(living))
