"""The search of a laptop, in a folder beside the store: an index in SQLite, a table of vectors that is made once, and
the model that reads whole texts."""
# ruff: noqa: PLC0415 - only who searches or indexes pays for what that needs

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from almanac.composition.laptop import open_context_embedder, open_vectors
from almanac.composition.search import indexing_over

if TYPE_CHECKING:
    from almanac.platform.bus.delivery import Report
    from almanac.platform.embedder.late_vectors import LateVectors
    from almanac.platform.embedder.port import ContextEmbedder, StaticEmbedder

DEFER_SECONDS = 15
"""A server that has just started has its first calls to answer: only then the table of vectors is begun."""


class LaptopSearch:
    """What the threads of a process share. `note` writes a line of the log, `report` hears of what went wrong in the
    background. `table` is the file of the table of vectors; `defer` are the seconds until it may be begun."""

    def __init__(
        self,
        folder: Path,
        table: Path,
        note: Callable[[str], None],
        report: "Report",
        defer: float = DEFER_SECONDS,
    ) -> None:
        from almanac.platform.search.sqlite.index import SqliteIndex

        self.mark = folder / "made-by"
        """The file that names what made the vectors in the index."""
        self.note = note
        self.index = SqliteIndex(folder / "index", lost=lambda why: note(f"the search index is made again: {why}"))
        self.vectors = open_vectors(table, note, report)
        deferred = _DeferredVectors(self.vectors, table, time.monotonic() + defer)
        self.indexing = indexing_over(self.index, deferred, _OneModel())

    def close(self) -> None:
        """End what goes on in the background."""
        self.vectors.stop()
        self.index.close()


class _DeferredVectors:
    """The vectors of a process that has other things to do first."""

    def __init__(self, vectors: "LateVectors", table: Path, begin_at: float) -> None:
        self._vectors = vectors
        self._table = table
        self._begin_at = begin_at

    def ready(self) -> "StaticEmbedder | None":
        if time.monotonic() < self._begin_at and not self._table.exists():
            return None
        return self._vectors.ready()


class _OneModel:
    """The model of a process, opened by the thread that first asks for it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open = cache(open_context_embedder)

    def __call__(self) -> "ContextEmbedder | None":
        with self._lock:
            return self._open()
