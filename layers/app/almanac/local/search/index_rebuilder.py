"""Rebuild of a laptop's search index from the store, in the background, if the index is new, lost or without vectors.

That happens for a folder from a version without search, for a deleted or damaged index, and when the table of vectors
has just been made. Meanwhile search answers from the existing index.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from almanac.composition.laptop_search import LaptopSearch
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.local.search.services import scopes_of
from almanac.platform.bus.delivery import Report
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.engine.maintenance import Upkeep
from almanac.search.engine.parts import IndexParts
from almanac.search.port import GONE_KEPT_MS

LOOK_SECONDS = 2.0
TIDY_MS = 60_000
STOP_SECONDS = 30.0


class KeptIndex(Protocol):
    @property
    def needs_rebuild(self) -> bool:
        """Return whether documents may be missing for good."""
        ...

    def drop_removed(self, before: int) -> int:
        """Forget removed documents, as in `SearchIndex`."""
        ...


class _Stopped(Exception):
    """The server stops. The next one begins the rebuild from the start."""


class IndexRebuilder:
    """Rebuilds one index. `mark` is a file beside it that names the model of its vectors. `note` takes a log line."""

    def __init__(
        self,
        index: KeptIndex,
        indexing: IndexParts,
        upkeep: Upkeep,
        scopes: Callable[[], list[Scope]],
        mark: Path,
        note: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._index = index
        self._indexing = indexing
        self._upkeep = upkeep
        self._scopes = scopes
        self._mark = mark
        self._note = note
        self._clock = clock
        self._tidied_at = 0
        self._stopping = threading.Event()

    def look(self) -> bool:
        """Rebuild the index if that is needed, and return whether it was."""
        vectors = self._indexing.vectors_of()
        if not vectors:
            # Documents that are written from now on have no vectors, whatever the mark said.
            self._mark.unlink(missing_ok=True)
        if not self._index.needs_rebuild and (vectors == "" or vectors == self._read_mark()):
            return False
        self._rebuild(vectors)
        return True

    def run(self, report: Report) -> None:
        """Call `look` again and again until `stop`."""
        while not self._stopping.is_set():
            try:
                self.look()
                self.tidy()
            except _Stopped:
                return
            except Unavailable:
                pass  # another process rebuilds the index, or the disk is full; the next look tries again
            except Exception as failed:  # noqa: BLE001 - search goes on with the existing index
                report("the rebuild of the search index", failed)
            self._stopping.wait(LOOK_SECONDS)

    def tidy(self) -> None:
        """From time to time purge documents removed long ago, and release their disk space."""
        now = now_ms(self._clock)
        if abs(now - self._tidied_at) >= TIDY_MS:
            self._tidied_at = now
            self._index.drop_removed(now - GONE_KEPT_MS)

    def stop(self) -> None:
        self._stopping.set()

    def _rebuild(self, vectors: str) -> None:
        documents = self._upkeep.rebuild(self._scopes(), self._go_on)
        if vectors:
            self._mark.write_text(vectors, encoding="utf-8")
        if documents:
            self._note(f"search index is made: {documents} documents{'' if vectors else ', words alone'}")

    def _go_on(self, _done: int) -> None:
        if self._stopping.is_set():
            raise _Stopped

    def _read_mark(self) -> str:
        try:
            return self._mark.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""


@contextmanager
def rebuild_in_background(search: LaptopSearch, services: Services, clock: Clock, report: Report) -> Generator[None]:
    """Rebuild the index as needed on a separate thread until the end of the block."""
    upkeep = Upkeep(search.index, search.indexing, services)
    keeper = IndexRebuilder(
        search.index,
        search.indexing,
        upkeep,
        lambda: scopes_of(services.get(Store), clock),
        search.mark,
        search.note,
        clock,
    )
    thread = threading.Thread(target=keeper.run, args=[report], name="search index", daemon=True)
    thread.start()
    try:
        yield
    finally:
        keeper.stop()
        thread.join(STOP_SECONDS)
        search.close()
