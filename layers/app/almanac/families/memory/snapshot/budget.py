"""Divide an answer's tokens among its sections, and among the rows of a section.

A section or row that needs less than its share leaves the rest to the others, so nothing is cut while there is room.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from almanac.families.memory.snapshot.tokens import beginning_of, tokens_of_json

R = TypeVar("R", bound=Struct)

_LEAST_TEXT = 16
"""Fewest tokens of its text with which a row is worth showing."""
_TRIALS = 3
_FRAME = 50
"""Estimated tokens of a row without its text."""
_FITTINGS = 8
_UNUSED_PARTS = 50
"""An answer that leaves more than this part of its tokens unused is filled anew, once."""
_MOST_OF_FIRST = 0.75


class Candidate(Struct, frozen=True):
    """A possible row of an answer. `row` makes it from its text, or from the beginning of its text if that is cut.

    `beside` is the number of characters that the row shows next to its text, such as tags. `frame` estimates the tokens
    of the row without either."""

    text: str
    row: Callable[[str, bool], Struct]
    beside: int = 0
    frame: int = _FRAME

    @property
    def roughly(self) -> int:
        """Estimate the tokens of the row. In most languages a token has three characters or more."""
        return self.frame + (len(self.text) + self.beside) // 3


class FilledSection(Struct, frozen=True):
    """The rows of a section, their tokens, and the number of candidates left out."""

    rows: tuple[Any, ...]
    tokens: int
    left_out: int


class Section(Struct, frozen=True):
    """The share of a section in the tokens. `weight` decides that share if the sections want more than there are.

    `least` is the number of tokens that a row may have even if later rows then get none. A section that `is_first`
    takes the tokens it needs before the others share the rest. It may take all but the tokens that the others want, or
    three quarters of all if that is more. It cuts a row only if the whole row does not fit."""

    weight: float
    least: int
    is_first: bool = False


def divide_tokens(total: int, needs: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Divide `total` by weight, with no share larger than the number of tokens wanted."""
    shares = [0] * len(needs)
    open_ones: list[int] = [one for one, want in enumerate(needs) if want > 0]
    left = total
    while open_ones:
        weight = sum(weights[one] for one in open_ones)
        content = [one for one in open_ones if needs[one] <= left * weights[one] / weight]
        if not content:
            for one in open_ones:
                shares[one] = int(left * weights[one] / weight)
            return shares
        for one in content:
            shares[one] = needs[one]
        left -= sum(needs[one] for one in content)
        open_ones = [one for one in open_ones if one not in content]
    return shares


def level(total: int, needs: Sequence[int], least: int) -> int:
    """Return the largest limit for a single share at which all shares, cut to it, fit into `total`.

    It is never below `least`, even if some then get nothing."""
    left, count = total, len(needs)
    for want in sorted(needs):
        if want * count > left:
            return max(least, left // count)
        left -= want
        count -= 1
    return total


def fill_section(candidates: Sequence[Candidate], tokens: int, least: int) -> FilledSection:
    """Fill `tokens` with rows of the first candidates. A row may have `least` tokens even if later ones get none."""
    return _fill_in_order([_FittedCandidate(one) for one in candidates], tokens, least)


def _fill_in_order(candidates: "Sequence[_FittedCandidate]", tokens: int, least: int) -> FilledSection:
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


def _fill_with_whole_rows(candidates: "Sequence[_FittedCandidate]", tokens: int, least: int) -> FilledSection:
    """Fill `tokens` with whole rows of all candidates that fit, then with cut rows of the others in the room left.

    The rows keep the order of the candidates."""
    rows = dict[int, Struct]()
    left = tokens
    for place, candidate in enumerate(candidates):
        if left < _LEAST_TEXT:
            break
        if (found := candidate.whole(left)) is not None:
            rows[place] = found[0]
            left -= found[1]
    others = [place for place in range(len(candidates)) if place not in rows]
    cut = _fill_in_order([candidates[place] for place in others], left, least)
    rows |= zip(others, cut.rows, strict=False)
    in_order = tuple(rows[place] for place in sorted(rows))
    return FilledSection(in_order, tokens - left + cut.tokens, len(candidates) - len(rows))


def fill_sections(
    sections: Mapping[str, Section], candidates: Mapping[str, Sequence[Candidate]], tokens: int
) -> dict[str, FilledSection]:
    """Fill the first sections, then the others in their order.

    Tokens that a section leaves go to the sections after it, and then to those before it."""
    fitting = {name: [_FittedCandidate(one) for one in candidates[name]] for name in sections}
    others = {name: section for name, section in sections.items() if not section.is_first}
    needs = [sum(one.roughly for one in fitting[name]) for name in others]
    made: dict[str, FilledSection] = {}
    left = tokens
    for name, section in sections.items():
        if section.is_first:
            most = max(int(_MOST_OF_FIRST * left), left - sum(needs))
            made[name] = _fill_with_whole_rows(fitting[name], most, section.least)
            left -= made[name].tokens
    shares = divide_tokens(left, needs, [section.weight for section in others.values()])
    left -= sum(shares)
    for (name, section), share in zip(others.items(), shares, strict=True):
        made[name] = _fill_in_order(fitting[name], share + left, section.least)
        left += share - made[name].tokens
    for name, section in others.items():
        rest = _fill_in_order(fitting[name][len(made[name].rows) :], left, section.least)
        made[name] = FilledSection(made[name].rows + rest.rows, made[name].tokens + rest.tokens, rest.left_out)
        left -= rest.tokens
    return made


def fit_to_budget(max_tokens: int, frame: Struct, make: Callable[[int], tuple[R, int]]) -> R | None:
    """Return the result of `make` that fits into `max_tokens`; None if even `frame`, the answer without rows, does not.

    `make` takes the number of tokens for rows, and returns its result and the tokens of the whole answer."""
    most = max_tokens - tokens_of_json(msgspec.to_builtins(frame))
    fitting: R | None = None
    # The whole may have more or fewer tokens than the sum of its parts, as rows of one group share its frame.
    for _ in range(_FITTINGS):
        made, tokens = make(max(0, most))
        unused = max_tokens - tokens
        most += unused
        if unused < 0:
            continue
        was_fitting, fitting = fitting is not None, made
        if was_fitting or unused <= max_tokens // _UNUSED_PARTS:
            break
    return fitting


def row_tokens(row: Struct) -> int:
    """Return the tokens of a row with the comma after it."""
    return tokens_of_json(msgspec.to_builtins(row)) + 1


class _FittedCandidate:
    """A candidate that may be fitted twice, into the room of its section and into the room that other sections leave.

    The row with its whole text, and the tokens of the row without text, are computed only once."""

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate
        self.roughly = candidate.roughly

    @cached_property
    def _whole(self) -> tuple[Struct, int]:
        return self._row_with_tokens(self._candidate.text, False)

    @cached_property
    def _without_text(self) -> int:
        return self._row_with_tokens("", True)[1]

    def whole(self, tokens: int) -> tuple[Struct, int] | None:
        """Return the row with its whole text, and its tokens; None if it needs more than `tokens`."""
        # The tokens of a much longer text need no counting: most texts have three to five characters a token.
        fits = len(self._candidate.text) <= 6 * tokens and self._whole[1] <= tokens
        return self._whole if fits else None

    def row(self, tokens: int) -> tuple[Struct, int] | None:
        """Return the row, cut if it is longer than `tokens`, and its tokens; None if not even a cut row fits."""
        if (whole := self.whole(tokens)) is not None:
            return whole
        text = self._candidate.text
        room = tokens - self._without_text
        for _ in range(_TRIALS):
            begun = beginning_of(text, room) if room >= _LEAST_TEXT else ""
            if not begun:
                return None
            row, cost = self._row_with_tokens(begun, begun != text)
            if cost <= tokens:
                return row, cost
            # Notes about the text take room too.
            room -= cost - tokens
        return None

    def _row_with_tokens(self, text: str, cut: bool) -> tuple[Struct, int]:
        row = self._candidate.row(text, cut)
        return row, row_tokens(row)
