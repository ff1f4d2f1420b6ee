"""Composition of search on a laptop: an index in SQLite, a table of vectors that is made once, and an embedding model.

All of them are in a folder beside the store.
"""
# ruff: noqa: PLC0415 - only search and indexing load their parts

from collections.abc import Callable, Sequence
from functools import cache as once
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from almanac.composition.laptop import open_context_embedder, open_vectors
from almanac.composition.search import index_parts

if TYPE_CHECKING:
    from almanac.platform.bus.delivery import Report
    from almanac.platform.embedder.minilm import MiniLm


class LaptopSearch:
    """Parts of search that the threads of a process share.

    `note` writes a line to the log and `report` gets background failures. `tables` are the files that may hold the
    table of vectors. A new table goes into the first of them that can be written. `cache` is the folder in which the
    model may be installed.
    """

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
        """File with the name of the model that made the vectors in the index."""
        self.note = note
        self.index = SqliteIndex(folder / "index", lost=lambda why: note(f"the search index is made again: {why}"))
        model = _OneModel(cache)
        self.vectors = open_vectors(tables, note, report, model, cache=cache)
        self.indexing = index_parts(self.index, self.vectors, model)

    def close(self) -> None:
        """Stop the background work and close the index."""
        self.vectors.stop()
        self.index.close()


class _OneModel:
    """The embedding model of a process. The thread that needs it first opens it."""

    def __init__(self, cache: Path | None) -> None:
        self._lock = Lock()
        self._open = once(lambda: open_context_embedder(cache))

    def __call__(self) -> "MiniLm | None":
        with self._lock:
            return self._open()
