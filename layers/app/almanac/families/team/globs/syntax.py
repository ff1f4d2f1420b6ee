"""Syntax of globs: a text becomes a sequence of steps, with choices for its braces.

    *      any characters of one name, also none       ?          one character of a name
    **     any number of names, as a name of its own   [a-z] [!x]  one character of a set, or outside it (also [^x])
    {a,b}  either; braces may stand in braces, and without a comma they are characters of a name

Nothing but `**` crosses a `/`. `dir/**` matches everything in `dir`, at any depth, but not `dir` itself. A dot at the
start of a name is an ordinary character. There is no escape character: `[*]` matches a star, and a bracket without a
closing bracket matches itself. Stars that a brace keeps apart, as in `*{a,*}`, stay in one name: `**` is written side
by side. A set may also stand for the characters that spell it, since names such as `[slug].tsx` exist.
"""

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct

LAST = 0x10FFFF
SLASH = ord("/")

CharacterSet = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included."""


class Mark(Enum):
    """A step other than a set of characters. Braces and commas occur only while a text is parsed."""

    SLASH = "/"
    STAR = "*"
    STARS = "**"
    OPEN = "{"
    COMMA = ","
    CLOSE = "}"


class Choice(Struct, frozen=True):
    """A choice of one sequence among at least two."""

    of: tuple["Steps", ...]


Step = CharacterSet | Mark | Choice
Steps = tuple[Step, ...]

NAME_CHARACTER: CharacterSet = ((0, SLASH - 1), (SLASH + 1, LAST))
_BRACES = {mark.value: mark for mark in (Mark.OPEN, Mark.COMMA, Mark.CLOSE)}


def parse_steps(text: str, *, spelled: bool = False) -> Steps:
    """Parse a text into steps. With `spelled` a set also matches its own spelling."""
    steps: list[Step] = []
    at = 0
    while at < len(text):
        step, at = _step(text, at, spelled=spelled)
        steps.append(step)
    return _group_braces(steps)


def only_text(steps: Steps) -> str | None:
    """Return the only text that the steps match, or None if they match several."""
    characters_so_far: list[str] = []
    for step in steps:
        if step is Mark.SLASH:
            characters_so_far.append("/")
        elif isinstance(step, Mark | Choice):
            return None
        else:
            characters = [low for low, high in step if low == high]
            if len(characters) != 1 or len(step) != 1:
                return None
            characters_so_far.append(chr(characters[0]))
    return "".join(characters_so_far)


def has_wildcards(steps: Steps) -> bool:
    """Return whether the steps match more than a finite list of texts."""
    for step in steps:
        if isinstance(step, Choice):
            if any(map(has_wildcards, step.of)):
                return True
        elif step is not Mark.SLASH and only_text((step,)) is None:
            return True
    return False


def only(character: str) -> CharacterSet:
    return ((ord(character), ord(character)),)


def _group_braces(steps: Sequence[Step]) -> Steps:
    """Replace each pair of braces with a comma by a choice. Other braces and commas are plain characters."""
    meant = _separator_positions(steps)
    groups: list[list[list[Step]]] = [[[]]]
    for place, step in enumerate(steps):
        if not isinstance(step, Mark) or step.value not in _BRACES:
            groups[-1][-1].append(step)
        elif place not in meant:
            groups[-1][-1].append(only(step.value))
        elif step is Mark.OPEN:
            groups.append([[]])
        elif step is Mark.COMMA:
            groups[-1].append([])
        else:
            first, *others = dict.fromkeys(tuple(one) for one in groups.pop())
            groups[-1][-1] += [Choice((first, *others))] if others else first
    return tuple(groups[0][0])


def _separator_positions(steps: Sequence[Step]) -> set[int]:
    """Return the positions of the braces and commas that separate alternatives."""
    meant: set[int] = set()
    opened: list[list[int]] = []
    for place, step in enumerate(steps):
        if step is Mark.OPEN:
            opened.append([place])
        elif step is Mark.COMMA and opened:
            opened[-1].append(place)
        elif step is Mark.CLOSE and opened:
            group = opened.pop()
            if len(group) > 1:
                meant.update(group, [place])
    return meant


def _step(text: str, at: int, *, spelled: bool) -> tuple[Step, int]:
    """Return the step that begins at `at`, and the position of the next one."""
    character = text[at]
    if character == "/":
        return Mark.SLASH, at + 1
    if character == "*":
        end = at + 1
        while text[end : end + 1] == "*":
            end += 1
        return (Mark.STARS if end - at == 2 else Mark.STAR), end
    if character == "?":
        return NAME_CHARACTER, at + 1
    end = _end_of_set(text, at) if character == "[" else None
    if end is not None:
        inside = _set(text[at + 1 : end])
        itself = tuple(map(only, text[at : end + 1]))
        return (Choice(((inside,), itself)) if spelled else inside), end + 1
    return _BRACES.get(character) or only(character), at + 1


def _end_of_set(text: str, at: int) -> int | None:
    """Return the end of the set that begins at `at`, or None if it has none within the same name. A leading `]` belongs
    to the set."""
    first = at + 1 + (text[at + 1 : at + 2] in {"!", "^"} and at + 1 < len(text))
    end = text.find("]", first + 1)
    return None if end < 0 or "/" in text[at:end] else end


def _set(inside: str) -> CharacterSet:
    negated = inside[0] in "!^"
    ranges: list[tuple[int, int]] = []
    at = int(negated)
    while at < len(inside):
        is_range = at + 2 < len(inside) and inside[at + 1] == "-"
        ranges.append((ord(inside[at]), ord(inside[at + 2] if is_range else inside[at])))
        at += 3 if is_range else 1
    outside = _outside(ranges)
    return outside if negated else _outside([*outside, (SLASH, SLASH)])


def _outside(ranges: Sequence[tuple[int, int]]) -> CharacterSet:
    """Return every character except these and the slash, as sorted ranges without gaps between neighbours."""
    free: list[tuple[int, int]] = []
    start = 0
    for low, high in sorted([*ranges, (SLASH, SLASH)]):
        if low > high:
            continue
        if start < low:
            free.append((start, low - 1))
        start = max(start, high + 1)
    if start <= LAST:
        free.append((start, LAST))
    return tuple(free)
