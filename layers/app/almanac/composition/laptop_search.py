"""The search of a laptop, in a folder beside the store: an index in SQLite, a table of vectors that is made once, and
the model that reads whole texts."""
# ruff: noqa: PLC0415 - only who searches or indexes pays for what that needs

from collections.abc import Callable, Sequence
from functools import cache as once
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from almanac.composition.laptop import open_context_embedder, open_vectors
from almanac.composition.search import indexing_over

if TYPE_CHECKING:
    from almanac.platform.bus.delivery import Report
    from almanac.platform.embedder.minilm import MiniLm


class LaptopSearch:
    """Search parts that the threads of a process share. `note` writes a line of the log, `report` gets failures in the
    background. `tables` are the files where a table of vectors may be; it is kept in the first that can be written.
    `cache` is where the model may be installed."""

    def __init__(
        self,
        folder: Path,
        tables: Sequence[Path],
        note: Callable[[str], None],
        report: "Report",
        cache: Path | None = None,
    ) -> None:
        from almanac.search.sqlite.index import SqliteIndex

        self.mark = folder / "made-by"
        """The file that names what made the vectors in the index."""
        self.note = note
        self.index = SqliteIndex(folder / "index", lost=lambda why: note(f"the search index is made again: {why}"))
        model = _OneModel(cache)
        self.vectors = open_vectors(tables, note, report, model, cache=cache)
        self.indexing = indexing_over(self.index, self.vectors, model)

    def close(self) -> None:
        """End what goes on in the background."""
        self.vectors.stop()
        self.index.close()


class _OneModel:
    """The model of a process, opened by the thread that first asks for it."""

    def __init__(self, cache: Path | None) -> None:
        self._lock = Lock()
        self._open = once(lambda: open_context_embedder(cache))

    def __call__(self) -> "MiniLm | None":
        with self._lock:
            return self._open()
