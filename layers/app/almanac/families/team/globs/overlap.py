"""Overlap of two patterns, decided by a bounded search for a text that both automata accept."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from almanac.families.team.globs.automaton import Automaton, Edge, automaton
from almanac.families.team.globs.syntax import has_wildcards, only_text, parse_steps

STEPS_OF_A_PAIR = 60_000
"""Comparisons of two character ranges, about ten milliseconds of work. Globs that people write take a few dozen."""
_MOST_SETS = 4_000


class Literal(Struct, frozen=True):
    """A pattern that matches one text, in which no character is a wildcard. With `is_folder`, also every path below
    it."""

    text: str
    is_folder: bool = False


Pattern = Literal | Automaton


class Allowance:
    """A budget of steps for comparisons."""

    def __init__(self, steps: int = STEPS_OF_A_PAIR) -> None:
        self.left = steps

    @property
    def is_spent(self) -> bool:
        """Return whether the budget ran out, so that the pair counts as overlapping."""
        return self.left < 0

    def take(self, steps: int) -> bool:
        """Use up steps, and return whether the budget had that many."""
        self.left -= steps
        return self.left >= 0


def parse(text: str, *, is_path: bool = True, spelled: bool = False, lists_folders: bool = False) -> Pattern:
    """Parse a glob. With `spelled`, `[ab]` also matches its own four characters. With `lists_folders`, a pattern
    without wildcards also matches everything below its paths."""
    steps = parse_steps(text, spelled=spelled)
    folders = lists_folders and not has_wildcards(steps)
    plain = only_text(steps)
    if plain is not None and not (is_path and text.endswith("/")):
        return Literal(plain, is_folder=folders)
    return automaton(steps, is_path=is_path, is_folder=folders)


def intersect(one: Pattern, other: Pattern, allowance: Allowance | None = None) -> bool:
    """Return whether a text matches both patterns, or True if the allowance runs out first."""
    allowance = allowance or Allowance()
    if isinstance(one, Literal):
        if isinstance(other, Literal):
            return one.text == other.text or _is_below(one, other) or _is_below(other, one)
        return _accepts(other, one, allowance)
    if isinstance(other, Literal):
        return _accepts(one, other, allowance)
    return _share(one, other, allowance)


def ends_overlap(absolute: Pattern, relative: Pattern, allowance: Allowance | None = None) -> bool:
    """Return whether `absolute`, without some of its first folders, shares a match with `relative`. Returns True if the
    allowance runs out first."""
    allowance = allowance or Allowance()
    if isinstance(absolute, Literal):
        ends = (absolute.text[at + 1 :] for at, character in enumerate(absolute.text) if character == "/")
        return any(intersect(Literal(end, absolute.is_folder), relative, allowance) for end in ends if end)
    if isinstance(relative, Literal):
        return _accepts(absolute, relative, allowance, absolute.below)
    return _share(absolute, relative, allowance, absolute.below)


class Matcher:
    """Matches many texts against one pattern, in time linear in their length.

    Sets of states are numbered as texts reach them, so a repeated character costs one look-up. To compare two patterns
    once, use `intersect`. Not safe for several threads.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._forget()

    def matches(self, text: Literal, allowance: Allowance) -> bool:
        """Return whether the pattern matches `text`, or True if the allowance runs out first."""
        if isinstance(self._pattern, Literal):
            return intersect(self._pattern, text, allowance)
        reached = self._reach(self._pattern, text.text, allowance)
        if reached is None:
            return True
        states = self._sets[reached]
        return not states.isdisjoint(self._pattern.accepting) or (text.is_folder and _goes_on(self._pattern, states))

    def _reach(self, pattern: Automaton, text: str, allowance: Allowance) -> int | None:
        """Return the number of the set of states that `text` leads to, or None if the allowance runs out."""
        if not allowance.take(len(text)):
            return None
        at, moves = 0, self._moves
        for character in text:
            to = moves.get((at, character))
            if to is None:
                states = self._sets[at]
                if not allowance.take(sum(len(pattern.edges[state]) for state in states)):
                    return None
                to = moves[at, character] = self._number(_next_states(pattern, states, ord(character)))
            at = to
        if len(self._sets) > _MOST_SETS:
            states = self._sets[at]
            self._forget()
            return self._number(states)
        return at

    def _number(self, states: frozenset[int]) -> int:
        number = self._numbers.setdefault(states, len(self._sets))
        if number == len(self._sets):
            self._sets.append(states)
        return number

    def _forget(self) -> None:
        self._sets = [frozenset({0})]
        self._numbers = {self._sets[0]: 0}
        self._moves: dict[tuple[int, str], int] = {}


def _next_states(pattern: Automaton, states: frozenset[int], character: int) -> frozenset[int]:
    return frozenset(to for state in states for low, high, to in pattern.edges[state] if low <= character <= high)


def _goes_on(pattern: Automaton, states: Iterable[int]) -> bool:
    """Return whether the pattern continues with a slash from one of `states`."""
    slash = ord("/")
    return any(low <= slash <= high for state in states for low, high, _ in pattern.edges[state])


def _is_below(one: Literal, folder: Literal) -> bool:
    return folder.is_folder and one.text.startswith(folder.text + "/")


def _accepts(pattern: Automaton, path: Literal, allowance: Allowance, first: Collection[int] = (0,)) -> bool:
    states = set(first)
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
    return not states.isdisjoint(pattern.accepting) or (path.is_folder and _goes_on(pattern, states))


def _share(one: Automaton, other: Automaton, allowance: Allowance, first: Collection[int] = (0,)) -> bool:
    """Search the pairs of states that one text leads to, visiting each pair once. `first` are the start states of
    `one`."""
    if not _may_end_alike(one, other):
        return False
    width = len(other.edges)
    waiting = [state * width for state in first]
    seen = set(waiting)
    while waiting:
        at, other_at = divmod(waiting.pop(), width)
        if at in one.accepting and other_at in other.accepting:
            return True
        ours, theirs = one.edges[at], other.edges[other_at]
        if not allowance.take(len(ours) * len(theirs) + 1):
            return True
        for pair in _next_pairs(ours, theirs, width):
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return False


def _next_pairs(ours: tuple[Edge, ...], theirs: tuple[Edge, ...], width: int) -> list[int]:
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
