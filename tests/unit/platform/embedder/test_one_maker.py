"""Processes that share a data folder make one table, whatever ends them."""

import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from almanac.platform.embedder.table_file import open_table

MAKER = """
import sys
from pathlib import Path
from almanac.platform.embedder.table_making import make_table

def stopping():
    print("looks", flush=True)
    return False

def told(share):
    print("makes", share, flush=True)
    if share == 0 and sys.argv[3] == "held":
        sys.stdin.readline()

print("made", make_table(Path(sys.argv[1]), Path(sys.argv[2]), told, stopping, 300), flush=True)
"""

Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "static.table"


@pytest.fixture
def start(model: Path, file: Path) -> Generator[Start]:
    """Starts a maker, which is `held` after its beginning until it is told to go on, or `free`."""
    started: list[subprocess.Popen[str]] = []

    def starting(how: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", MAKER, str(model), str(file), how]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield starting
    for process in started:
        process.kill()
        process.communicate()


def test_one_makes_it_and_the_other_waits(start: Start, file: Path):
    first = start("held")
    _until(first, "makes 0.0")
    second = start("free")
    # It looks again only after it has found the first at work.
    _until(second, "looks")
    _until(second, "looks")
    assert not file.exists()

    first_said, _ = first.communicate("go on\n")
    second_said, _ = second.communicate()

    assert first_said.splitlines()[-1] == second_said.splitlines()[-1] == "made True"
    assert "makes" not in second_said
    assert len(open_table(file)) == 300


def test_the_other_goes_on_where_the_first_was_killed(start: Start, file: Path):
    first = start("held")
    _until(first, "makes 0.0")
    second = start("free")
    _until(second, "looks")
    first.kill()
    first.wait()

    said, _ = second.communicate()

    assert "makes 0.0" in said
    assert said.splitlines()[-1] == "made True"
    assert len(open_table(file)) == 300


def _until(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stdout is not None
    assert any(said.strip() == line for said in process.stdout), f"it never said: {line}"
