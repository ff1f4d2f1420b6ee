"""Pool of worker processes that prepare files, one for each core. The server itself prepares none.

A parser blocks the interpreter while it works, and the server could not stop it. A process can be stopped. The kernel
ends a worker that takes more than a few seconds of CPU for one file. Another worker then prepares the files of that
request again, one by one. If a file ends that worker too, it is stored as plain text, with the reason why it could not
be parsed.

A large call takes all idle workers, and a small one takes one. If all workers are in use, a call gets one of a few
spare workers.
"""

import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Condition, Timer
from typing import BinaryIO, cast

from msgspec.structs import replace

from almanac.composition.commands.code_preparation import PreparedFile, one_by_one, unread
from almanac.local.analysis_pool.frames import ask, read_answer
from almanac.local.analysis_pool.worker import CPU_SECONDS

FEW = 8
FEW_CHARACTERS = 100_000
"""Total size below which a call with few files uses one worker, because starting another would take longer than the
work."""
SPARE = 4
"""Number of workers beyond one per core, for calls that find all others in use."""
IDLE_SECONDS = 300.0
LONGEST_SECONDS = 60.0
"""Time limit for one request of a few files, each of which usually takes less than a second of CPU."""
_AT_ONCE = 4
_CHARACTERS_AT_ONCE = 200_000

_OUT_OF_CPU = -getattr(signal, "SIGXCPU", 0)

Files = Sequence[tuple[str, str]]
_COMMAND = (sys.executable, "-P", "-m", "almanac.local.analysis_pool.worker")


class Worker:
    """A worker process, which prepares one request at a time."""

    def __init__(self, command: Sequence[str] = _COMMAND, longest_seconds: float = LONGEST_SECONDS) -> None:
        # A process group of its own, so that Ctrl+C reaches only the server, which ends its workers.
        self._process = subprocess.Popen(  # noqa: S603 - this program, by the same interpreter
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )
        self._longest_seconds = longest_seconds
        self.is_asked = False

    def ask(self, files: Files, *, parse: bool = True) -> None:
        self.is_asked = True
        # If the process has ended, `answer` returns None.
        with suppress(OSError):
            ask(cast(BinaryIO, self._process.stdin), files, parse=parse)

    def answer(self) -> list[PreparedFile] | None:
        """Return the prepared files, or None if the process has ended or was ended because it took too long."""
        late = Timer(self._longest_seconds, self._process.kill)
        late.daemon = True
        late.start()
        try:
            prepared = read_answer(cast(BinaryIO, self._process.stdout))
        finally:
            late.cancel()
        # A worker that has ended stays marked as busy, so that it is not lent again.
        self.is_asked = prepared is None
        return prepared

    @property
    def reason(self) -> str:
        """Return the reason why a process that was stopped could not prepare a file."""
        if self._process.returncode == _OUT_OF_CPU:
            return f"Parsing it took more than {CPU_SECONDS} seconds of CPU."
        return "The process that parsed it ended, or took too long."

    def stop(self) -> None:
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                cast(BinaryIO, stream).close()
        self._process.wait()


class Workers:
    """Pool that prepares files when it is called. Large calls share at most `most` processes, which end after some time
    without calls."""

    def __init__(self, most: int, start: Callable[[], Worker] = Worker) -> None:
        self._most = most
        self._start = start
        self._changed = Condition()
        self._idle: list[Worker] = []
        self._lent = 0
        self._resting: Timer | None = None
        self._is_closed = False

    def __call__(self, files: Files) -> Generator[PreparedFile]:
        if not files:
            return
        portions = list(_portions(files))
        is_small = len(files) < FEW and sum(len(text) for _, text in files) < FEW_CHARACTERS
        with self._borrow(1 if is_small else len(portions)) as workers:
            yield from self._prepare_portions(portions, workers)

    def close(self) -> None:
        """End the idle workers. Workers in use are ended when their calls give them back."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._stop_idle()

    def _prepare_portions(self, portions: Sequence[Files], workers: Sequence[Worker]) -> Iterator[PreparedFile]:
        waiting = deque(portions)
        going: deque[tuple[Worker, Files]] = deque()

        def give(worker: Worker) -> None:
            if waiting:
                going.append((worker, waiting.popleft()))
                worker.ask(going[-1][1])

        for worker in workers:
            give(worker)
        while going:
            worker, portion = going.popleft()
            prepared = worker.answer()
            if prepared is not None:
                give(worker)
                yield from prepared
                continue
            yield from self._again(portion)
            if not going and waiting:
                yield from self._again([file for some in waiting for file in some])
                return
        for portion in waiting:
            # No process could be started, so prepare the files here.
            yield from one_by_one()(portion)

    def _again(self, files: Files) -> Iterator[PreparedFile]:
        """Prepare the files of a worker that ended again, one at a time, because any of them may have ended it."""
        worker: Worker | None = None
        try:
            for file in files:
                worker = worker or self._start()
                worker.ask([file])
                prepared = worker.answer()
                if prepared is None:
                    worker.stop()
                    reason, worker = worker.reason, self._start()
                    prepared = self._without_parsing(file, reason, worker)
                    if worker.is_asked:
                        worker.stop()
                        worker = None
                yield from prepared
        finally:
            if worker is not None:
                worker.stop()

    def _without_parsing(self, file: tuple[str, str], reason: str, worker: Worker) -> list[PreparedFile]:
        worker.ask([file], parse=False)
        prepared, spent = worker.answer(), CPU_SECONDS
        if prepared is None:
            prepared, spent = [unread(file[0])], 2 * CPU_SECONDS
        return [replace(one, reason=reason, seconds=one.seconds + spent) for one in prepared]

    @contextmanager
    def _borrow(self, most: int) -> Generator[list[Worker]]:
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._free > 0)
            if self._resting is not None:
                self._resting.cancel()
            # Lend up to one worker per core, and at least one if all of these are in use.
            count = min(most, self._free, max(1, self._most - self._lent))
            workers = [self._idle.pop() for _ in range(min(count, len(self._idle)))]
            lent = len(workers) if self._is_closed else count
            self._lent += lent
        try:
            # If a process cannot be started, the call gets fewer workers, or none.
            with suppress(OSError):
                while len(workers) < lent:
                    workers.append(self._start())
            yield workers
        finally:
            self._give_back(workers, lent)

    @property
    def _free(self) -> int:
        """Return how many workers can be lent, including those that would have to be started."""
        return self._most + SPARE - self._lent

    def _give_back(self, workers: Sequence[Worker], lent: int) -> None:
        with self._changed:
            self._lent -= lent
            room = 0 if self._is_closed else max(0, self._most - len(self._idle))
            rested = [worker for worker in workers if not worker.is_asked][:room]
            self._idle += rested
            self._resting = Timer(IDLE_SECONDS, self._stop_idle)
            self._resting.daemon = True
            self._resting.start()
            self._changed.notify()
        for worker in workers:
            if worker not in rested:
                worker.stop()

    def _stop_idle(self) -> None:
        with self._changed:
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
