"""Edges from files, resolved once for each file and revision, within the time of one call."""

from collections.abc import Callable, Iterable, Sequence

from almanac.families.code.traversal.revision_view import RevisionView
from almanac.kernel.clock import thread_seconds
from codegraph import FileEdges, edges_of

SECONDS = 2.5
"""The CPU that the edges of one call take; one neighbourhood more may follow."""
AT_ONCE = 30
"""Files that are asked of one neighbourhood."""


class Edges:
    """For one call. `unread`: files that there was no time for."""

    def __init__(
        self, reading: RevisionView, cpu: Callable[[], float] = thread_seconds, seconds: float = SECONDS
    ) -> None:
        self._reading = reading
        self._cpu = cpu
        self._until = cpu() + seconds
        self._found: dict[str, FileEdges] = {}
        self._asked: dict[str, FileEdges] = {}
        self.unread: set[str] = set()

    @property
    def found(self) -> Iterable[FileEdges]:
        """Return all edges resolved in this call."""
        return self._found.values()

    @property
    def cut(self) -> bool:
        """Tell whether edges of the files that were asked for may be missing."""
        return any(each.cut for each in self._asked.values())

    @property
    def left_out(self) -> int:
        """Count the files that picking had no room for."""
        return sum(one.files for one in {one for each in self._asked.values() for one in each.left_out})

    def of(self, paths: Sequence[str]) -> list[FileEdges]:
        """The edges from these files, as far as there is time for them."""
        missing = [path for path in dict.fromkeys(paths) if path not in self._found and not self._kept(path)]
        done = 0
        while done < len(missing):
            if missing[done] in self._found:  # of a small repository all come at once
                done += 1
                continue
            if self._cpu() > self._until:
                self.unread.update(missing[done:])
                break
            for path, edges in edges_of(self._reading, missing[done : done + AT_ONCE]).items():
                self._found[path] = edges
                self._reading.keep_edges(path, edges)
            done += AT_ONCE
        found = {path: self._found[path] for path in paths if path in self._found}
        self._asked |= found
        return list(found.values())

    def _kept(self, path: str) -> bool:
        kept = self._reading.kept_edges(path)
        if kept is not None:
            self._found[path] = kept
        return kept is not None
