"""The index of a laptop is kept whole while the server runs: made from the store where it is new, lost, or of words.

A folder from before there was search, one whose index was deleted or damaged, and one whose table of vectors has just
been made all come to the same: a rebuild in the background, while search answers from what there is.
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
        """As that of the port."""
        ...


class _Stopped(Exception):
    """The server ends; another one begins the rebuild anew."""


class IndexRebuilder:
    """`mark` is a file beside the index: it names what made the vectors in it. `note` takes a line for the log."""

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
        """Make the index again where that is needed; whether it was."""
        vectors = self._indexing.vectors_of()
        if not vectors:
            # What is written from now on has none, whatever was said before.
            self._mark.unlink(missing_ok=True)
        if not self._index.needs_rebuild and (vectors == "" or vectors == self._marked()):
            return False
        self._rebuild(vectors)
        return True

    def run(self, report: Report) -> None:
        """Look again and again until `stop`."""
        while not self._stopping.is_set():
            try:
                self.look()
                self.tidy()
            except _Stopped:
                return
            except Unavailable:
                pass  # another process makes it again, or the disk is full: the next look shows
            except Exception as failed:  # noqa: BLE001 - search goes on with what there is
                report("the rebuild of the search index", failed)
            self._stopping.wait(LOOK_SECONDS)

    def tidy(self) -> None:
        """Now and then forget what was removed long ago, and give its room back to the disk."""
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

    def _marked(self) -> str:
        try:
            return self._mark.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""


@contextmanager
def keeping_index(search: LaptopSearch, services: Services, clock: Clock, report: Report) -> Generator[None]:
    """Keep the index on a thread of its own until the end of the block."""
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
