"""The process that keeps the index is started with the server, woken by writes, and begun again when it ends."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from almanac.local.data_folder import DataFolder
from almanac.local.search.indexer.supervisor import IndexerExit, Supervisor, pause_after, run_indexer
from almanac.platform.bus.notifier import Notifier
from tests.until import wait_until

_SAYS_WHEN_WOKEN = "import sys; sys.stdin.readline(); open(sys.argv[1], 'a').write('woken\\n'); sys.stdin.read()"
_ENDS_AT_ONCE = "import sys; open(sys.argv[1], 'a').write('begun\\n'); sys.exit(3)"
_HEARS_NOTHING = "import signal; print(flush=True); signal.pause()"
_LATEST = 20.0


class Reports:
    """Records reports. `expected` is set as soon as there are so many."""

    def __init__(self, most: int) -> None:
        self.errors: list[BaseException] = []
        self.expected = threading.Event()
        self._most = most

    def __call__(self, where: str, error: BaseException) -> None:
        assert where == "the process of search"
        self.errors.append(error)
        if len(self.errors) >= self._most:
            self.expected.set()


def _command(program: str, file: Path) -> list[str]:
    return [sys.executable, "-c", program, str(file)]


@contextmanager
def _run_supervisor(supervisor: Supervisor) -> Generator[None]:
    thread = threading.Thread(target=supervisor.run)
    thread.start()
    try:
        yield
    finally:
        supervisor.stop()
        thread.join(_LATEST)
        assert not thread.is_alive()


def test_what_is_written_wakes_the_process(tmp_path: Path) -> None:
    woken, said, reports = Notifier(), tmp_path / "said", Reports(1)
    with _run_supervisor(Supervisor(_command(_SAYS_WHEN_WOKEN, said), woken, reports)):
        woken.notify()
        wait_until(lambda: said.exists() and said.read_text() == "woken\n")
    assert reports.errors == []


def test_a_process_that_ends_is_reported_and_started_again(tmp_path: Path) -> None:
    said, reports = tmp_path / "said", Reports(3)
    with _run_supervisor(Supervisor(_command(_ENDS_AT_ONCE, said), Notifier(), reports, first_pause=0.01)):
        assert reports.expected.wait(_LATEST)
    assert all(isinstance(error, IndexerExit) for error in reports.errors)
    assert "ended with 3" in str(reports.errors[0])
    assert said.read_text().startswith("begun\nbegun\nbegun\n")


def test_a_process_that_cannot_be_started_is_reported_and_tried_again(tmp_path: Path) -> None:
    reports = Reports(2)
    with _run_supervisor(Supervisor([str(tmp_path / "nothing")], Notifier(), reports, first_pause=0.01)):
        assert reports.expected.wait(_LATEST)
    assert isinstance(reports.errors[0], FileNotFoundError)


def test_pauses_between_starts_grow_until_one_has_lived_for_long() -> None:
    pauses = [0.0]
    for lived in (0.1, 0.1, 0.1, 30.0, 0.1, 0.1, 0.1, 0.1, 61.0, 0.1):
        pauses.append(pause_after(pauses[-1], lived, 1.0))
    assert pauses[1:] == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 1.0, 2.0]


@pytest.mark.parametrize("program", [_SAYS_WHEN_WOKEN, _HEARS_NOTHING])
def test_at_the_end_of_the_block_the_process_is_gone(tmp_path: Path, program: str) -> None:
    started = tmp_path / "started"
    tells = f"open({str(started)!r}, 'w').write('yes'); {program}"
    with run_indexer(DataFolder(tmp_path), Notifier(), Reports(1), lambda _: _command(tells, tmp_path / "x"), 0.5):
        wait_until(started.exists)
    names = [thread.name for thread in threading.enumerate()]
    assert "process of search" not in names
