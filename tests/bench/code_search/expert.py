"""How somebody who knows grep well goes about each kind of task.

He knows how each language writes a definition and a call, asks for whole words, looks at the definition around a match,
and searches again with what he learnt. What he is shown is what an agent would have to read.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from tests.bench.code_search.grep import Match, excerpt, grep, terminal_output
from tests.bench.code_search.tasks import Place, Task
from tests.bench.code_search.units import Units

READ = 12
"""Lines of a definition that he looks at."""
MOST_LINES = 50
"""Of one search for a setting."""
MOST_CALLERS = 10
"""Whose callers he looks for in turn."""

_PLAIN = {
    ".py": r"^\s*(?:async\s+)?(?:def|class)\s+{name}\b|^{name}\s*[:=]",
    ".go": r"^func\s+(?:\([^)]*\)\s*)?{name}\b|^\s*(?:type|const|var)\s+{name}\b",
    ".ts": (
        r"\b(?:function|class|interface|type|enum|const|let|var)\s+{name}\b"
        r"|^\s+(?:(?:public|private|protected|static|async|get|set|readonly|override)\s+)*{name}\s*(?:<[^>]*>)?\([^;]*\{{\s*$"
    ),
}
_GO_METHOD = r"^func\s+\([^)]*\b{owner}\)\s*{name}\b"
_OWN = re.compile(r"\b(?:self|this|cls)$")


class Reading(Struct, frozen=True):
    """What was shown, and the places that he takes from it, in the order in which he reads them."""

    text: str
    places: tuple[Place, ...]


class Expert:
    """Of one package."""

    def __init__(self, files: Mapping[str, str], units: Units) -> None:
        self._files = files
        self._units = units

    def definition(self, task: Task) -> Reading:
        found = self._definitions(task.symbol)
        texts = [terminal_output(self._files, found, heads=True)]
        owner = task.symbol.rpartition(".")[0]
        meant = [match for match in found if match.path == task.path and self._stands_in(match, owner)]
        texts += [excerpt(self._files, match.path, match.line, READ) for match in meant]
        return Reading("\n".join(texts), tuple(Place(match.path, match.line) for match in meant))

    def callers(self, task: Task) -> Reading:
        text, places = self._calls(task.symbol, task.path)
        return Reading(text, tuple(places))

    def impact(self, task: Task) -> Reading:
        text, places = self._calls(task.symbol, task.path)
        texts, every = [text], dict.fromkeys(places)
        for place in places[:MOST_CALLERS]:
            if place.line:
                text, more = self._calls(self._name_at(place), place.path)
                texts.append(text)
                every |= dict.fromkeys(more)
        return Reading("\n".join(texts), tuple(every))

    def setting(self, task: Task) -> Reading:
        texts, places = list[str](), list[Place]()
        for pattern in task.patterns:
            found = grep(self._files, pattern, most=MOST_LINES, folded=True)
            texts.append(terminal_output(self._files, found))
            places += [Place(match.path, match.line) for match in found]
            if set(places) & set(task.answer):
                break
        return Reading("\n".join(texts), tuple(dict.fromkeys(places)))

    def _definitions(self, symbol: str) -> Sequence[Match]:
        owner, _, name = symbol.rpartition(".")
        ending = self._file_ending()
        pattern = _GO_METHOD if ending == ".go" and owner else _PLAIN[ending]
        return grep(self._files, pattern.format(name=re.escape(name), owner=re.escape(owner)))

    def _calls(self, symbol: str, path: str) -> tuple[str, list[Place]]:
        """Of a method only calls with a dot before its name, and with `self.` only in its own class."""
        owner, _, name = symbol.rpartition(".")
        before = r"\." if owner else r"(?<![\w.])(?:\w+\.)?"
        definitions = {(match.path, match.line) for match in self._definitions(name)}
        found = grep(self._files, rf"{before}{re.escape(name)}\(")
        calls = [match for match in found if (match.path, match.line) not in definitions]
        mine = [match for match in calls if self._may_be(match, owner, name, path)]
        places = dict.fromkeys(self._units.around(match.path, match.line) for match in mine)
        return terminal_output(self._files, calls, heads=True), list(places)

    def _may_be(self, match: Match, owner: str, name: str, path: str) -> bool:
        if not owner or self._file_ending() == ".go":
            return True
        receiver = match.text[: match.text.index(f".{name}(")]
        return not _OWN.search(receiver) or (match.path == path and self._stands_in(match, owner))

    def _stands_in(self, match: Match, owner: str) -> bool:
        if not owner or self._file_ending() == ".go":
            return True
        lines = self._files[match.path].split("\n")
        word = re.compile(rf"\bclass\s+{re.escape(owner.rpartition('.')[2])}\b")
        return any(word.search(lines[head - 1]) for head in match.heads if head != match.line)

    def _name_at(self, place: Place) -> str:
        """The name on that line, with its class's before it."""
        lines = self._files[place.path].split("\n")
        line = lines[place.line - 1]
        if self._file_ending() == ".go":
            method = re.match(r"func\s+\(\s*\w*\s*\*?(\w+)[^)]*\)\s*(\w+)", line)
            plain = re.match(r"func\s+(\w+)", line)
            return f"{method[1]}.{method[2]}" if method else plain[1] if plain else ""
        word = r"(?:(?:async|def|function|const|let|export|static|private|public|get|set|default)\s+)*([\w$]+)"
        named = re.match(rf"\s*{word}", line)
        owner = next((found[1] for found in self._classes(place, lines)), "")
        name = named[1] if named else ""
        return f"{owner}.{name}" if owner else name

    def _classes(self, place: Place, lines: Sequence[str]) -> Sequence[re.Match[str]]:
        match = next(iter(grep({place.path: self._files[place.path]}, re.escape(lines[place.line - 1]))), None)
        heads = match.heads if match else ()
        found = (re.search(r"\bclass\s+(\w+)", lines[head - 1]) for head in heads if head != place.line)
        return [each for each in found if each]

    def _file_ending(self) -> str:
        path = next(iter(self._files))
        return ".ts" if path.endswith((".ts", ".tsx")) else path[path.rindex(".") :]
