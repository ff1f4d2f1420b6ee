"""Values that are set within definitions: defaults of parameters, fields, variables of the environment that are read,
options of a command line, bounds and defaults under names that say so.

They are read from lines, for all languages alike. A definition is found with them; besides, they stand in parts of
their own, since most of what is around them says other things.
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
"""Chunks of values within the definitions of a file."""
LINES = 20
"""Of a chunk, from its first value to its last, not counting a comment above."""
_BEGINNING = 300
_HEADER_LINES = 60
_COMMENT_LINES = 3
_DOC_LINES = 6
_CALLED = frozenset({"function", "method"})
_HOLDS_FIELDS = frozenset({"class", "interface"})
_ENUMERATION = re.compile(r"\b\w*(?:Enum|Flag)\b")
"""Signatures of classes whose fields are members."""
_LITERAL = r"(?:[rbfu]{0,2}[\"'`](?![\"'`])|[-+]?\.?\d|(?:true|false|True|False)\b)"
"""A name is none: what it names has the value."""
_KEY = rf"[A-Za-z_$][\w$-]{{0,{MAX_NAME - 1}}}"
_TYPE = r"[^=\"'`(){};:,\[<]{1,60}(?:[\[<][^=(){};]{0,60}[\]>][^=\"'`(){};:,]{0,60})?"
_PAIR = re.compile(
    rf"(?<![\w$-])(?P<name>{_KEY})[\"']?[ \t]*"
    rf"(?:[?!]?:[ \t]*{_TYPE}=|:=|=>|=|:)(?![=>])[ \t]*(?:[\w.]{{1,60}}\([ \t]*)?{_LITERAL}"
)
"""A name and the literal that it is given, in an assignment, a list of parameters or arguments, or a table."""
_READ = re.compile(
    rf"(?:\bos\.environ\b|\b(?:get_?env|lookup_?env|(?:get_?)?environment_?variable)s?\b|\b(?-i:ENV)\b|\benv(?:!|::var(?:_os)?|\.get|\.fetch)"
    rf"|\boption_env!|\bsystem\.getproperty|@value)[^\S\n]*(?:\.\w{{1,20}}[^\S\n]*)?[(\[][^\S\n]*[\"'](?:\$\{{)?"
    rf"(?P<quoted>[A-Za-z_][\w.-]{{0,{MAX_NAME - 1}}})"
    rf"|\b(?:process|bun|import\.meta)\.env(?:\.|\[[\"'])(?P<member>[A-Za-z_]\w{{0,{MAX_NAME - 1}}})"
    rf"|\benv(?:config|default)?:\"(?P<tagged>[A-Za-z_]\w{{0,{MAX_NAME - 1}}})",
    re.IGNORECASE,
)
"""A variable of the environment, or a property of the process, that is read."""
_OPTION = re.compile(
    r"(?:\badd_argument|[Oo]ption|\.on|\bflag\.\w{1,20}|[Ff]lags(?:\(\))?\.\w{1,20}|[Ss]et_?[Dd]efault)"
    r"[ \t]*\([ \t]*(?:&?[\w.]{1,80},[ \t]*)?(?:[\"']-\w[\"'],[ \t]*)?[\"'](?:-\w,?[ \t]+)?-{0,2}"
    rf"(?P<option>[A-Za-z][\w.-]{{0,{MAX_NAME - 1}}})"
)
"""An option that a command line has, or a default that is set by its name."""
_LONG_OPTION = re.compile(
    rf"[ \t]*(?:[\"']-\w[\"'],[ \t]*)?[\"']--(?P<option>[A-Za-z][\w-]{{0,{MAX_NAME - 1}}})[\"' /=]"
)
"""One that stands on a line of its own."""
_ENTRY = re.compile(
    rf"(?:config|settings|options|conf|defaults?)[\w)]{{0,20}}\[[\"'](?P<entry>{_KEY})[\"']\][ \t]*=(?!=)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SAY_SO = re.compile(
    r"(?:attempts|backoff|capacity|defaults?|delay|expiry|interval|iterations|lifetime|limits?|max|maximum|min|minimum"
    r"|retries|rounds|threshold|timeouts?|ttl)"
)
"""Words of a name that is a bound or a default."""
_WAYS = (
    (_READ, "environment variable", ("env", "getproperty", "@value")),
    (_OPTION, "option", ("add_argument", "option", ".on", "flag", "default")),
    (_ENTRY, "", ("conf", "setting", "option", "default")),
)
"""With what their lines have in lower case: to look for that takes no time."""
_NAMES = re.compile(r"[\w$-]+")
_MARKS = (
    *("attempt", "backoff", "capacity", "default", "delay", "expiry", "interval", "iterations", "lifetime", "limit"),
    *("max", "min", "retries", "rounds", "threshold", "timeout", "ttl", "env", "getproperty", "@value"),
    *("add_argument", "option", ".on", "flag", "conf", "setting", "--"),
)
"""One of these has every line that sets a value, in lower case: all others need not be looked at."""
_COMMENT = ("#", "//", "*", "/*", "--")


class Inside(Struct, frozen=True):
    """Lines of a definition that set `names`, and what its doc comment says of them."""

    piece: Piece
    names: tuple[str, ...]
    doc: str


class _Set(Struct, frozen=True):
    """A name that a line sets, and in what way, as people ask for it."""

    name: str
    way: str = ""


class InnerValues:
    """Of one file."""

    def __init__(self, lines: Sequence[str], settings: Settings) -> None:
        self._lines = lines
        self._settings = settings
        self._marked = _marked(lines)

    def of(self, definition: Definition, numbers: Sequence[int]) -> Iterator[Inside]:
        """`numbers` are those of the lines that belong to the definition and to none within it, counted from 0."""
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

    def _names(self, definition: Definition, numbers: Sequence[int]) -> Mapping[int, Sequence[_Set]]:
        """By the numbers of the lines, in their order."""
        header = self._header(definition) if definition.kind in _CALLED else range(0)
        looked_at = self._marked.intersection(numbers).union(header)
        if definition.kind in _HOLDS_FIELDS:
            looked_at = looked_at.union(filter(self._settings.sets, numbers))
        found: dict[int, Sequence[_Set]] = {}
        for number in self._without_comments(numbers) if looked_at else ():
            if number not in looked_at:
                continue
            names = list(_named(self._lines[number][:_BEGINNING], is_header=number in header))
            if definition.kind in _HOLDS_FIELDS:
                names += (_Set(name) for name in self._settings.names([number]) if not name.startswith("__"))
            if names:
                found[number] = names
        return found

    def _header(self, definition: Definition) -> range:
        """The lines of its parameters; none where they have no defaults."""
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

    def _inside(self, definition: Definition, held: Sequence[int], found: Mapping[int, Sequence[_Set]]) -> Inside:
        shown = list[int]()
        for number in held:
            shown += [*self._comment_above(number), number]
        text = "\n".join(dict.fromkeys(self._lines[each][:_BEGINNING] for each in shown))
        every = [each for number in held for each in found[number]]
        names = tuple(dict.fromkeys(each.name for each in every))[:MAX_NAMES]
        ways = dict.fromkeys(each.way for each in every if each.way)
        doc = "\n".join((*ways, *_doc_of(definition, names)))
        return Inside(Piece(shown[0] + 1, held[-1] + 1, text), names, doc)

    def _comment_above(self, number: int) -> Sequence[int]:
        above = number
        while above > max(0, number - _COMMENT_LINES) and self._lines[above - 1].lstrip().startswith(_COMMENT):
            above -= 1
        return range(above, number)


def _marked(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines that have a mark: found in the whole text, which takes no time."""
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


def _named(line: str, *, is_header: bool) -> Iterator[_Set]:
    """Yield the names that a line sets; a header line sets its parameters, whatever their names."""
    if "=" in line or ":" in line:
        for found in _PAIR.finditer(line):
            name = found["name"]
            if not name.startswith("__") and (is_header or _says_so(name)):
                yield _Set(name)
    if "--" in line and (option := _LONG_OPTION.match(line)) is not None:
        yield _Set(option["option"], "option")
    lowered = line.lower()
    for pattern, way, marks in _WAYS:
        if any(map(lowered.__contains__, marks)):
            for found in pattern.finditer(line):
                yield _Set(next(name for name in found.groups() if name), way)


def _is_enumeration(definition: Definition) -> bool:
    return definition.kind == "class" and _ENUMERATION.search(definition.signature) is not None


def _says_so(name: str) -> bool:
    return any(_SAY_SO.fullmatch(word.lower()) for word in _WORDS.findall(name))


def _doc_of(definition: Definition, names: Sequence[str]) -> Iterator[str]:
    """Yield the beginning of its doc comment, and the lines that mention the names."""
    lines, wanted = [line for line in definition.doc.split("\n") if line.strip()], frozenset(names)
    yield from lines[:1]
    yield from islice((line for line in lines[1:] if not wanted.isdisjoint(_NAMES.findall(line))), _DOC_LINES)
