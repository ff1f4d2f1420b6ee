"""Values that are set within definitions: parameter defaults, fields, environment variables, command-line options, and
limits or defaults recognised by their names.

They are recognised line by line, the same way for all languages. Search finds a definition with them. They also form
chunks of their own, since most text around them is about other things.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice

from msgspec import Struct

from almanac.families.code.chunks.pieces import Piece
from almanac.families.code.chunks.settings import MAX_NAME, MAX_NAMES, Settings
from codegraph import Definition

MOST_INSIDE = 100
"""Limit for chunks of values within the definitions of a file."""
LINES = 20
"""Maximum lines of a chunk from its first value to its last, not counting a comment above."""
_BEGINNING = 300
_HEADER_LINES = 60
_COMMENT_LINES = 3
_DOC_LINES = 6
_CALLED = frozenset({"function", "method"})
_HOLDS_FIELDS = frozenset({"class", "interface"})
_ENUMERATION = re.compile(r"\b\w*(?:Enum|Flag)\b")
"""Matches signatures of classes whose fields are members of an enumeration."""
_LITERAL = r"(?:[rbfu]{0,2}[\"'`](?![\"'`])|[-+]?\.?\d|(?:true|false|True|False)\b)"
"""Matches a literal. A name is not a literal, because its value is set elsewhere."""
_KEY = rf"[A-Za-z_$][\w$-]{{0,{MAX_NAME - 1}}}"
_TYPE = r"[^=\"'`(){};:,\[<]{1,60}(?:[\[<][^=(){};]{0,60}[\]>][^=\"'`(){};:,]{0,60})?"
_PAIR = re.compile(
    rf"(?<![\w$-])(?P<name>{_KEY})[\"']?[ \t]*"
    rf"(?:[?!]?:[ \t]*{_TYPE}=|:=|=>|=|:)(?![=>])[ \t]*(?:[\w.]{{1,60}}\([ \t]*)?{_LITERAL}"
)
"""Matches a name and its literal in an assignment, a list of parameters or arguments, or a table."""
_READ = re.compile(
    rf"(?:\bos\.environ\b|\b(?:get_?env|lookup_?env|(?:get_?)?environment_?variable)s?\b|\b(?-i:ENV)\b|\benv(?:!|::var(?:_os)?|\.get|\.fetch)"
    rf"|\boption_env!|\bsystem\.getproperty|@value)[^\S\n]*(?:\.\w{{1,20}}[^\S\n]*)?[(\[][^\S\n]*[\"'](?:\$\{{)?"
    rf"(?P<quoted>[A-Za-z_][\w.-]{{0,{MAX_NAME - 1}}})"
    rf"|\b(?:process|bun|import\.meta)\.env(?:\.|\[[\"'])(?P<member>[A-Za-z_]\w{{0,{MAX_NAME - 1}}})"
    rf"|\benv(?:config|default)?:\"(?P<tagged>[A-Za-z_]\w{{0,{MAX_NAME - 1}}})",
    re.IGNORECASE,
)
"""Matches a read of an environment variable or a process property."""
_OPTION = re.compile(
    r"(?:\badd_argument|[Oo]ption|\.on|\bflag\.\w{1,20}|[Ff]lags(?:\(\))?\.\w{1,20}|[Ss]et_?[Dd]efault)"
    r"[ \t]*\([ \t]*(?:&?[\w.]{1,80},[ \t]*)?(?:[\"']-\w[\"'],[ \t]*)?[\"'](?:-\w,?[ \t]+)?-{0,2}"
    rf"(?P<option>[A-Za-z][\w.-]{{0,{MAX_NAME - 1}}})"
)
"""Matches a command-line option, or a default that is set by its name."""
_LONG_OPTION = re.compile(
    rf"[ \t]*(?:[\"']-\w[\"'],[ \t]*)?[\"']--(?P<option>[A-Za-z][\w-]{{0,{MAX_NAME - 1}}})[\"' /=]"
)
"""Matches an option on a line of its own."""
_ENTRY = re.compile(
    rf"(?:config|settings|options|conf|defaults?)[\w)]{{0,20}}\[[\"'](?P<entry>{_KEY})[\"']\][ \t]*=(?!=)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SAY_SO = re.compile(
    r"(?:attempts|backoff|capacity|defaults?|delay|expiry|interval|iterations|lifetime|limits?|max|maximum|min|minimum"
    r"|retries|rounds|threshold|timeouts?|ttl)"
)
"""Words in names of limits and defaults."""
_WAYS = (
    (_READ, "environment variable", ("env", "getproperty", "@value")),
    (_OPTION, "option", ("add_argument", "option", ".on", "flag", "default")),
    (_ENTRY, "", ("conf", "setting", "option", "default")),
)
"""Patterns with texts that their lines contain in lower case. Searching for a text first is far cheaper."""
_NAMES = re.compile(r"[\w$-]+")
_MARKS = (
    *("attempt", "backoff", "capacity", "default", "delay", "expiry", "interval", "iterations", "lifetime", "limit"),
    *("max", "min", "retries", "rounds", "threshold", "timeout", "ttl", "env", "getproperty", "@value"),
    *("add_argument", "option", ".on", "flag", "conf", "setting", "--"),
)
"""Every line that sets a value contains one of these in lower case. No other line needs to be examined."""
_COMMENT = ("#", "//", "*", "/*", "--")


class ValueLines(Struct, frozen=True):
    """Lines of a definition that set `names`, and the matching parts of its doc comment."""

    piece: Piece
    names: tuple[str, ...]
    doc: str


class _SetName(Struct, frozen=True):
    """A name that a line sets, and the way, such as "environment variable", in the words of a search."""

    name: str
    way: str = ""


class InnerValues:
    """Finds the values within the definitions of one file."""

    def __init__(self, lines: Sequence[str], settings: Settings) -> None:
        self._lines = lines
        self._settings = settings
        self._marked_lines = _find_marked_lines(lines)

    def of(self, definition: Definition, numbers: Sequence[int]) -> Iterator[ValueLines]:
        """Yield chunks of values. `numbers` are the lines of the definition without inner definitions, counted from
        0."""
        if definition.kind not in _CALLED | _HOLDS_FIELDS or _is_enumeration(definition):
            return
        names = self._names(definition, numbers)
        held: list[int] = []
        for number in names:
            if held and number - held[0] >= LINES:
                yield self._inside(definition, held, names)
                held = []
            held.append(number)
        if held:
            yield self._inside(definition, held, names)

    def _names(self, definition: Definition, numbers: Sequence[int]) -> Mapping[int, Sequence[_SetName]]:
        """Return the names that lines set, by line number in order."""
        header = self._header(definition) if definition.kind in _CALLED else range(0)
        looked_at = self._marked_lines.intersection(numbers).union(header)
        if definition.kind in _HOLDS_FIELDS:
            looked_at = looked_at.union(filter(self._settings.sets, numbers))
        found: dict[int, Sequence[_SetName]] = {}
        for number in self._without_comments(numbers) if looked_at else ():
            if number not in looked_at:
                continue
            names = list(_names_set(self._lines[number][:_BEGINNING], is_header=number in header))
            if definition.kind in _HOLDS_FIELDS:
                names += (_SetName(name) for name in self._settings.names([number]) if not name.startswith("__"))
            if names:
                found[number] = names
        return found

    def _header(self, definition: Definition) -> range:
        """Return the lines of the parameters, or none if no parameter has a default."""
        first, depth, has_values = definition.line - 1, 0, False
        for number in range(first, min(first + _HEADER_LINES, definition.end_line, len(self._lines))):
            line = self._lines[number][:_BEGINNING]
            depth += line.count("(") - line.count(")")
            has_values = has_values or "=" in line or ": " in line
            if depth <= 0:
                return range(first, number + 1) if has_values else range(0)
        return range(first, first + 1)

    def _without_comments(self, numbers: Sequence[int]) -> Iterator[int]:
        within = ""
        for number in numbers:
            line = self._lines[number].lstrip()
            if within:
                within = "" if within in line else within
            elif line.startswith(('"""', "'''", 'r"""')):
                within = line.lstrip("r")[:3]
                within = "" if line.count(within) > 1 else within
            elif line and not line.startswith(_COMMENT):
                yield number

    def _inside(
        self, definition: Definition, held: Sequence[int], found: Mapping[int, Sequence[_SetName]]
    ) -> ValueLines:
        shown = list[int]()
        for number in held:
            shown += [*self._comment_above(number), number]
        text = "\n".join(dict.fromkeys(self._lines[each][:_BEGINNING] for each in shown))
        every = [each for number in held for each in found[number]]
        names = tuple(dict.fromkeys(each.name for each in every))[:MAX_NAMES]
        ways = dict.fromkeys(each.way for each in every if each.way)
        doc = "\n".join((*ways, *_doc_of(definition, names)))
        return ValueLines(Piece(shown[0] + 1, held[-1] + 1, text), names, doc)

    def _comment_above(self, number: int) -> Sequence[int]:
        above = number
        while above > max(0, number - _COMMENT_LINES) and self._lines[above - 1].lstrip().startswith(_COMMENT):
            above -= 1
        return range(above, number)


def _find_marked_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of lines with a mark. The whole text is searched at once, which is fast."""
    text = "\n".join(lines).lower()
    begins = list(accumulate((len(line.lower()) + 1 for line in lines), initial=0))
    found: set[int] = set()
    for mark in _MARKS:
        place = text.find(mark)
        while place >= 0:
            number = bisect_right(begins, place) - 1
            found.add(number)
            place = text.find(mark, begins[number + 1])
    return frozenset(found)


def _names_set(line: str, *, is_header: bool) -> Iterator[_SetName]:
    """Yield the names that a line sets. A header line sets its parameters, whatever their names."""
    if "=" in line or ":" in line:
        for found in _PAIR.finditer(line):
            name = found["name"]
            if not name.startswith("__") and (is_header or _says_so(name)):
                yield _SetName(name)
    if "--" in line and (option := _LONG_OPTION.match(line)) is not None:
        yield _SetName(option["option"], "option")
    lowered = line.lower()
    for pattern, way, marks in _WAYS:
        if any(map(lowered.__contains__, marks)):
            for found in pattern.finditer(line):
                yield _SetName(next(name for name in found.groups() if name), way)


def _is_enumeration(definition: Definition) -> bool:
    return definition.kind == "class" and _ENUMERATION.search(definition.signature) is not None


def _says_so(name: str) -> bool:
    return any(_SAY_SO.fullmatch(word.lower()) for word in _WORDS.findall(name))


def _doc_of(definition: Definition, names: Sequence[str]) -> Iterator[str]:
    """Yield the first line of the doc comment, and the lines that mention the names."""
    lines, wanted = [line for line in definition.doc.split("\n") if line.strip()], frozenset(names)
    yield from lines[:1]
    yield from islice((line for line in lines[1:] if not wanted.isdisjoint(_NAMES.findall(line))), _DOC_LINES)
