"""How the tokens of an answer are shared between its sections, and between the rows of a section.

Whoever needs less than his share leaves the rest to the others, so that nobody is cut while there is room.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from almanac.families.memory.snapshot.tokens import beginning_of, tokens_of_json

_LEAST_TEXT = 16
"""With fewer tokens of its text a row says nothing."""
_TRIALS = 3
_FRAME = 50
"""About the tokens of a row without its text."""


class Candidate(Struct, frozen=True):
    """What may become a row: `row` makes it of its text, or of a beginning of that."""

    text: str
    row: Callable[[str, bool], Struct]

    @property
    def roughly(self) -> int:
        """The tokens of its row: in most languages a token has three characters or more."""
        return _FRAME + len(self.text) // 3


class Filled(Struct, frozen=True):
    """`tokens` of the rows, and how many candidates were left out."""

    rows: tuple[Any, ...]
    tokens: int
    left_out: int


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


def filled(candidates: Sequence[Candidate], tokens: int, least: int) -> Filled:
    """Rows of the first candidates, within `tokens`. A row has `least` tokens at least before others go without."""
    most = level(tokens, [one.roughly for one in candidates], least)
    rows: list[Struct] = []
    left = tokens
    for candidate in candidates:
        found = _row(candidate, min(most, left))
        if found is None:
            break
        row, cost = found
        rows.append(row)
        left -= cost
    return Filled(tuple(rows), tokens - left, len(candidates) - len(rows))


def row_tokens(row: Struct) -> int:
    """With the comma after it."""
    return tokens_of_json(msgspec.to_builtins(row)) + 1


def _row(candidate: Candidate, tokens: int) -> tuple[Struct, int] | None:
    """The row, cut where it is longer, with its tokens; None where not even that fits."""
    # Of a longer one a beginning is counted first: most texts have three to five characters a token.
    if len(candidate.text) <= 6 * tokens:
        row = candidate.row(candidate.text, False)
        if (cost := row_tokens(row)) <= tokens:
            return row, cost
    room = tokens - row_tokens(candidate.row("", True))
    for _ in range(_TRIALS):
        text = beginning_of(candidate.text, room) if room >= _LEAST_TEXT else ""
        if not text:
            return None
        row = candidate.row(text, text != candidate.text)
        if (cost := row_tokens(row)) <= tokens:
            return row, cost
        # Notes about what the text says take room too.
        room -= cost - tokens
    return None
