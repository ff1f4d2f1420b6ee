"""Outline a file. The result depends on the text alone, and work is bounded for any text."""

import re
from bisect import bisect_right
from collections.abc import Callable

from codegraph.budget import thread_seconds
from codegraph.languages.names import language_of
from codegraph.languages.parser import MAX_BYTES, parse_tree, seconds_for
from codegraph.symbols.descriptions import doc_of, signature_of, start_line_of
from codegraph.symbols.finder import Finds, finds
from codegraph.symbols.grammars import GRAMMARS, Grammar
from codegraph.symbols.outlines import Definition, Kind, Outline
from codegraph.symbols.qualified_names import PlacedDefinition, place_definitions

MAX_DEFINITIONS = 10_000


def outline(path: str, text: str, cpu: Callable[[], float] = thread_seconds) -> Outline:
    """Return the definitions in the file at `path`. Never raises. `cpu` returns the seconds that this thread has used,
    and a file gets two."""
    source = Source(language_of(path, text), text, cpu)
    return outline_of(source, cpu)


class Source:
    """Text of a file in a language, and its syntax tree. The tree is None if there is no parser, or parsing would take
    too much."""

    def __init__(self, language: str, text: str, cpu: Callable[[], float] = thread_seconds) -> None:
        self.language = language
        self.text = text
        self.bytes = text.encode("utf-8", "replace")
        fits = language in GRAMMARS and len(self.bytes) <= MAX_BYTES
        self.tree = parse_tree(language, self.bytes, cpu) if fits else None


def outline_of(read: Source, cpu: Callable[[], float] = thread_seconds) -> Outline:
    """Return the outline of a file that is already parsed."""
    language, text, source, tree = read.language, read.text, read.bytes, read.tree
    if tree is None:
        return Outline(language=language)
    deadline = cpu() + seconds_for(source)
    found = finds(tree, source, language, lambda: cpu() > deadline)
    if found is None:
        return Outline(language=language)
    errors = max(found.errors, int(tree.root_node.has_error))
    return _build_outline(language, source, text, found, errors)


def _build_outline(language: str, source: bytes, text: str, found: Finds, errors: int) -> Outline:
    places = list(place_definitions(found.found.values()))
    described = _Describer(source, text, found, GRAMMARS[language])
    definitions = [described.definition(place, place.kind) for place in places if place is not None and place.kind]
    definitions.sort(key=lambda each: (each.line, each.start_line))
    too_deep = sum(place is None for place in places)
    return Outline(
        language=language,
        definitions=tuple(definitions[:MAX_DEFINITIONS]),
        parsed=True,
        errors=errors,
        left_out=found.left_out + too_deep + max(0, len(definitions) - MAX_DEFINITIONS),
    )


class _Describer:
    def __init__(self, source: bytes, text: str, found: Finds, rules: Grammar) -> None:
        self._source = source
        self._lines = text.split("\n")
        self._found = found
        self._rules = rules
        self._exports = _Exports(found, rules)

    def definition(self, place: PlacedDefinition, kind: Kind) -> Definition:
        found = place.found
        first = self._found.outer_lines.get(found.start_line, found.start_line)
        start_line = start_line_of(first, self._lines, self._rules)
        signature = signature_of(found, self._source)
        doc, doc_line = doc_of(found, self._source, start_line, self._lines, self._rules)
        return Definition(
            name=found.name,
            qualified=place.qualified,
            kind=self._kind(kind, found.name, signature),
            line=found.line + 1,
            start_line=start_line + 1,
            end_line=found.end_line + 1,
            signature=signature,
            doc=doc,
            doc_line=doc_line,
            exported=self._exports.has(place, signature),
            parent=place.parent,
        )

    def _kind(self, kind: Kind, name: str, signature: str) -> Kind:
        if kind in {"variable", "field"}:
            if self._rules.constant and re.search(self._rules.constant, signature):
                return "constant"
            if self._rules.shouts and name.isupper():
                return "constant"
        return kind


_FUNCTIONS = frozenset({"function", "method"})


class _Exports:
    """Decides which definitions of one file are exported, by the rules of its language."""

    def __init__(self, found: Finds, rules: Grammar) -> None:
        self._rules = rules
        self._names = found.exported_names
        self._ranges = sorted(found.exporting)
        self._starts = [start for start, _ in self._ranges]
        self._answers: dict[tuple[int, str], bool] = {}

    def has(self, place: PlacedDefinition, signature: str) -> bool:
        """Tell whether a definition is exported. Call this for outer definitions first. Nothing inside a function is
        exported."""
        answer = self._says(place, signature)
        self._answers[place.found.start, place.qualified] = answer
        return answer

    def _says(self, place: PlacedDefinition, signature: str) -> bool:
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

    def _is_as_public(self, place: PlacedDefinition) -> bool:
        """Tell whether a definition is exported as a member of an exported interface or enum."""
        above = place.above
        return above is not None and above.kind in {"interface", "enum"} and self._answer(above)

    def _is_by_statement(self, place: PlacedDefinition) -> bool:
        above = place.above
        if above is not None and above.kind != "module":
            return self._answer(above)
        if place.found.name in self._names or place.found.name == "default":
            return True
        index = bisect_right(self._starts, place.found.start) - 1
        after = above.found.start if above is not None else -1
        return index >= 0 and self._ranges[index][1] >= place.found.end and self._starts[index] > after

    def _answer(self, above: PlacedDefinition) -> bool:
        return self._answers.get((above.found.start, above.qualified), False)
