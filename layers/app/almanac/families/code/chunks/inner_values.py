"""Values that are set within definitions: defaults of parameters, fields, variables of the environment that are read,
options of a command line, bounds and defaults under names that say so.

They are read from lines, for all languages alike. A definition is found with them; besides, they stand in parts of
their own, since most of what is around them says other things.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from almanac.families.code.chunks.pieces import Piece
from almanac.families.code.chunks.settings import MAX_NAME, MAX_NAMES, Settings
from almanac.families.code.symbols.outlines import Definition

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
"""What a signature says of a class whose fields are members."""
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
        header = self._header_end(definition) if definition.kind in _CALLED else -1
        found: dict[int, Sequence[_Set]] = {}
        for number in self._without_comments(numbers):
            line = self._lines[number][:_BEGINNING]
            names = list(_named(line, is_header=definition.line <= number + 1 <= header + 1))
            if definition.kind in _HOLDS_FIELDS:
                names += (_Set(name) for name in self._settings.names([number]) if not name.startswith("__"))
            if names:
                found[number] = names
        return found

    def _header_end(self, definition: Definition) -> int:
        """The last line of its parameters."""
        first = definition.line - 1
        depth = 0
        for number in range(first, min(first + _HEADER_LINES, definition.end_line, len(self._lines))):
            line = self._lines[number][:_BEGINNING]
            depth += line.count("(") - line.count(")")
            if depth <= 0:
                return number
        return first

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


def _named(line: str, *, is_header: bool) -> Iterator[_Set]:
    """What a line sets: of parameters whatever they are called."""
    if "=" in line or ":" in line:
        for found in _PAIR.finditer(line):
            name = found["name"]
            if not name.startswith("__") and (is_header or _says_so(name)):
                yield _Set(name)
    if (option := _LONG_OPTION.match(line)) is not None:
        yield _Set(option["option"], "option")
    for pattern, way in ((_READ, "environment variable"), (_OPTION, "option"), (_ENTRY, "")):
        for found in pattern.finditer(line):
            yield _Set(next(name for name in found.groups() if name), way)


def _is_enumeration(definition: Definition) -> bool:
    return definition.kind == "class" and _ENUMERATION.search(definition.signature) is not None


def _says_so(name: str) -> bool:
    return any(_SAY_SO.fullmatch(word.lower()) for word in _WORDS.findall(name))


def _doc_of(definition: Definition, names: Sequence[str]) -> Iterator[str]:
    """How its doc comment begins, and what it says of the names."""
    lines = [line for line in definition.doc.split("\n") if line.strip()]
    named = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")
    yield from lines[:1]
    yield from islice((line for line in lines[1:] if named.search(line)), _DOC_LINES)
