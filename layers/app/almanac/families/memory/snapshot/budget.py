"""Divide an answer's tokens among its sections, and among the rows of a section.

A section or row that needs less than its share leaves the rest to the others, so nothing is cut while there is room.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from almanac.families.memory.snapshot.tokens import cut_to_tokens, tokens_of_json

R = TypeVar("R", bound=Struct)

_LEAST_TEXT = 16
"""Least number of text tokens at which a row is worth showing."""
_TRIALS = 3
_FRAME = 50
"""Estimated tokens of a row without its text."""
_FITTINGS = 8
_UNUSED_PARTS = 50
"""An answer that leaves more than one in this many tokens unused is filled once more."""
_MOST_OF_FIRST = 0.75


class Candidate(Struct, frozen=True):
    """A possible row of an answer. `row` makes the row from the text, or from the beginning of a text that is cut.

    `beside` is the number of characters that the row shows in addition to its text, such as tags. `frame` estimates the
    tokens of the row without both."""

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
    """The claim of a section on the tokens. `weight` sets its share if the sections need more tokens than there are.

    A row may take `least` tokens even if later rows then get none. A section that `is_first` takes the tokens it needs
    before the others share the rest: all that the others do not need, or three quarters of all if that is more. It cuts
    a row only if the whole row does not fit."""

    weight: float
    least: int
    is_first: bool = False


def divide_tokens(total: int, needs: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Divide `total` by weight, with no share above its entry in `needs`."""
    shares = [0] * len(needs)
    unserved: list[int] = [one for one, want in enumerate(needs) if want > 0]
    tokens_left = total
    while unserved:
        weight = sum(weights[one] for one in unserved)
        satisfied = [one for one in unserved if needs[one] <= tokens_left * weights[one] / weight]
        if not satisfied:
            for one in unserved:
                shares[one] = int(tokens_left * weights[one] / weight)
            return shares
        for one in satisfied:
            shares[one] = needs[one]
        tokens_left -= sum(needs[one] for one in satisfied)
        unserved = [one for one in unserved if one not in satisfied]
    return shares


def level(total: int, needs: Sequence[int], least: int) -> int:
    """Return the largest limit at which all `needs`, each cut to the limit, fit into `total` together.

    The limit is never below `least`, even if some needs then get nothing."""
    tokens_left, count = total, len(needs)
    for want in sorted(needs):
        if want * count > tokens_left:
            return max(least, tokens_left // count)
        tokens_left -= want
        count -= 1
    return total


def fill_section(candidates: Sequence[Candidate], tokens: int, least: int) -> FilledSection:
    """Fill `tokens` with rows of the first candidates. A row may have `least` tokens even if later ones get none."""
    return _fill_in_order([_FittedCandidate(one) for one in candidates], tokens, least)


def _fill_in_order(candidates: "Sequence[_FittedCandidate]", tokens: int, least: int) -> FilledSection:
    most = level(tokens, [one.roughly for one in candidates], least)
    rows: list[Struct] = []
    tokens_left = tokens
    for candidate in candidates:
        fitted = candidate.row(min(most, tokens_left))
        if fitted is None:
            break
        row, cost = fitted
        rows.append(row)
        tokens_left -= cost
    return FilledSection(tuple(rows), tokens - tokens_left, len(candidates) - len(rows))


def _fill_with_whole_rows(candidates: "Sequence[_FittedCandidate]", tokens: int, least: int) -> FilledSection:
    """Fill `tokens` with all whole rows that fit, then fill the remaining room with cut rows of the other candidates.

    The rows keep the order of the candidates."""
    rows = dict[int, Struct]()
    tokens_left = tokens
    for place, candidate in enumerate(candidates):
        if tokens_left < _LEAST_TEXT:
            break
        if (fitted := candidate.whole(tokens_left)) is not None:
            rows[place] = fitted[0]
            tokens_left -= fitted[1]
    others = [place for place in range(len(candidates)) if place not in rows]
    cut = _fill_in_order([candidates[place] for place in others], tokens_left, least)
    rows |= zip(others, cut.rows, strict=False)
    in_order = tuple(rows[place] for place in sorted(rows))
    return FilledSection(in_order, tokens - tokens_left + cut.tokens, len(candidates) - len(rows))


def fill_sections(
    sections: Mapping[str, Section], candidates: Mapping[str, Sequence[Candidate]], tokens: int
) -> dict[str, FilledSection]:
    """Fill the first sections, then the others in their order.

    Unused tokens of a section go to the sections after it, then to those before it."""
    fitting = {name: [_FittedCandidate(one) for one in candidates[name]] for name in sections}
    others = {name: section for name, section in sections.items() if not section.is_first}
    needs = [sum(one.roughly for one in fitting[name]) for name in others]
    filled: dict[str, FilledSection] = {}
    tokens_left = tokens
    for name, section in sections.items():
        if section.is_first:
            most = max(int(_MOST_OF_FIRST * tokens_left), tokens_left - sum(needs))
            filled[name] = _fill_with_whole_rows(fitting[name], most, section.least)
            tokens_left -= filled[name].tokens
    shares = divide_tokens(tokens_left, needs, [section.weight for section in others.values()])
    tokens_left -= sum(shares)
    for (name, section), share in zip(others.items(), shares, strict=True):
        filled[name] = _fill_in_order(fitting[name], share + tokens_left, section.least)
        tokens_left += share - filled[name].tokens
    for name, section in others.items():
        rest = _fill_in_order(fitting[name][len(filled[name].rows) :], tokens_left, section.least)
        filled[name] = FilledSection(filled[name].rows + rest.rows, filled[name].tokens + rest.tokens, rest.left_out)
        tokens_left -= rest.tokens
    return filled


def fit_to_budget(max_tokens: int, frame: Struct, make: Callable[[int], tuple[R, int]]) -> R | None:
    """Call `make` until its result fits into `max_tokens` and uses them well, and return that result.

    `make` takes the number of tokens for rows, and returns its result and the tokens of the whole answer. `frame` is
    the answer without rows. None if no result fits."""
    most = max_tokens - tokens_of_json(msgspec.to_builtins(frame))
    fitting: R | None = None
    # The answer may have more or fewer tokens than the sum of its parts, because rows of a group share its frame.
    for _ in range(_FITTINGS):
        result, tokens = make(max(0, most))
        unused = max_tokens - tokens
        most += unused
        if unused < 0:
            continue
        was_fitting, fitting = fitting is not None, result
        if was_fitting or unused <= max_tokens // _UNUSED_PARTS:
            break
    return fitting


def row_tokens(row: Struct) -> int:
    """Return the tokens of a row with the comma after it."""
    return tokens_of_json(msgspec.to_builtins(row)) + 1


class _FittedCandidate:
    """A candidate whose row is fitted up to twice: into its section, and into room that other sections leave.

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
        # A much longer text cannot fit and is not counted: most texts have three to five characters per token.
        fits = len(self._candidate.text) <= 6 * tokens and self._whole[1] <= tokens
        return self._whole if fits else None

    def row(self, tokens: int) -> tuple[Struct, int] | None:
        """Return the row, cut if it is longer than `tokens`, and its tokens; None if not even a cut row fits."""
        if (whole := self.whole(tokens)) is not None:
            return whole
        text = self._candidate.text
        room = tokens - self._without_text
        for _ in range(_TRIALS):
            beginning = cut_to_tokens(text, room) if room >= _LEAST_TEXT else ""
            if not beginning:
                return None
            row, cost = self._row_with_tokens(beginning, beginning != text)
            if cost <= tokens:
                return row, cost
            # Notes about the text take room too.
            room -= cost - tokens
        return None

    def _row_with_tokens(self, text: str, cut: bool) -> tuple[Struct, int]:
        row = self._candidate.row(text, cut)
        return row, row_tokens(row)
