"""The workers of a server: they prepare the files of large calls, as many at once as there are cores.

A call takes those that nobody uses; where there are none, or only a few files, the server does it itself. So nobody
waits for another's files. A worker that ends costs nothing but the time until another one has done its files again, and
a text that ends two of them is stored as text that nobody could parse.
"""

import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from typing import BinaryIO, cast

from almanac.composition.commands.code_preparation import Prepared, one_by_one, unparsed
from almanac.local.preparing.frames import answered, ask

FEW = 8
FEW_CHARACTERS = 100_000
"""Files that a server prepares sooner than it has started a worker: fewer ones, with fewer characters in all, or one,
which an editor has just saved."""
IDLE_SECONDS = 60.0
LONGEST_SECONDS = 60.0
"""For a few files, of which each takes less than a second of CPU."""
_AT_ONCE = 4
_CHARACTERS_AT_ONCE = 200_000

Files = Sequence[tuple[str, str]]
_COMMAND = (sys.executable, "-P", "-m", "almanac.local.preparing.worker")


class Worker:
    """A process with at most one portion of files at a time."""

    def __init__(self, command: Sequence[str] = _COMMAND, longest_seconds: float = LONGEST_SECONDS) -> None:
        # Ctrl+C is for the server, which ends its workers.
        self._process = subprocess.Popen(  # noqa: S603 - this program, by the same interpreter
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )
        self._longest_seconds = longest_seconds
        self.is_asked = False

    def ask(self, files: Files) -> None:
        self.is_asked = True
        # Where it has ended, `answer` says so.
        with suppress(OSError):
            ask(cast(BinaryIO, self._process.stdin), files)

    def answer(self) -> list[Prepared] | None:
        """None where it ended, or takes too long and is ended."""
        late = Timer(self._longest_seconds, self._process.kill)
        late.daemon = True
        late.start()
        try:
            made = answered(cast(BinaryIO, self._process.stdout))
        finally:
            late.cancel()
        # One that has ended owes its answer for good, and is not lent again.
        self.is_asked = made is None
        return made

    def stop(self) -> None:
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                cast(BinaryIO, stream).close()
        self._process.wait()


class Workers:
    """A Preparation. At most `most` processes are there; they end when nobody has needed them for a minute."""

    def __init__(self, most: int, start: Callable[[], Worker] = Worker, idle_seconds: float = IDLE_SECONDS) -> None:
        self._most = most
        self._start = start
        self._idle_seconds = idle_seconds
        self._lock = Lock()
        self._idle: list[Worker] = []
        self._lent = 0
        self._resting: Timer | None = None
        self._is_closed = False

    def __call__(self, files: Files) -> Generator[Prepared]:
        if len(files) < 2 or (len(files) < FEW and sum(len(text) for _, text in files) < FEW_CHARACTERS):
            yield from one_by_one()(files)
            return
        with self._borrowed() as workers:
            yield from self._prepared(files, workers)

    def close(self) -> None:
        """Also those at work are ended, by who uses them."""
        with self._lock:
            self._is_closed = True
        self._stop_idle()

    def _prepared(self, files: Files, workers: Sequence[Worker]) -> Iterator[Prepared]:
        waiting = deque(_portions(files))
        going: deque[tuple[Worker, Files]] = deque()

        def give(worker: Worker) -> None:
            if waiting:
                going.append((worker, waiting.popleft()))
                worker.ask(going[-1][1])

        for worker in workers:
            give(worker)
        while going:
            worker, portion = going.popleft()
            made = worker.answer()
            if made is None:
                made = self._again(portion)
            else:
                give(worker)
            yield from made
        for portion in waiting:
            yield from one_by_one()(portion)

    def _again(self, files: Files) -> list[Prepared]:
        """What a worker ended with, one by one in another: one of the texts may have ended it."""
        made: list[Prepared] = []
        worker: Worker | None = None
        for path, text in files:
            worker = worker or self._start()
            worker.ask([(path, text)])
            answer = worker.answer()
            if answer is None:
                worker.stop()
                worker = None
            made += answer or [unparsed(path, text)]
        if worker is not None:
            worker.stop()
        return made

    @contextmanager
    def _borrowed(self) -> Generator[list[Worker]]:
        with self._lock:
            if self._resting is not None:
                self._resting.cancel()
            workers, self._idle = self._idle, []
            missing = 0 if self._is_closed else self._most - self._lent - len(workers)
            lent = len(workers) + missing
            self._lent += lent
        try:
            # Where no process can be started, there are fewer, or none.
            with suppress(OSError):
                while len(workers) < lent:
                    workers.append(self._start())
            yield workers
        finally:
            self._give_back(workers, lent)

    def _give_back(self, workers: Sequence[Worker], lent: int) -> None:
        with self._lock:
            self._lent -= lent
            rested = [] if self._is_closed else [worker for worker in workers if not worker.is_asked]
            self._idle += rested
            self._resting = Timer(self._idle_seconds, self._stop_idle)
            self._resting.daemon = True
            self._resting.start()
        for worker in workers:
            if worker not in rested:
                worker.stop()

    def _stop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.stop()


def _portions(files: Files) -> Iterator[Files]:
    some: list[tuple[str, str]] = []
    for file in files:
        some.append(file)
        if len(some) == _AT_ONCE or sum(len(text) for _, text in some) > _CHARACTERS_AT_ONCE:
            yield some
            some = []
    if some:
        yield some
