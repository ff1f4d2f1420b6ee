"""A family that is new: its folder, one line, its door, and it is served like any other on both targets."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.server_process import Server, call_message, environment, run_server
from tests.integration.toy.on_lambda import RULE
from tests.integration.toy.repository_copy import ROOT, install

RUNG = {"bell": "front", "echoed": True, "checked": True}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toy") / "almanac"
    install(folder)
    return folder


def paths(copy: Path) -> str:
    return f"{copy / 'layers/app'}:{copy / 'functions/toy'}:{ROOT}"


@pytest.mark.slow
def test_the_laptop_serves_it_with_its_reaction_its_job_and_its_kind_of_event(copy: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "almanac.local", "serve", "--port", "0", "--data", tmp_path]
    with run_server(command, PYTHONPATH=paths(copy)) as server:
        ask(server, "install_rule", **RULE)
        ask(server, "ring_bell", "/mcp/toy", bell="front")
        # Each question takes a call; what is not there yet by the last of them never comes.
        for _ in range(2000):
            rings, broadcast = ask(server, "list_rings", "/mcp/toy")["rings"], ask(server, "get_broadcast", key="rung")
            if rings == [RUNG] and broadcast.get("value") == "front":
                break
        assert ask(server, "list_rings")["rings"] == [RUNG]
        assert ask(server, "get_broadcast", key="rung")["value"] == "front"
        assert json.loads(server.request("GET", "/health").body)["families"][-1] == "toy"
        assert server.stop() == 0


def test_functions_on_aws_serve_it_with_the_same(copy: Path, tmp_path: Path) -> None:
    told = _run(copy, ROOT / "tests/integration/toy/on_lambda.py", tmp_path / "table.db")
    assert told["rings"] == [RUNG]
    assert told["broadcast"]["value"] == "front"
    assert told["kinds"][-1] == "bell_rung"


@pytest.mark.slow
def test_its_table_and_its_events_are_documented_and_its_records_may_be_imported(copy: Path) -> None:
    program = """
import json
from tools.documents.main import documents
from almanac.local.tenants.stored_types import _tables
pages = dict(documents())
page, model = pages["docs/tools/toy.md"], pages["docs/data-model.md"]
print(json.dumps([("ring_bell" in page, "bell_rung" in page, "Toy: records" in model, ("P", "rings") in _tables())]))
"""
    assert _run(copy, "-c", program) == [[True, True, True, True]]


def ask(server: Server, tool: str, path: str = "/mcp", **arguments: Any) -> Any:
    result = server.post(call_message(tool, **arguments), path).json["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


def _run(copy: Path, *arguments: str | Path) -> Any:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=environment(PYTHONPATH=paths(copy), ALMANAC_TABLE="table", AWS_REGION="eu-west-1"),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
