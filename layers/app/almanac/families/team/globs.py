"""Path patterns, and whether two of them can mean the same path: the intersection of two automata.

    *      any characters of one name, also none       ?          one character of a name
    **     any number of names, as a name of its own   [a-z] [!x]  one character of a set, or outside it (also [^x])

Nothing but `**` crosses a `/`, and `dir/**` is what lies in `dir`, at any depth, not `dir` itself. A dot at the start
of a name is a character like others. There is no escape: `[*]` is a star, and a bracket that nothing closes itself.
"""

from enum import Enum
from typing import Literal

_LAST = 0x10FFFF
_SLASH = ord("/")


class Wild(Enum):
    """`*` inside a name, or `**` in place of names."""

    ANY = "any"


ANY = Wild.ANY
CharacterSet = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included."""
Name = str | tuple[CharacterSet | Literal[Wild.ANY], ...] | Literal[Wild.ANY]
"""One name of a path: a text that means itself, or the steps of an automaton; ANY for `**`."""
Pattern = tuple[Name, ...]

_ONE: CharacterSet = ((0, _SLASH - 1), (_SLASH + 1, _LAST))
_ANY_NAME: Name = (ANY,)


def parse(text: str) -> Pattern:
    """The pattern that `text` spells."""
    names: list[Name] = []
    for part in text.split("/"):
        name = _name(part)
        if not (name is ANY and names and names[-1] is ANY):
            names.append(name)
    if names[-1] is ANY:
        names.append(_ANY_NAME)
    return tuple(names)


def literal(path: str) -> Pattern:
    """The pattern of one path, whatever characters it has."""
    return tuple(path.split("/"))


def is_literal(pattern: Pattern) -> bool:
    """Whether exactly one path is meant."""
    return all(isinstance(name, str) for name in pattern)


def intersect(one: Pattern, other: Pattern) -> bool:
    """Whether some path is meant by both."""
    waiting, seen = [(0, 0)], {(0, 0)}
    while waiting:
        at, other_at = waiting.pop()
        if at == len(one) and other_at == len(other):
            return True
        for state in _after_a_name(one, other, at, other_at):
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return False


def _after_a_name(one: Pattern, other: Pattern, at: int, other_at: int) -> list[tuple[int, int]]:
    """The states that follow: a `**` is left behind, or both patterns take the same name."""
    first = one[at] if at < len(one) else None
    second = other[other_at] if other_at < len(other) else None
    following: list[tuple[int, int]] = []
    if first is ANY:
        following.append((at + 1, other_at))
    if second is ANY:
        following.append((at, other_at + 1))
    if first is not None and second is not None and _names_intersect(first, second):
        following.append((at + (first is not ANY), other_at + (second is not ANY)))
    return following


def _names_intersect(one: Name, other: Name) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    if one is ANY or other is ANY:
        return True
    first, second = _steps(one), _steps(other)
    waiting, seen = [(0, 0)], {(0, 0)}
    while waiting:
        at, other_at = waiting.pop()
        if at == len(first) and other_at == len(second):
            return True
        step = first[at] if at < len(first) else None
        other_step = second[other_at] if other_at < len(second) else None
        following: list[tuple[int, int]] = []
        if step is ANY:
            following.append((at + 1, other_at))
        if other_step is ANY:
            following.append((at, other_at + 1))
        if step is not None and other_step is not None and _characters_intersect(step, other_step):
            following.append((at + (step is not ANY), other_at + (other_step is not ANY)))
        for state in following:
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return False


def _characters_intersect(one: CharacterSet | Literal[Wild.ANY], other: CharacterSet | Literal[Wild.ANY]) -> bool:
    if one is ANY or other is ANY:
        return True
    return any(max(low, other_low) <= min(high, other_high) for low, high in one for other_low, other_high in other)


def _steps(name: str | tuple[CharacterSet | Literal[Wild.ANY], ...]) -> tuple[CharacterSet | Literal[Wild.ANY], ...]:
    return tuple(_only(character) for character in name) if isinstance(name, str) else name


def _name(text: str) -> Name:
    if text == "**":
        return ANY
    steps: list[CharacterSet | Literal[Wild.ANY]] = []
    plain = True
    at = 0
    while at < len(text):
        step, at, is_plain = _step(text, at)
        plain = plain and is_plain
        if not (step is ANY and steps and steps[-1] is ANY):
            steps.append(step)
    return text if plain else tuple(steps)


def _step(text: str, at: int) -> tuple[CharacterSet | Literal[Wild.ANY], int, bool]:
    """The step that begins at `at`, where the next one begins, and whether it is a character that means itself."""
    character = text[at]
    if character == "*":
        return ANY, at + 1, False
    if character == "?":
        return _ONE, at + 1, False
    end = _end_of_set(text, at) if character == "[" else None
    if end is None:
        return _only(character), at + 1, True
    return _set(text[at + 1 : end]), end + 1, False


def _end_of_set(text: str, at: int) -> int | None:
    """Where the set that begins at `at` is closed; a `]` that comes first in it is one of its characters."""
    first = at + 1 + (text[at + 1 : at + 2] in {"!", "^"} and at + 1 < len(text))
    end = text.find("]", first + 1)
    return None if end < 0 else end


def _set(inside: str) -> CharacterSet:
    negated = inside[0] in "!^"
    ranges: list[tuple[int, int]] = []
    at = int(negated)
    while at < len(inside):
        is_range = at + 2 < len(inside) and inside[at + 1] == "-"
        ranges.append((ord(inside[at]), ord(inside[at + 2] if is_range else inside[at])))
        at += 3 if is_range else 1
    return _outside(ranges) if negated else tuple((low, high) for low, high in ranges if low <= high)


def _outside(ranges: list[tuple[int, int]]) -> CharacterSet:
    """Every character but these and the slash."""
    free: list[tuple[int, int]] = []
    start = 0
    for low, high in sorted([*ranges, (_SLASH, _SLASH)]):
        if low > high:
            continue
        if start < low:
            free.append((start, low - 1))
        start = max(start, high + 1)
    if start <= _LAST:
        free.append((start, _LAST))
    return tuple(free)


def _only(character: str) -> CharacterSet:
    return ((ord(character), ord(character)),)
