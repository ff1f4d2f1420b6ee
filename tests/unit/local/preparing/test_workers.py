"""Files prepared by processes: the same as by one, in their order, whatever becomes of a process."""

import io
import sys
from collections.abc import Generator, Sequence
from contextlib import closing

import pytest

from almanac.composition.commands.code_preparation import Prepared, one_by_one, prepared, unparsed
from almanac.local.preparing.frames import answered, ask
from almanac.local.preparing.worker import work
from almanac.local.preparing.workers import FEW, FEW_CHARACTERS, Worker, Workers

FILES = [(f"{number}.py", f"def f{number}(x):\n    return g{number}(x)\n") for number in range(3 * FEW)]
POISON = "poison()\n"


class FakeWorker(Worker):
    """A worker in this process, which a text with POISON ends."""

    def __init__(self, started: "list[FakeWorker]") -> None:
        started.append(self)
        self.is_asked = self.is_dead = self.is_stopped = False
        self.files: list[tuple[str, str]] = []

    def ask(self, files: Sequence[tuple[str, str]]) -> None:
        assert not self.is_asked
        assert not self.is_stopped
        self.is_asked, self.files = True, list(files)

    def answer(self) -> list[Prepared] | None:
        self.is_dead = self.is_dead or any(POISON in text for _, text in self.files)
        if self.is_dead:
            return None
        self.is_asked = False
        return list(one_by_one()(self.files))

    def stop(self) -> None:
        self.is_stopped = True


@pytest.fixture
def started() -> list[FakeWorker]:
    return []


@pytest.fixture
def workers(started: list[FakeWorker]) -> Generator[Workers]:
    with closing(Workers(2, lambda: FakeWorker(started))) as workers:
        yield workers


def _untimed(made: Sequence[Prepared]) -> list[Prepared]:
    return [type(one)(*(getattr(one, name) for name in one.__struct_fields__[:-1])) for one in made]


def test_processes_prepare_files_as_this_one_does() -> None:
    odd = [("a.py", 'password = "hunter2-Zx9!kQ"\n'), ("b.ts", "export const x = 1"), ("c", "")]
    files = [*FILES, *odd, ("large.txt", "some words\n" * 30_000)]
    with closing(Workers(2)) as workers:
        made = list(workers(files))
        assert all(one.seconds > 0 for one in made)
        assert _untimed(made) == list(one_by_one()(files))


def test_a_few_files_start_no_process(workers: Workers, started: list[FakeWorker]) -> None:
    assert list(workers(FILES[: FEW - 1])) == list(one_by_one()(FILES[: FEW - 1]))
    assert not started


def test_one_file_starts_no_process_and_a_few_large_ones_do(workers: Workers, started: list[FakeWorker]) -> None:
    large = [(f"{number}.txt", "some words\n" * (FEW_CHARACTERS // 10)) for number in range(2)]
    assert list(workers(large[:1])) == list(one_by_one()(large[:1]))
    assert not started
    assert list(workers(large)) == list(one_by_one()(large))
    assert started


def test_processes_are_started_once(workers: Workers, started: list[FakeWorker]) -> None:
    for _ in range(3):
        assert list(workers(FILES)) == list(one_by_one()(FILES))
    assert len(started) == 2


def test_who_finds_no_free_process_prepares_files_himself(workers: Workers, started: list[FakeWorker]) -> None:
    with closing(workers(FILES)) as first:
        next(first)
        assert list(workers(FILES)) == list(one_by_one()(FILES))
        assert len(started) == 2
        assert len(list(first)) == len(FILES) - 1


def test_a_text_that_ends_processes_is_stored_as_text(workers: Workers, started: list[FakeWorker]) -> None:
    files = [*FILES[:10], ("bad.py", POISON), *FILES[10:]]
    assert list(workers(files)) == [
        unparsed(path, text) if text == POISON else prepared(path, text) for path, text in files
    ]
    assert not unparsed("bad.py", POISON).parsed
    assert all(one.is_stopped for one in started if one.is_dead)
    assert list(workers(FILES)) == list(one_by_one()(FILES))


def test_processes_that_end_all_lose_nothing(workers: Workers, started: list[FakeWorker]) -> None:
    with closing(workers(FILES)) as making:
        made = [next(making)]
        for one in started:
            one.is_dead = True
        assert [*made, *making] == list(one_by_one()(FILES))


def test_a_process_is_ended_whose_answer_nobody_takes(workers: Workers, started: list[FakeWorker]) -> None:
    with closing(workers(FILES)) as making:
        next(making)
    assert any(one.is_stopped for one in started)
    assert all(one.is_stopped for one in started if one.is_asked)
    assert list(workers(FILES)) == list(one_by_one()(FILES))
    assert len([one for one in started if not one.is_stopped]) == 2


def test_where_no_process_can_be_started_this_one_works() -> None:
    def start() -> Worker:
        raise OSError

    with closing(Workers(2, start)) as workers:
        assert list(workers(FILES)) == list(one_by_one()(FILES))


def test_closed_workers_are_ended_and_start_no_more(workers: Workers, started: list[FakeWorker]) -> None:
    list(workers(FILES))
    with closing(workers(FILES)) as making:
        next(making)
        workers.close()
        list(making)
    assert list(workers(FILES)) == list(one_by_one()(FILES))
    assert len(started) == 2
    assert all(one.is_stopped for one in started)


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
    assert [one.seconds for one in answered(answers) or ()] == [2.5]
    assert answered(answers) is None
