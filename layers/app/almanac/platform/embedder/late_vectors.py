"""The static embedder of a laptop. Its table is made in the background, and needed rows at once."""
# ruff: noqa: PLC0415 - only embedding loads numpy

import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from almanac.platform.embedder.lazy_rows import LazyRows, MakesRows
    from almanac.platform.embedder.port import StaticEmbedder

_STEPS = 4
_NICENESS = 10


class LateVectors:
    """The `StaticVectors` of one process. Several processes may share the table.

    The table is looked for in each of `files`, and a new one goes into the first that can be written. `model` is the
    folder with the vocabulary, None if no model is installed. `open_maker` opens the maker of rows. `note` writes a
    line to the log. `report` gets failures, after which the next process tries again. `threads` is the number of
    background threads that make the rows no call waits for.
    """

    def __init__(
        self,
        model: Path | None,
        files: Sequence[Path],
        open_maker: "Callable[[], MakesRows]",
        note: Callable[[str], None],
        report: Callable[[str, BaseException], None],
        *,
        threads: int = 1,
    ) -> None:
        self._model = model
        self._files = files
        self._open_maker = open_maker
        self._note = note
        self._report = report
        self._threads = threads
        self._one_opens = threading.Lock()
        self._stopping = threading.Event()
        self._looked = False
        self._background: threading.Thread | None = None
        self._growing: LazyRows | None = None
        self._found: StaticEmbedder | None = None

    def ready(self) -> "StaticEmbedder | None":
        """Return the embedder.

        The first call opens it, in 0.2 s. None if no model is installed, or if opening fails.
        """
        if not self._looked:
            with self._one_opens:
                if not self._looked:
                    self._found = self._open_embedder()
                    self._looked = True
        return self._found

    def wait(self, seconds: float) -> "StaticEmbedder | None":
        """Wait up to `seconds` for the whole table, for callers that cannot work without it."""
        if self.ready() is not None and self._growing is not None:
            self._complete()
        if self._background is not None:
            self._background.join(seconds)
        return self._found

    def stop(self) -> None:
        """Stop the background work. Rows that are not in a file yet are lost."""
        self._stopping.set()
        if self._background is not None:
            self._background.join()

    def _open_embedder(self) -> "StaticEmbedder | None":
        if self._model is None:
            return None
        try:
            return self._open_complete_table(self._model) or self._start_new_table(self._model)
        except Exception as failed:  # noqa: BLE001 - search goes on without vectors, and the log says why
            self._report("the opening of search vectors", failed)
            return None

    def _open_complete_table(self, model: Path) -> "StaticEmbedder | None":
        """Open the table from the first complete file, and copy it to the shared place if it was elsewhere."""
        for file in self._files:
            if (found := _static(model, file)) is not None:
                if file != self._files[0]:
                    self._start_thread(partial(_share, file, self._files[0]))
                return found
        return None

    def _start_new_table(self, model: Path) -> "StaticEmbedder":
        from almanac.platform.embedder.factory import static_over
        from almanac.platform.embedder.lazy_rows import LazyRows

        # The first missing row starts the making of the others, so a process that never embeds makes none.
        self._growing = LazyRows(self._open_maker(), self._complete)
        return static_over(model, self._growing)

    def _complete(self) -> None:
        if self._background is None and (growing := self._growing) is not None:
            with self._one_opens:
                if self._background is None:
                    self._start_thread(lambda: self._make(growing))

    def _start_thread(self, work: Callable[[], None]) -> None:
        self._background = threading.Thread(target=work, name="search vectors", daemon=True)
        self._background.start()

    def _make(self, growing: "LazyRows") -> None:
        from almanac.platform.embedder.shared_table import keep_table

        _give_way()
        for file in self._files:
            progress = _Progress(self._note, file)
            try:
                keep_table(growing, file, progress, self._stopping.is_set, self._threads)
            except (OSError, sqlite3.Error) as unusable:
                self._note(f"search vectors cannot be kept in {file.parent}: {unusable}")
            except Exception as failed:  # noqa: BLE001 - rows are still made when needed
                self._report("the making of search vectors", failed)
                return
            else:
                return


class _Progress:
    """Logs a line at the beginning, a few in between, and one at the end."""

    def __init__(self, note: Callable[[str], None], file: Path) -> None:
        self._note = note
        self._file = file
        self._told = -1

    def __call__(self, share: float) -> None:
        step = int(share * _STEPS)
        if step > self._told:
            self._told = step
            self._note(self._line(100 * step // _STEPS))

    def _line(self, percent: int) -> str:
        if percent == 0:
            return "search vectors are made once for this machine, those that are needed first"
        return f"search vectors are ready: {self._file}" if percent == 100 else f"search vectors: {percent} %"


def _static(model: Path, file: Path) -> "StaticEmbedder | None":
    """Open the table in `file`. None if there is no complete one."""
    # This check loads nothing. Unlike the method of Path, it does not fail for an unreadable folder.
    if not os.path.isfile(file):
        return None
    from almanac.platform.embedder.factory import open_static
    from almanac.platform.embedder.table_file import BrokenTable

    try:
        return open_static(model, file)
    except (OSError, BrokenTable):
        return None


def _share(whole: Path, file: Path) -> None:
    from almanac.platform.embedder.shared_table import share_table
    from almanac.platform.embedder.table_file import BrokenTable, open_table

    # Without a copy, the table is used where it is.
    with suppress(OSError, sqlite3.Error, BrokenTable):
        share_table(open_table(whole), file)


def _give_way() -> None:
    """Lower the priority of this thread, and of threads that it starts, so that calls come first.

    Does nothing on systems where threads have no priorities of their own.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
