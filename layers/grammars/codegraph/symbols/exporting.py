"""Whether a definition can be used from outside of its file."""

import re
from bisect import bisect_right

from codegraph.symbols.finding import Finds
from codegraph.symbols.grammars import Grammar
from codegraph.symbols.nesting import Placed

_FUNCTIONS = frozenset({"function", "method"})


class Exports:
    """Of one file, by the rules of its language."""

    def __init__(self, found: Finds, rules: Grammar) -> None:
        self._rules = rules
        self._names = found.exported_names
        self._ranges = sorted(found.exporting)
        self._starts = [start for start, _ in self._ranges]
        self._answers: dict[tuple[int, str], bool] = {}

    def has(self, place: Placed, signature: str) -> bool:
        """To be asked of outer definitions first. What stands in a function is never exported."""
        answer = self._says(place, signature)
        self._answers[place.found.start, place.qualified] = answer
        return answer

    def _says(self, place: Placed, signature: str) -> bool:
        rules = self._rules
        if place.above is not None and place.above.kind in _FUNCTIONS:
            return False
        if rules.hidden and re.search(rules.hidden, signature):
            return False
        if rules.exported:
            return bool(re.search(rules.exported, signature)) or self._is_as_public(place)
        if rules.capitals:
            return place.found.name[:1].isupper()
        if rules.underscores:
            return not place.found.name.startswith("_") or place.found.name.endswith("__")
        return not rules.exports or self._is_by_statement(place)

    def _is_as_public(self, place: Placed) -> bool:
        """Members of an interface, and of an enum, as it is itself."""
        above = place.above
        return above is not None and above.kind in {"interface", "enum"} and self._answer(above)

    def _is_by_statement(self, place: Placed) -> bool:
        above = place.above
        if above is not None and above.kind != "module":
            return self._answer(above)
        if place.found.name in self._names or place.found.name == "default":
            return True
        index = bisect_right(self._starts, place.found.start) - 1
        after = above.found.start if above is not None else -1
        return index >= 0 and self._ranges[index][1] >= place.found.end and self._starts[index] > after

    def _answer(self, above: Placed) -> bool:
        return self._answers.get((above.found.start, above.qualified), False)
