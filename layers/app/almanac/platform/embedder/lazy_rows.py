"""Rows of a table that is still being made. A thread that needs a missing row makes it; the rest follow later."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from almanac.platform.embedder.table_rows import AT_ONCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.intp]
    Rows = NDArray[np.float16]

_TOLD_PIECES = 1500


class MakesRows(Protocol):
    """Protocol for making the rows of any pieces, such as `RowMaker`. `shape` is the shape of the whole table."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def rows(self, pieces: Sequence[int]) -> "Rows": ...


def _nobody() -> None:
    """Do nothing. The callback for tables whose missing rows start no other work."""


class LazyRows:
    """A table, pieces x dimensions, read by arrays of piece ids. Calls `lacked` each time a row is missing.

    Threads may make a row twice, but never see an unfinished one. Two versions of a row differ by rounding at most.
    """

    def __init__(self, maker: MakesRows, lacked: Callable[[], None] = _nobody) -> None:
        self.shape = maker.shape
        self._make = maker.rows
        self._lacked = lacked
        self._rows = np.zeros(self.shape, np.float16)
        self._made = np.zeros(self.shape[0], np.bool_)

    def __getitem__(self, pieces: "Ids") -> "Rows":
        """Return the rows of these pieces. A missing row takes 1 ms."""
        missing = pieces[~self._made[pieces]]
        if len(missing):
            self._lacked()
            for some in _batches(np.unique(missing)):
                self._add(some)
        return self._rows[pieces]

    def has(self, pieces: "Ids") -> "NDArray[np.bool_]":
        return self._made[pieces]

    @property
    def made_count(self) -> int:
        return int(np.count_nonzero(self._made))

    def adopt(self, rows: "Rows") -> None:
        """Use a whole table that another process made."""
        self._rows[:] = rows
        self._made[:] = True

    def complete(self, report: Callable[[int], None], stopping: Callable[[], bool], threads: int = 1) -> "Rows | None":
        """Make the missing rows, on this thread and `threads - 1` more. None if `stopping` returned True before the
        end.

        Now and then, one thread at a time calls `report` with the number of rows made. Raises the error of any thread.
        """
        work = _Work(_batches(np.flatnonzero(~self._made)), self._add, stopping, lambda: report(self.made_count))
        others = [
            threading.Thread(target=work.go_on, name=f"{threading.current_thread().name} {number}", daemon=True)
            for number in range(1, threads)
        ]
        for each in others:
            each.start()
        work.go_on()
        for each in others:
            each.join()
        work.raise_failed()
        return self._rows if self._made.all() else None

    def _add(self, pieces: "Ids") -> None:
        pieces = pieces[~self._made[pieces]]  # another thread may have been quicker
        if len(pieces):
            self._rows[pieces] = self._make(pieces.tolist())
            self._made[pieces] = True


class _Work:
    """Batches for several threads. It ends when no batch is left, one failed, or the work should stop."""

    def __init__(
        self,
        batches: "Iterator[Ids]",
        add: "Callable[[Ids], None]",
        stopping: Callable[[], bool],
        told: Callable[[], None],
    ) -> None:
        self._batches = batches
        self._add = add
        self._stopping = stopping
        self._told = told
        self._untold = _TOLD_PIECES
        self._one = threading.Lock()
        self._failed: list[BaseException] = []

    def go_on(self) -> None:
        try:
            while (batch := self._next()) is not None:
                self._add(batch)
        except BaseException as failed:  # noqa: BLE001 - raised again by the thread that waits for all
            self._failed.append(failed)

    def raise_failed(self) -> None:
        for each in self._failed:
            raise each

    def _next(self) -> "Ids | None":
        with self._one:
            if self._failed or self._stopping():
                return None
            if self._untold >= _TOLD_PIECES:
                self._told()
                self._untold = 0
            self._untold += AT_ONCE
            return next(self._batches, None)


def _batches(pieces: "Ids") -> "Iterator[Ids]":
    return (pieces[start : start + AT_ONCE] for start in range(0, len(pieces), AT_ONCE))
