"""Content lines of an iCalendar text and their components, however broken the text is.

Nothing here raises. A component leaves out lines that do not fit and notes them, and the rest is read.
"""

import re
from collections.abc import Iterator

from msgspec import Struct, field

_NAME = re.compile(r"([A-Za-z0-9_.-]{1,80})[;:]")
_EDGE = re.compile(r"(BEGIN|END)\s*:\s*([A-Za-z0-9-]{1,60})\s*", re.IGNORECASE)
_ZONED = re.compile(r'([A-Za-z-]+;(?:[^":]*;)?TZID=)([^":]*:[^"]*)(:[0-9TZ,]+)')
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_BREAK = re.compile(rb"\r\n|\n|\r")
_MOST_DEEP = 8
_LONGEST_LINE = 1_000_000
_PARTS = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE"})


class Line(Struct, frozen=True):
    """Unfolded content line. `number` is that of its first line in the text, counted from 1."""

    number: int
    text: str

    @property
    def name(self) -> str:
        return self.text.partition(":")[0].partition(";")[0].upper()


class Node(Struct):
    """Component as written in the text.

    `broken` are the numbers of its unreadable lines. `closed`: its END is there.
    """

    name: str
    number: int
    lines: list[Line] = field(default_factory=list[Line])
    children: list["Node"] = field(default_factory=list["Node"])
    broken: list[int] = field(default_factory=list[int])
    closed: bool = False

    def text(self) -> str:
        """Return the component as iCalendar text, without broken lines."""
        inner = "".join(child.text() for child in self.children)
        return (
            f"BEGIN:{self.name}\r\n"
            + "".join(f"{line.text}\r\n" for line in self.lines)
            + f"{inner}END:{self.name}\r\n"
        )

    def raw_values(self, name: str) -> list[str]:
        """Return the values of a property as written."""
        return [line.text.partition(":")[2] for line in self.lines if line.name == name]


def unfold(data: bytes) -> Iterator[Line]:
    """Unfold bytes before they are decoded, because some programs fold in the middle of a character."""
    held: list[bytes] = []
    size = first = 0
    for number, raw in enumerate(_BREAK.split(data), start=1):
        if raw[:1] in (b" ", b"\t") and held:
            size += len(raw)
            if size <= _LONGEST_LINE:
                held.append(raw[1:])
            continue
        if held:
            yield Line(first, _decode(b"".join(held)))
        held, size, first = ([raw], len(raw), number) if raw.strip() else ([], 0, 0)
    if held:
        yield Line(first, _decode(b"".join(held)))


def components(data: bytes) -> tuple[list[Node], list[str]]:
    """Return the VCALENDAR components of a text, and problems outside of their parts."""
    root, problems = _root(data)
    calendars = [child for child in root.children if child.name == "VCALENDAR"]
    problems += [f"line {number} cannot be read" for one in calendars for number in one.broken]
    problems += [f"the VCALENDAR of line {one.number} has no end" for one in calendars if not one.closed]
    return calendars, problems


def nodes_of(data: bytes) -> list[Node]:
    """Return the outermost components of any kind."""
    return _root(data)[0].children


def _root(data: bytes) -> tuple[Node, list[str]]:
    root = Node("", 0)
    stack = [root]
    problems: list[str] = []
    for line in unfold(_without_mark(data)):
        edge = _EDGE.fullmatch(line.text)
        if edge is None:
            _keep(stack[-1], line)
        elif edge[1].upper() == "BEGIN":
            _open(stack, edge[2].upper(), line.number)
        elif not _close(stack, edge[2].upper()):
            problems.append(f"line {line.number} ends a {edge[2].upper()} that was not begun")
    return root, problems


def _open(stack: list[Node], name: str, number: int) -> None:
    if name in _PARTS or name == "VCALENDAR":
        # An open component of that kind has lost its END.
        place = next((at for at, one in enumerate(stack) if one.name in _PARTS), len(stack))
        del stack[place:]
    if name == "VCALENDAR":
        del stack[1:]
    node = Node(name, number)
    if len(stack) <= _MOST_DEEP:
        stack[-1].children.append(node)
    stack.append(node)


def _close(stack: list[Node], name: str) -> bool:
    place = next((at for at in range(len(stack) - 1, 0, -1) if stack[at].name == name), None)
    if place is None:
        return False
    stack[place].closed = True
    del stack[place:]
    return True


def _keep(node: Node, line: Line) -> None:
    if _NAME.match(line.text) is None:
        node.broken.append(line.number)
    elif match := _ZONED.fullmatch(line.text):
        # The zone's name contains a colon and should have been quoted.
        node.lines.append(Line(line.number, f'{match[1]}"{match[2]}"{match[3]}'))
    else:
        node.lines.append(line)


def _without_mark(data: bytes) -> bytes:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


def _decode(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    return _CONTROL.sub("", text)
