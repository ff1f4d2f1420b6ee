"""Whether two patterns can mean the same text: what both automata accept, searched for in a bounded number of steps."""

from msgspec import Struct

from almanac.families.team.globs.automaton import Automaton, Edge, automaton
from almanac.families.team.globs.syntax import has_wildcards, read, spelling

STEPS_OF_A_PAIR = 60_000
"""Comparisons of two ranges of characters: some ten milliseconds. Globs that people write take a few dozen."""


class Literal(Struct, frozen=True):
    """One text, whatever characters it has; with `is_folder`, also every path below it."""

    text: str
    is_folder: bool = False


Pattern = Literal | Automaton


class Allowance:
    """How many steps may still be taken. `spent` tells that some pair was given up, and taken for one that overlaps."""

    def __init__(self, steps: int = STEPS_OF_A_PAIR) -> None:
        self.left = steps

    @property
    def spent(self) -> bool:
        return self.left < 0

    def take(self, steps: int) -> bool:
        """Whether there were so many."""
        self.left -= steps
        return self.left >= 0


def parse(text: str, *, is_path: bool = True, spelled: bool = False, lists_folders: bool = False) -> Pattern:
    """The pattern that `text` spells. `spelled`: `[ab]` also stands for its own four characters. `lists_folders`: where
    it is no more than a list of paths, what lies below them is meant too."""
    steps = read(text, spelled=spelled)
    folders = lists_folders and not has_wildcards(steps)
    plain = spelling(steps)
    if plain is not None and not (is_path and text.endswith("/")):
        return Literal(plain, is_folder=folders)
    return automaton(steps, is_path=is_path, is_folder=folders)


def is_literal(pattern: Pattern) -> bool:
    """Whether one text is meant, alone or with what lies below it."""
    return isinstance(pattern, Literal)


def intersect(one: Pattern, other: Pattern, allowance: Allowance | None = None) -> bool:
    """Whether some text is meant by both; True as well where that is not found out within the allowance."""
    allowance = allowance or Allowance()
    if isinstance(one, Literal):
        if isinstance(other, Literal):
            return one.text == other.text or _is_below(one, other) or _is_below(other, one)
        return _accepts(other, one, allowance)
    if isinstance(other, Literal):
        return _accepts(one, other, allowance)
    return _share(one, other, allowance)


def _is_below(one: Literal, folder: Literal) -> bool:
    return folder.is_folder and one.text.startswith(folder.text + "/")


def _accepts(pattern: Automaton, path: Literal, allowance: Allowance) -> bool:
    states = {0}
    for character in map(ord, path.text):
        following: set[int] = set()
        for state in states:
            edges = pattern.edges[state]
            if not allowance.take(len(edges)):
                return True
            following.update([to for low, high, to in edges if low <= character <= high])
        if not following:
            return False
        states = following
    if not states.isdisjoint(pattern.accepting):
        return True
    slash = ord("/")
    return path.is_folder and any(low <= slash <= high for state in states for low, high, _ in pattern.edges[state])


def _share(one: Automaton, other: Automaton, allowance: Allowance) -> bool:
    """A search through the pairs of states that one text leads to; each pair is met once."""
    if not _may_end_alike(one, other):
        return False
    width = len(other.edges)
    waiting, seen = [0], {0}
    while waiting:
        at, other_at = divmod(waiting.pop(), width)
        if at in one.accepting and other_at in other.accepting:
            return True
        ours, theirs = one.edges[at], other.edges[other_at]
        if not allowance.take(len(ours) * len(theirs) + 1):
            return True
        for pair in _following(ours, theirs, width):
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return False


def _following(ours: tuple[Edge, ...], theirs: tuple[Edge, ...], width: int) -> list[int]:
    return [
        to * width + other_to
        for low, high, to in ours
        for other_low, other_high, other_to in theirs
        if low <= other_high and other_low <= high
    ]


def _may_end_alike(one: Automaton, other: Automaton) -> bool:
    if one.last is None or other.last is None:
        return True
    return any(
        low <= other_high and other_low <= high for low, high in one.last for other_low, other_high in other.last
    )
