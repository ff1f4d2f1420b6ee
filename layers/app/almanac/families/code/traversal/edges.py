"""Edges from files, resolved once per file and revision, within the CPU limit of one call."""

from collections.abc import Callable, Iterable, Sequence

from almanac.families.code.traversal.revision_view import RevisionView
from almanac.kernel.clock import thread_seconds
from codegraph import FileEdges, edges_of

SECONDS = 2.5
"""CPU seconds that the edges of one call may take. One more neighbourhood may follow."""
AT_ONCE = 30
"""Files whose edges are resolved as one neighbourhood."""


class Edges:
    """Resolves edges for one call. `unread` has the files that were left out for lack of time."""

    def __init__(
        self, reading: RevisionView, cpu: Callable[[], float] = thread_seconds, seconds: float = SECONDS
    ) -> None:
        self._reading = reading
        self._cpu = cpu
        self._until = cpu() + seconds
        self._found: dict[str, FileEdges] = {}
        self._requested: dict[str, FileEdges] = {}
        self.unread: set[str] = set()

    @property
    def resolved_edges(self) -> Iterable[FileEdges]:
        """All edges resolved in this call."""
        return self._found.values()

    @property
    def cut(self) -> bool:
        """Return whether edges of the requested files may be missing."""
        return any(each.cut for each in self._requested.values())

    @property
    def left_out(self) -> int:
        """Number of files that the selection of a neighbourhood had no room for."""
        return sum(one.files for one in {one for each in self._requested.values() for one in each.left_out})

    def of(self, paths: Sequence[str]) -> list[FileEdges]:
        """Return the edges from these files, as far as time allows."""
        missing = [path for path in dict.fromkeys(paths) if path not in self._found and not self._load_cached(path)]
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
        self._requested |= found
        return list(found.values())

    def _load_cached(self, path: str) -> bool:
        kept = self._reading.cached_edges(path)
        if kept is not None:
            self._found[path] = kept
        return kept is not None
