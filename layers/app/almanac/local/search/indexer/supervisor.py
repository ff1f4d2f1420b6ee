"""Supervisor of the index process: starts it with the server, wakes it at each write, and restarts it when it ends."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO, cast

from almanac.local.data_folder import DataFolder
from almanac.platform.bus.delivery import Report
from almanac.platform.bus.notifier import Notifier

LOOK_MILLISECONDS = 1000
STOP_SECONDS = 30.0
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Longest pause between two starts, in seconds. The pause doubles each time until a process has lived that long."""
_WHERE = "the process of search"


class IndexerExit(Exception):
    """The index process ended by itself."""


def pause_after(pause: float, lived: float, first: float) -> float:
    """Return the seconds until the next start, for a process that started after `pause` and lived `lived` seconds."""
    return first if not pause or lived >= LONGEST_PAUSE else min(LONGEST_PAUSE, 2 * pause)


def indexer_command(folder: DataFolder) -> list[str]:
    """Return the command of the index process for a folder."""
    places = [str(folder.path), str(folder.cache or "")]
    return [sys.executable, "-P", "-m", "almanac.local.search.indexer.process", *places]


class Supervisor:
    """Keeps one index process running. `woken` is notified of each write, and `monotonic` is in seconds."""

    def __init__(
        self,
        command: Sequence[str],
        woken: Notifier,
        report: Report,
        *,
        stop_seconds: float = STOP_SECONDS,
        first_pause: float = FIRST_PAUSE,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._command = command
        self._woken = woken
        self._report = report
        self._stop_seconds = stop_seconds
        self._first_pause = first_pause
        self._monotonic = monotonic
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Keep one process running until `stop`."""
        pause = 0.0
        while not self._stopping.is_set():
            began = self._monotonic()
            try:
                self._one()
            except OSError as failed:  # no process can be started now
                self._report(_WHERE, failed)
            pause = pause_after(pause, self._monotonic() - began, self._first_pause)
            self._stopping.wait(pause)

    def stop(self) -> None:
        """Make `run` end the process and return. Any thread may call this."""
        self._stopping.set()
        self._woken.notify()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _one(self) -> None:
        """Start one process, pass wake-ups on to it, and return when it has ended."""
        # Ctrl+C goes to the server only, which then ends this process.
        process = self._process = subprocess.Popen(  # noqa: S603 - this program, by the same interpreter
            self._command, stdin=subprocess.PIPE, bufsize=0, process_group=0
        )
        source = cast(BinaryIO, process.stdin)
        while process.poll() is None and not self._stopping.is_set():
            self._woken.wait(LOOK_MILLISECONDS)
            # If the process has just ended, the next check notices it.
            with suppress(OSError):
                source.write(b"\n")
        with suppress(OSError):
            source.close()
        if self._stopping.is_set():
            self._end(process)
        else:
            self._report(_WHERE, IndexerExit(f"It ended with {process.returncode}, and is started again."))

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        try:
            process.wait(self._stop_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def run_indexer(
    folder: DataFolder,
    woken: Notifier,
    report: Report,
    command: Callable[[DataFolder], Sequence[str]] = indexer_command,
    stop_seconds: float = STOP_SECONDS,
) -> Generator[None]:
    """Run the index process until the end of the block. Its current work may then take 30 seconds."""
    supervisor = Supervisor(command(folder), woken, report, stop_seconds=stop_seconds)
    thread = threading.Thread(target=supervisor.run, name="process of search", daemon=True)
    thread.start()
    try:
        yield
    finally:
        supervisor.stop()
        thread.join(2 * stop_seconds)
        # A process that stopped reading would block the thread that writes to it.
        supervisor.kill()
