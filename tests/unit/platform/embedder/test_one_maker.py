"""Test that processes that share a cache make one table, even if some of them die."""

import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from almanac.platform.embedder.table_file import open_table

MAKER = """
import sys
from pathlib import Path
from almanac.platform.embedder.lazy_rows import LazyRows
from almanac.platform.embedder.shared_table import keep_table
from tests.doubles.row_makers import FakeRowMaker

def stopping():
    print("looks", flush=True)
    return False

def told(share):
    print("makes", share, flush=True)
    if share == 0 and sys.argv[2] == "held":
        sys.stdin.readline()

rows = LazyRows(FakeRowMaker(300))
print("made", keep_table(rows, Path(sys.argv[1]), told, stopping), rows.made_count, flush=True)
"""

Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "static.table"


@pytest.fixture
def start(repository: Path, file: Path) -> Generator[Start]:
    """Start a maker, either `free` or `held` after its beginning until the test lets it go on."""
    started: list[subprocess.Popen[str]] = []

    def start_maker(how: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", MAKER, str(file), how]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=repository)
        started.append(process)
        return process

    yield start_maker
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

    assert first_said.splitlines()[-1] == second_said.splitlines()[-1] == "made True 300"
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
    assert said.splitlines()[-1] == "made True 300"
    assert len(open_table(file)) == 300


def _until(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stdout is not None
    assert any(said.strip() == line for said in process.stdout), f"it never said: {line}"
