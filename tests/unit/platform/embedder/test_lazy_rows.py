"""Rows that are made as they are needed, and the rest of them by several threads."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from almanac.platform.embedder.lazy_rows import LazyRows
from tests.doubles.row_makers import FakeRowMaker, whole_table

COUNT = 2000


def go_on() -> bool:
    return False


def silent(_: int) -> None:
    pass


def ids(*pieces: int) -> NDArray[np.intp]:
    return np.array(pieces, np.intp)


def test_a_row_is_made_when_it_is_first_asked_for_and_only_then():
    maker, lacked = FakeRowMaker(COUNT), list[int]()
    rows = LazyRows(maker, lambda: lacked.append(1))
    assert rows[ids(7, 3, 7)][:, 0].tolist() == [7, 3, 7]
    assert rows[ids(3, 7, 9)][:, 0].tolist() == [3, 7, 9]
    assert rows[ids(9)].tolist() == [[9] * rows.shape[1]]
    assert rows[ids()].shape == (0, rows.shape[1])
    assert (maker.requests, rows.made_count, len(lacked)) == ([[3, 7], [9]], 3, 2)


def test_many_rows_are_made_in_parts_so_that_others_have_them_sooner():
    maker = FakeRowMaker(COUNT)
    assert LazyRows(maker)[np.arange(COUNT)][:, 1].tolist() == list(range(COUNT))
    assert len(maker.requests) > 10


@pytest.mark.parametrize("threads", [1, 3])
def test_the_rest_is_made_once(threads: int):
    maker, told = FakeRowMaker(COUNT), list[int]()
    rows = LazyRows(maker)
    assert len(rows[ids(5, 6)]) == 2
    whole = rows.complete(told.append, go_on, threads)
    assert whole is not None
    assert np.array_equal(whole, whole_table(COUNT))
    assert sorted(piece for some in maker.requests for piece in some) == list(range(COUNT))
    assert told[0] == 2
    assert told == sorted(told)


def test_several_threads_make_it_at_the_same_time():
    together = threading.Barrier(2)

    def wait_for_the_other(pieces: Sequence[int]) -> None:
        if 0 in pieces or 200 in pieces:
            together.wait(30)

    assert LazyRows(FakeRowMaker(COUNT, wait_for_the_other)).complete(silent, go_on, 2) is not None


def test_a_row_that_is_needed_does_not_wait_for_the_rest():
    held, seen = threading.Event(), threading.Event()

    def hold(pieces: Sequence[int]) -> None:
        if 0 in pieces:
            seen.set()
            held.wait(30)

    rows = LazyRows(FakeRowMaker(COUNT, hold))
    background = threading.Thread(target=rows.complete, args=[silent, go_on])
    background.start()
    try:
        assert seen.wait(30)
        assert rows[ids(1500)][0, 0] == 1500
        assert not held.is_set()
    finally:
        held.set()
        background.join()


def test_it_stops_between_two_parts():
    maker = FakeRowMaker(COUNT)
    assert LazyRows(maker).complete(silent, lambda: len(maker.requests) == 2, 1) is None
    assert len(maker.requests) == 2


@pytest.mark.parametrize("threads", [1, 3])
def test_what_fails_on_any_thread_is_raised_and_what_was_made_is_kept(threads: int):
    def fail(pieces: Sequence[int]) -> None:
        if 1000 in pieces:
            raise ZeroDivisionError

    rows = LazyRows(FakeRowMaker(COUNT, fail))
    with pytest.raises(ZeroDivisionError):
        rows.complete(silent, go_on, threads)
    assert 0 < rows.made_count < COUNT
    assert rows[ids(0)][0, 0] == 0


def test_a_table_that_another_process_made_is_taken_whole():
    maker = FakeRowMaker(COUNT)
    rows = LazyRows(maker)
    rows.adopt(whole_table(COUNT))
    assert rows[ids(1, 1999)][:, 0].tolist() == [1, 1999]
    assert (maker.requests, rows.made_count) == ([], COUNT)


def test_rows_that_somebody_else_made_meanwhile_are_not_made_again():
    def adopt_table(_: Sequence[int]) -> None:
        rows.adopt(whole_table(COUNT))

    maker = FakeRowMaker(COUNT, adopt_table)
    rows = LazyRows(maker)
    assert rows[np.arange(COUNT)][:, 0].tolist() == list(range(COUNT))
    assert len(maker.requests) == 1
