"""Division of an answer's tokens between its sections, and between the rows of a section.

Whoever needs less than his share leaves the rest to the others, so that nobody is cut while there is room.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from almanac.families.memory.snapshot.tokens import beginning_of, tokens_of_json

R = TypeVar("R", bound=Struct)

_LEAST_TEXT = 16
"""With fewer tokens of its text a row says nothing."""
_TRIALS = 3
_FRAME = 50
"""About the tokens of a row without its text."""
_FITTINGS = 8
_MOST_OF_FIRST = 0.75


class Candidate(Struct, frozen=True):
    """A possible row: `row` makes it from its text, or from the beginning of its text. `beside` counts the characters
    that the row shows next to its text, such as tags; `frame` is about the tokens of the row without either."""

    text: str
    row: Callable[[str, bool], Struct]
    beside: int = 0
    frame: int = _FRAME

    @property
    def roughly(self) -> int:
        """Estimate the tokens of the row: in most languages a token has three characters or more."""
        return self.frame + (len(self.text) + self.beside) // 3


class FilledSection(Struct, frozen=True):
    """`tokens` of the rows, and how many candidates were left out."""

    rows: tuple[Any, ...]
    tokens: int
    left_out: int


class Section(Struct, frozen=True):
    """`weight` is its share of the tokens where all sections want more; `least` what one row may have before others
    go without. A section that `is_first` takes the tokens it needs before the others share the rest: all but what they
    want, or three quarters where they want more. It cuts a row only where the whole row finds no room."""

    weight: float
    least: int
    is_first: bool = False


def shared(total: int, wanted: Sequence[int], weights: Sequence[float]) -> list[int]:
    """`total` divided by weight between those who want so much, nobody getting more than that."""
    given = [0] * len(wanted)
    open_ones: list[int] = [one for one, want in enumerate(wanted) if want > 0]
    left = total
    while open_ones:
        weight = sum(weights[one] for one in open_ones)
        content = [one for one in open_ones if wanted[one] <= left * weights[one] / weight]
        if not content:
            for one in open_ones:
                given[one] = int(left * weights[one] / weight)
            return given
        for one in content:
            given[one] = wanted[one]
        left -= sum(wanted[one] for one in content)
        open_ones = [one for one in open_ones if one not in content]
    return given


def level(total: int, wanted: Sequence[int], least: int) -> int:
    """So much each may have that none has more while another wants it; `least` at least, even if not all get it."""
    left, count = total, len(wanted)
    for want in sorted(wanted):
        if want * count > left:
            return max(least, left // count)
        left -= want
        count -= 1
    return total


def filled(candidates: Sequence[Candidate], tokens: int, least: int) -> FilledSection:
    """Rows of the first candidates, within `tokens`. A row has `least` tokens at least before others go without."""
    return _filled([_FittedCandidate(one) for one in candidates], tokens, least)


def _filled(candidates: "Sequence[_FittedCandidate]", tokens: int, least: int) -> FilledSection:
    most = level(tokens, [one.roughly for one in candidates], least)
    rows: list[Struct] = []
    left = tokens
    for candidate in candidates:
        found = candidate.row(min(most, left))
        if found is None:
            break
        row, cost = found
        rows.append(row)
        left -= cost
    return FilledSection(tuple(rows), tokens - left, len(candidates) - len(rows))


def _filled_whole(candidates: "Sequence[_FittedCandidate]", tokens: int, least: int) -> FilledSection:
    """Whole rows of all candidates that find room, in order, then beginnings of the others in the room that is left."""
    rows = dict[int, Struct]()
    left = tokens
    for place, candidate in enumerate(candidates):
        if left < _LEAST_TEXT:
            break
        if (found := candidate.whole(left)) is not None:
            rows[place] = found[0]
            left -= found[1]
    others = [place for place in range(len(candidates)) if place not in rows]
    cut = _filled([candidates[place] for place in others], left, least)
    rows |= zip(others, cut.rows, strict=False)
    in_order = tuple(rows[place] for place in sorted(rows))
    return FilledSection(in_order, tokens - left + cut.tokens, len(candidates) - len(rows))


def sections_filled(
    sections: Mapping[str, Section], candidates: Mapping[str, Sequence[Candidate]], tokens: int
) -> dict[str, FilledSection]:
    """Fill the first sections, then the others in their order: the tokens that one leaves go to those after it, then to
    those before."""
    fitting = {name: [_FittedCandidate(one) for one in candidates[name]] for name in sections}
    others = {name: section for name, section in sections.items() if not section.is_first}
    wanted = [sum(one.roughly for one in fitting[name]) for name in others]
    made: dict[str, FilledSection] = {}
    left = tokens
    for name, section in sections.items():
        if section.is_first:
            most = max(int(_MOST_OF_FIRST * left), left - sum(wanted))
            made[name] = _filled_whole(fitting[name], most, section.least)
            left -= made[name].tokens
    shares = shared(left, wanted, [section.weight for section in others.values()])
    left -= sum(shares)
    for (name, section), share in zip(others.items(), shares, strict=True):
        made[name] = _filled(fitting[name], share + left, section.least)
        left += share - made[name].tokens
    for name, section in others.items():
        rest = _filled(fitting[name][len(made[name].rows) :], left, section.least)
        made[name] = FilledSection(made[name].rows + rest.rows, made[name].tokens + rest.tokens, rest.left_out)
        left -= rest.tokens
    return made


def fitted(max_tokens: int, frame: Struct, make: Callable[[int], tuple[R, int]]) -> R | None:
    """Return the result of `make` that fits into `max_tokens` together with `frame`, which is all but the rows; None if
    even the frame alone does not fit. `make` takes the tokens for rows, and returns its result and the tokens of the
    whole."""
    most = max_tokens - tokens_of_json(msgspec.to_builtins(frame))
    # The estimate of the whole may differ a little from that of its parts.
    for _ in range(_FITTINGS):
        made, tokens = make(max(0, most))
        if tokens <= max_tokens:
            return made
        most -= tokens - max_tokens
    return None


def row_tokens(row: Struct) -> int:
    """With the comma after it."""
    return tokens_of_json(msgspec.to_builtins(row)) + 1


class _FittedCandidate:
    """A candidate that is fitted into the room of its section, and maybe again into what others leave: what is made of
    all of its text, and of none, is counted once."""

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate
        self.roughly = candidate.roughly

    @cached_property
    def _whole(self) -> tuple[Struct, int]:
        return self._counted(self._candidate.text, False)

    @cached_property
    def _without_text(self) -> int:
        return self._counted("", True)[1]

    def whole(self, tokens: int) -> tuple[Struct, int] | None:
        """The row with all of its text and its tokens; None where it needs more."""
        # The tokens of a much longer text need no counting: most texts have three to five characters a token.
        fits = len(self._candidate.text) <= 6 * tokens and self._whole[1] <= tokens
        return self._whole if fits else None

    def row(self, tokens: int) -> tuple[Struct, int] | None:
        """The row, cut where it is longer, with its tokens; None where not even that fits."""
        if (whole := self.whole(tokens)) is not None:
            return whole
        text = self._candidate.text
        room = tokens - self._without_text
        for _ in range(_TRIALS):
            begun = beginning_of(text, room) if room >= _LEAST_TEXT else ""
            if not begun:
                return None
            row, cost = self._counted(begun, begun != text)
            if cost <= tokens:
                return row, cost
            # Notes about what the text says take room too.
            room -= cost - tokens
        return None

    def _counted(self, text: str, cut: bool) -> tuple[Struct, int]:
        row = self._candidate.row(text, cut)
        return row, row_tokens(row)
