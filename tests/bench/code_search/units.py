"""Functions and methods by their lines: what both sides' answers are brought to before they are compared.

A function within a function belongs to the outer one.
"""

from bisect import bisect_right
from collections.abc import Mapping

from codegraph import outline
from tests.bench.code_search.tasks import Place

_CALLED = {"function", "method"}


class Units:
    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._spans: dict[str, list[tuple[int, int, int]]] = {}

    def around(self, path: str, line: int) -> Place:
        """The line of the name of the function or method that has the line; 0 outside of them."""
        spans = self._of(path)
        at = bisect_right(spans, (line, len(spans) + line, 0)) - 1
        if at >= 0 and spans[at][0] <= line <= spans[at][1]:
            return Place(path, spans[at][2])
        return Place(path, 0)

    def _of(self, path: str) -> list[tuple[int, int, int]]:
        """First line, last line, line of the name, of those that stand in no other."""
        if path not in self._spans:
            found: list[tuple[int, int, int]] = []
            every = outline(path, self._files[path]).definitions if path in self._files else ()
            for each in sorted(every, key=lambda one: (one.start_line, -one.end_line)):
                if each.kind in _CALLED and (not found or each.start_line > found[-1][1]):
                    found.append((each.start_line, each.end_line, each.line))
            self._spans[path] = found
        return self._spans[path]
