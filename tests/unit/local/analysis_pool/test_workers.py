"""Test files prepared by several processes. Results are those of one process, in order, even if processes die."""

import io
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from threading import Thread

import pytest
from msgspec.structs import replace

from almanac.composition.commands.code_preparation import (
    PreparedFile,
    one_by_one,
    prepare_as_text,
    prepare_file,
    unread,
)
from almanac.local.analysis_pool.frames import ask, read_answer
from almanac.local.analysis_pool.worker import CPU_SECONDS, work
from almanac.local.analysis_pool.workers import FEW, FEW_CHARACTERS, SPARE, Worker, Workers

FILES = [(f"{number}.py", f"def f{number}(x):\n    return g{number}(x)\n") for number in range(3 * FEW)]
POISON = "poison()\n"
"""Ends who parses it."""
DEADLY = "deadly()\n"
"""Ends who reads it at all."""
REASON = "It took too long."


class FakeWorker(Worker):
    """A worker in this process, which a text with POISON ends."""

    def __init__(self, started: "list[FakeWorker]") -> None:
        started.append(self)
        self.is_asked = self.is_dead = self.is_stopped = False
        self.files: list[tuple[str, str]] = []
        self.parse = True

    def ask(self, files: Sequence[tuple[str, str]], *, parse: bool = True) -> None:
        assert not self.is_asked
        assert not self.is_stopped
        self.is_asked, self.files, self.parse = True, list(files), parse

    def answer(self) -> list[PreparedFile] | None:
        deadly = (POISON, DEADLY) if self.parse else (DEADLY,)
        self.is_dead = self.is_dead or any(each in text for each in deadly for _, text in self.files)
        if self.is_dead:
            return None
        self.is_asked = False
        return list(one_by_one(prepare_file if self.parse else prepare_as_text)(self.files))

    @property
    def reason(self) -> str:
        assert self.is_stopped
        return REASON

    def stop(self) -> None:
        self.is_stopped = True


@pytest.fixture
def started_workers() -> list[FakeWorker]:
    return []


@pytest.fixture
def workers(started_workers: list[FakeWorker]) -> Generator[Workers]:
    with closing(Workers(2, lambda: FakeWorker(started_workers))) as workers:
        yield workers


def _without_times(made: Sequence[PreparedFile]) -> list[PreparedFile]:
    return [type(one)(*(getattr(one, name) for name in one.__struct_fields__[:-1])) for one in made]


def test_processes_prepare_files_as_this_one_does() -> None:
    odd = [("a.py", 'password = "hunter2-Zx9!kQ"\n'), ("b.ts", "export const x = 1"), ("c", "")]
    files = [*FILES, *odd, ("large.txt", "some words\n" * 30_000)]
    with closing(Workers(2)) as workers:
        made = list(workers(files))
        assert sum(one.seconds for one in made) > 0
        assert _without_times(made) == list(one_by_one()(files))


def test_a_few_files_are_prepared_by_one_process(workers: Workers, started_workers: list[FakeWorker]) -> None:
    assert list(workers([])) == []
    assert not started_workers
    for files in (FILES[:1], FILES[: FEW - 1]):
        assert list(workers(files)) == list(one_by_one()(files))
    assert len(started_workers) == 1


def test_a_few_large_files_are_prepared_by_several(workers: Workers, started_workers: list[FakeWorker]) -> None:
    large = [(f"{number}.txt", "some words\n" * (2 * FEW_CHARACTERS // 10)) for number in range(2)]
    assert list(workers(large)) == list(one_by_one()(large))
    assert len(started_workers) == 2


def test_processes_are_started_once(workers: Workers, started_workers: list[FakeWorker]) -> None:
    for _ in range(3):
        assert list(workers(FILES)) == list(one_by_one()(FILES))
    assert len(started_workers) == 2


def test_a_call_that_finds_all_in_use_gets_one_more(workers: Workers, started_workers: list[FakeWorker]) -> None:
    with closing(workers(FILES)) as first:
        next(first)
        assert list(workers(FILES)) == list(one_by_one()(FILES))
        assert len(started_workers) == 3
        assert len(list(first)) == len(FILES) - 1
    assert len([one for one in started_workers if not one.is_stopped]) == 2


def test_a_call_waits_where_even_those_are_in_use(workers: Workers, started_workers: list[FakeWorker]) -> None:
    calls = [workers(FILES) for _ in range(1 + SPARE)]
    for call in calls:
        next(call)
    assert len(started_workers) == 2 + SPARE
    waiting = Thread(target=lambda: list(workers(FILES)))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    for call in calls:
        call.close()
    waiting.join(10)
    assert not waiting.is_alive()


@pytest.mark.parametrize("count", [1, 3 * FEW])
def test_a_text_that_ends_processes_is_stored_as_text(
    workers: Workers, started_workers: list[FakeWorker], count: int
) -> None:
    files = [*FILES[: count // 2], ("bad.py", POISON), ("worse.py", DEADLY), *FILES[count // 2 : count]]
    made = {path: one for (path, _), one in zip(files, workers(files), strict=True)}
    for path, text in FILES[:count]:
        assert made[path] == prepare_file(path, text)
    bad, worse = made["bad.py"], made["worse.py"]
    assert replace(bad, reason=None, seconds=0.0) == replace(prepare_as_text("bad.py", POISON), reason=None)
    assert replace(worse, reason=None, seconds=0.0) == replace(unread("worse.py"), reason=None)
    assert bad.reason == worse.reason == REASON
    assert not bad.parsed
    assert (bad.seconds, worse.seconds) == (CPU_SECONDS, 2 * CPU_SECONDS)
    assert all(one.is_stopped for one in started_workers if one.is_dead)
    assert list(workers(FILES)) == list(one_by_one()(FILES))


def test_a_file_that_uses_up_its_cpu_ends_the_process_and_is_said_so() -> None:
    code = "from almanac.local.analysis_pool import worker as w; w.CPU_SECONDS = 0; w.limit_cpu(0.0)\nwhile True: pass"
    worker = Worker([sys.executable, "-c", code])
    worker.ask(FILES[:1])
    assert worker.answer() is None
    worker.stop()
    assert "seconds of CPU" in worker.reason


def test_processes_that_end_all_lose_nothing(workers: Workers, started_workers: list[FakeWorker]) -> None:
    with closing(workers(FILES)) as making:
        made = [next(making)]
        for one in started_workers:
            one.is_dead = True
        assert [*made, *making] == list(one_by_one()(FILES))


def test_a_process_is_ended_whose_answer_nobody_takes(workers: Workers, started_workers: list[FakeWorker]) -> None:
    with closing(workers(FILES)) as making:
        next(making)
    assert any(one.is_stopped for one in started_workers)
    assert all(one.is_stopped for one in started_workers if one.is_asked)
    assert list(workers(FILES)) == list(one_by_one()(FILES))
    assert len([one for one in started_workers if not one.is_stopped]) == 2


def test_where_no_process_can_be_started_this_one_works() -> None:
    def start() -> Worker:
        raise OSError

    with closing(Workers(2, start)) as workers:
        assert list(workers(FILES)) == list(one_by_one()(FILES))


def test_closed_workers_are_ended_and_start_no_more(workers: Workers, started_workers: list[FakeWorker]) -> None:
    list(workers(FILES))
    with closing(workers(FILES)) as making:
        next(making)
        workers.close()
        list(making)
    assert list(workers(FILES)) == list(one_by_one()(FILES))
    assert len(started_workers) == 2
    assert all(one.is_stopped for one in started_workers)


def test_a_process_that_has_ended_answers_nothing() -> None:
    worker = Worker([sys.executable, "-c", ""])
    for _ in range(2):
        worker.ask([("large.txt", "some words\n" * 30_000)])
        assert worker.answer() is None
        assert worker.is_asked
    worker.stop()


def test_a_process_that_takes_too_long_is_ended() -> None:
    worker = Worker([sys.executable, "-c", "import sys; sys.stdin.read()"], longest_seconds=0.05)
    worker.ask(FILES[:1])
    assert worker.answer() is None
    worker.stop()


def test_a_process_ends_where_nothing_more_is_asked() -> None:
    questions, answers = io.BytesIO(), io.BytesIO()
    ask(questions, FILES[:1])
    cut = questions.getvalue()[:-1]
    work(io.BytesIO(questions.getvalue() + cut), answers, iter([1.0, 3.5]).__next__)
    answers.seek(0)
    assert [one.seconds for one in read_answer(answers) or ()] == [2.5]
    assert read_answer(answers) is None
