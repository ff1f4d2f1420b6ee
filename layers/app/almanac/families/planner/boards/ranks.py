"""Ranks of cards. There is always a rank between two ranks, so a card can be placed without moving another.

A rank is a whole number with a fraction, in base 62, written so that text sorts like the numbers. Its first letter
gives the number of whole digits: `a` one, `b` two, and so on upwards; `Z` one, `Y` two, and so on downwards. Ranks at
either end of a list therefore stay short, however many are added there.
"""

from almanac.kernel.errors import LimitExceeded
from almanac.kernel.ids import RandomBytes

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_FIRST = "a0"
MAX_LENGTH = 400


def rank_between(low: str | None, high: str | None) -> str:
    """Return a rank above `low` and below `high`; None is the end of the list on that side. Raises LimitExceeded after
    some thousands of cards at the same place."""
    if low is not None and high is not None and low >= high:
        raise ValueError(f"{low} does not stand below {high}")
    rank = _between(low, high)
    if len(rank) > MAX_LENGTH:
        raise LimitExceeded(
            "Too many cards were inserted at this position.",
            "Put the card at the top, at the end, or a little further on.",
        )
    return rank


def rank_just_above(rank: str, random_bytes: RandomBytes) -> str:
    """Return a rank a little above `rank`, the last one of a column, with random digits so that concurrent callers get
    different ones."""
    first, second, last = random_bytes(3)
    return rank + _DIGITS[first % 62] + _DIGITS[second % 62] + _DIGITS[1 + last % 61]


def _between(low: str | None, high: str | None) -> str:
    if low is None and high is None:
        return _FIRST
    if low is None and high is not None:
        whole = high[: _whole_length(high)]
        # With a fraction, the whole number itself is below it.
        return whole if len(whole) < len(high) else _lower(whole)
    if low is not None and high is None:
        return _higher(low[: _whole_length(low)])
    assert low is not None and high is not None  # noqa: PT018, S101 - for the type checker
    whole, top = low[: _whole_length(low)], high[: _whole_length(high)]
    if whole == top:
        return whole + _fraction(low[len(whole) :], high[len(top) :])
    above = _higher(whole)
    return above if above < high else whole + _fraction(low[len(whole) :], None)


def _whole_length(rank: str) -> int:
    head = rank[0]
    return ord(head) - ord("a") + 2 if head >= "a" else ord("Z") - ord(head) + 2


def _higher(whole: str) -> str:
    head, digits = whole[0], list(whole[1:])
    for at in reversed(range(len(digits))):
        position = _DIGITS.index(digits[at]) + 1
        if position < len(_DIGITS):
            digits[at] = _DIGITS[position]
            return head + "".join(digits)
        digits[at] = _DIGITS[0]
    if head == "Z":
        return _FIRST
    upwards = head >= "a"
    return chr(ord(head) + 1) + "".join([*digits, _DIGITS[0]] if upwards else digits[:-1])


def _lower(whole: str) -> str:
    head, digits = whole[0], list(whole[1:])
    for at in reversed(range(len(digits))):
        position = _DIGITS.index(digits[at]) - 1
        if position >= 0:
            digits[at] = _DIGITS[position]
            return head + "".join(digits)
        digits[at] = _DIGITS[-1]
    if head == "a":
        return "Z" + _DIGITS[-1]
    upwards = head > "a"
    return chr(ord(head) - 1) + "".join(digits[:-1] if upwards else [*digits, _DIGITS[-1]])


def _fraction(low: str, high: str | None) -> str:
    """Return digits strictly between two fractions, never ending in 0. `high` None is the next whole number."""
    same = 0
    if high is not None:
        while same < len(high) and (low[same] if same < len(low) else _DIGITS[0]) == high[same]:
            same += 1
        if same:
            return high[:same] + _fraction(low[same:], high[same:])
    first = _DIGITS.index(low[0]) if low else 0
    last = _DIGITS.index(high[0]) if high else len(_DIGITS)
    if last - first > 1:
        return _DIGITS[(first + last) // 2]
    if high is not None and len(high) > 1:
        return high[0]
    return _DIGITS[first] + _fraction(low[1:], None)
