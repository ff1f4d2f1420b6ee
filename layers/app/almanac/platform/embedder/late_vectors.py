"""The static embedder of a laptop: its table is made in the background when a process first asks for it."""
# ruff: noqa: PLC0415 - numpy is loaded by who embeds, not by who may come to it

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from almanac.platform.embedder.port import StaticEmbedder

_STEPS = 4
_NICENESS = 10


class LateVectors:
    """The `StaticVectors` of one process. Several may share the table's `file`; one of them makes it.

    `model` is the folder with the vocabulary and the weights, None where none is installed. `note` writes a line of the
    log, `report` hears of a making that failed; the next process tries again. `count` takes the first pieces alone.
    """

    def __init__(
        self,
        model: Path | None,
        file: Path,
        note: Callable[[str], None],
        report: Callable[[str, BaseException], None],
        *,
        count: int | None = None,
    ) -> None:
        self._model = model
        self._file = file
        self._note = note
        self._report = report
        self._count = count
        self._one_opens = threading.Lock()
        self._stopping = threading.Event()
        self._maker: threading.Thread | None = None
        self._found: StaticEmbedder | None = None

    def ready(self) -> "StaticEmbedder | None":
        """Opens a table that is there, in 0.2 s; begins to make one that is not."""
        if self._found is None and self._maker is None:
            with self._one_opens:
                self._open_or_begin()
        return self._found

    def wait(self, seconds: float) -> "StaticEmbedder | None":
        """For who would rather wait than go on without."""
        if self.ready() is None and self._maker is not None:
            self._maker.join(seconds)
        return self._found

    def stop(self) -> None:
        """Ends the making; what was made so far is lost."""
        self._stopping.set()
        if self._maker is not None:
            self._maker.join()

    def _open_or_begin(self) -> None:
        if self._found is not None or self._maker is not None or self._model is None:
            return
        self._found = _opened(self._model, self._file)
        if self._found is None:
            self._maker = threading.Thread(target=self._make, args=[self._model], name="search vectors", daemon=True)
            self._maker.start()

    def _make(self, model: Path) -> None:
        from almanac.platform.embedder.table_making import make_table

        _give_way()
        try:
            if make_table(model, self._file, _Progress(self._note), self._stopping.is_set, self._count):
                self._found = _opened(model, self._file)
        except Exception as failed:  # noqa: BLE001 - search goes on without vectors, and whoever reads the log knows why
            self._report("the making of search vectors", failed)


class _Progress:
    """A line at the beginning, a few on the way, and one at the end."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._told = -1

    def __call__(self, share: float) -> None:
        step = int(share * _STEPS)
        if step > self._told:
            self._told = step
            self._note(_line(100 * step // _STEPS))


def _line(percent: int) -> str:
    if percent == 0:
        return "search vectors are made once for this folder; until then, search answers from words"
    return "search vectors are ready" if percent == 100 else f"search vectors: {percent} %"


def _opened(model: Path, file: Path) -> "StaticEmbedder | None":
    """None where no table is, or none that is whole."""
    if not file.exists():
        return None
    from almanac.platform.embedder.opening import open_static
    from almanac.platform.embedder.table_file import BrokenTable

    try:
        return open_static(model, file)
    except (FileNotFoundError, BrokenTable):
        return None


def _give_way() -> None:
    """Calls come first. Where threads have no priority of their own, this one has that of all."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
