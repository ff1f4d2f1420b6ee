"""The automaton of a glob: states, and the characters that lead from one state to the next. Choices are branches, so
braces in a row add up their lengths instead of multiplying their numbers.

It reads the normalised spelling of a path, so `//` counts as `/` wherever braces produce it. A pattern that ends as a
folder matches everything below it.
"""

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct

from almanac.families.team.globs.syntax import LAST, NAME_CHARACTER, SLASH, CharacterSet, Choice, Mark, Step, Steps

Edge = tuple[int, int, int]
"""The first and last character of a range, and the target state."""

_ANYTHING: CharacterSet = ((0, LAST),)
_A_SLASH: CharacterSet = ((SLASH, SLASH),)
_WILD = {*_ANYTHING, *_A_SLASH, *NAME_CHARACTER}


class Automaton(Struct, frozen=True):
    """A trimmed automaton. `edges` are listed by state, and state 0 is the start. Every state leads to one of
    `accepting`. `last` holds the characters with which accepted texts may end, None if the empty text is accepted.

    `may_be_nothing`: some choice leaves an empty text. `below` has the states after a slash, unless only wildcards
    follow there.
    """

    edges: tuple[tuple[Edge, ...], ...]
    accepting: frozenset[int]
    last: CharacterSet | None
    is_absolute: bool
    is_relative: bool
    may_be_nothing: bool
    below: frozenset[int]


class _Mode(Enum):
    """The part of the current name that has been read on the way to a state."""

    BEGIN = "nothing of the first name"
    START = "nothing"
    INSIDE = "some of it"
    STARS = "two stars, and nothing else"


_At = dict[_Mode, int]


def automaton(steps: Steps, *, is_path: bool, is_folder: bool) -> Automaton:
    """Build the automaton of the steps. With `is_folder` it also accepts everything below a match."""
    return _Builder(is_path=is_path).build(steps, is_folder=is_folder)


class _Builder:
    """Builds states, first with free moves between them, then without."""

    def __init__(self, *, is_path: bool) -> None:
        self._is_path = is_path
        self._edges: list[list[Edge]] = []
        self._free: list[list[int]] = []
        self._absolute = self._relative = self._nothing = False

    def build(self, steps: Steps, *, is_folder: bool) -> Automaton:
        at = self._after_all(steps, {_Mode.BEGIN: self._state()})
        self._nothing = _Mode.BEGIN in at
        ends = self._ends(at)
        if is_folder:
            below = self._loop(self._lead(list(ends), _A_SLASH), _ANYTHING, once=True)
            ends = [*ends, below]
        reached = [self._closure(state) for state in range(len(self._edges))]
        accepting = {state for state, closure in enumerate(reached) if not closure.isdisjoint(ends)}
        edges = [sorted({edge for one in closure for edge in self._edges[one]}) for closure in reached]
        kept, accepts, last = _trim(edges, accepting)
        return Automaton(kept, accepts, last, self._absolute, self._relative, self._nothing, _below_slashes(kept))

    def _after_all(self, steps: Steps, at: _At) -> _At:
        for step in steps:
            at = self._after(step, at)
        return at

    def _after(self, step: Step, at: _At) -> _At:
        """Return the states after a step, at most one for each mode."""
        found: dict[_Mode, list[int]] = {}
        if isinstance(step, Choice):
            for one in step.of:
                for mode, state in self._after_all(one, at).items():
                    found.setdefault(mode, []).append(state)
        else:
            for mode, state in at.items():
                to_mode, to = self._move(step, mode, state)
                found.setdefault(to_mode, []).append(to)
        return {mode: self._join(states) for mode, states in found.items()}

    def _move(self, step: CharacterSet | Mark, mode: _Mode, state: int) -> tuple[_Mode, int]:
        if mode is _Mode.BEGIN:
            self._absolute |= step is Mark.SLASH
            self._relative |= step is not Mark.SLASH
        begins = mode in (_Mode.BEGIN, _Mode.START)
        if step is Mark.SLASH:
            return _Mode.START, self._slash(mode, state)
        if step is Mark.STARS and begins:
            return _Mode.STARS, state
        if mode is _Mode.STARS:
            state = self._loop([state], NAME_CHARACTER)
        if isinstance(step, Mark):
            return _Mode.INSIDE, self._loop([state], NAME_CHARACTER)
        return _Mode.INSIDE, self._lead([state], step)[0]

    def _slash(self, mode: _Mode, state: int) -> int:
        if mode is _Mode.START and self._is_path:
            return state
        if mode is _Mode.STARS:
            hub = self._join([state], new=True)
            self._edges[self._loop([hub], NAME_CHARACTER)].append((SLASH, SLASH, hub))
            self._edges[hub].append((SLASH, SLASH, hub))
            return self._join([hub], new=True)
        return self._lead([state], _A_SLASH)[0]

    def _ends(self, at: _At) -> list[int]:
        ends: list[int] = []
        for mode, state in at.items():
            if mode is _Mode.STARS or (mode is _Mode.START and self._is_path):
                ends.append(self._loop([state], _ANYTHING, once=True))
            else:
                ends.append(state)
        return ends

    def _state(self) -> int:
        self._edges.append([])
        self._free.append([])
        return len(self._edges) - 1

    def _lead(self, states: list[int], characters: CharacterSet) -> list[int]:
        """Add edges from all of `states` to a new state for these characters. Returns the new state alone in a list."""
        to = self._state()
        for state in states:
            self._edges[state] += [(low, high, to) for low, high in characters]
        return [to]

    def _loop(self, states: list[int], characters: CharacterSet, *, once: bool = False) -> int:
        """Return a state reached by any number of these characters, or by at least one with `once`."""
        loop = self._lead(states, characters)[0] if once else self._join(states, new=True)
        self._edges[loop] += [(low, high, loop) for low, high in characters]
        return loop

    def _join(self, states: list[int], *, new: bool = False) -> int:
        if len(set(states)) == 1 and not new:
            return states[0]
        to = self._state()
        for state in states:
            self._free[state].append(to)
        return to

    def _closure(self, state: int) -> set[int]:
        found, waiting = {state}, [state]
        while waiting:
            for to in self._free[waiting.pop()]:
                if to not in found:
                    found.add(to)
                    waiting.append(to)
        return found


def _trim(
    edges: list[list[Edge]], accepting: set[int]
) -> tuple[tuple[tuple[Edge, ...], ...], frozenset[int], CharacterSet | None]:
    """Remove states that are unreachable or lead nowhere, and number the rest anew."""
    useful = _states_reaching(edges, accepting)
    number, waiting = {0: 0}, [0]
    while waiting:
        for _, _, to in edges[waiting.pop()]:
            if to in useful and to not in number:
                number[to] = len(number)
                waiting.append(to)
    kept_edges = tuple(
        tuple((low, high, number[to]) for low, high, to in edges[state] if to in number) for state in number
    )
    ends = frozenset(number[state] for state in accepting if state in number)
    last = (
        None
        if 0 in ends
        else tuple((low, high) for kept_edge in kept_edges for low, high, to in kept_edge if to in ends)
    )
    return kept_edges, ends, last and tuple(sorted(set(last)))


def _below_slashes(edges: tuple[tuple[Edge, ...], ...]) -> frozenset[int]:
    fixed = {state for state, leaving in enumerate(edges) if any((low, high) not in _WILD for low, high, _ in leaving)}
    reached = {to for leaving in edges for low, high, to in leaving if (low, high) == _A_SLASH[0]}
    return frozenset(reached & _states_reaching(edges, fixed))


def _states_reaching(edges: Sequence[Sequence[Edge]], accepting: set[int]) -> set[int]:
    """Return the states from which one of `accepting` can be reached."""
    before: list[list[int]] = [[] for _ in edges]
    for state, leaving in enumerate(edges):
        for _, _, to in leaving:
            before[to].append(state)
    found, waiting = set(accepting), list(accepting)
    while waiting:
        for state in before[waiting.pop()]:
            if state not in found:
                found.add(state)
                waiting.append(state)
    return found
