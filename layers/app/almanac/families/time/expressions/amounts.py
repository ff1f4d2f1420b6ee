"""Numbers in words: counts ("twenty two"), years ("nineteen ninety nine"), ordinals ("twenty-second")."""

from almanac.families.time.expressions.vocabulary import Token, Tokens

Fraction = tuple[int, int]
"""Numerator and denominator."""


def read_count(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Read a whole number in figures, or in words below a million."""
    token = tokens[at]
    if token.number is None:
        return None
    if token.digits:
        return token.number, at + 1
    value, at = _below_thousand(tokens, at)
    if tokens[at].text != "thousand":
        return value, at
    value, at = value * 1000, at + 1
    at += tokens[at].text == "and" and _is_spoken(tokens[at + 1])
    rest, at = _below_thousand(tokens, at) if _is_spoken(tokens[at]) else (0, at)
    return value + rest, at


def _below_thousand(tokens: Tokens, at: int) -> tuple[int, int]:
    value, at = _below_hundred(tokens, at)
    if tokens[at].text != "hundred" or value >= 10:
        return value, at
    value, at = value * 100, at + 1
    at += tokens[at].text == "and" and _is_spoken(tokens[at + 1])
    rest, at = _below_hundred(tokens, at) if _is_spoken(tokens[at]) else (0, at)
    return value + rest, at


def _is_spoken(token: Token) -> bool:
    return token.number is not None and not token.digits


def _below_hundred(tokens: Tokens, at: int) -> tuple[int, int]:
    tens, units = tokens[at].number or 0, tokens[at + 1]
    if tens >= 20 and _is_spoken(units) and 0 < (units.number or 0) < 10:
        return tens + (units.number or 0), at + 2
    return tens, at + 1


def read_spoken_year(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """ "nineteen ninety nine", "twenty sixteen", "two thousand seventeen"."""
    first = tokens[at].number
    if first is None or tokens[at].digits:
        return None
    if first == 2 and tokens[at + 1].text == "thousand":
        at += 2
        at += tokens[at].text == "and"
        rest, at = _below_hundred(tokens, at) if _is_spoken(tokens[at]) else (0, at)
        return 2000 + rest, at
    if first in (19, 20) and _is_spoken(tokens[at + 1]):
        rest, at = _below_hundred(tokens, at + 1)
        return (first * 100 + rest, at) if rest >= 10 else None
    return None


def read_ordinal(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """ "first", "22nd", "twenty second"; "last" is -1."""
    token = tokens[at]
    if token.ordinal is not None:
        return token.ordinal, at + 1
    if token.number in (20, 30) and not token.digits:
        units = tokens[at + 1].ordinal
        if units is not None and 0 < units < 10 and not tokens[at + 1].text[0].isdigit():
            return token.number + units, at + 2
    return None


def read_amount(tokens: Tokens, at: int) -> tuple[Fraction, int] | None:
    """Read the amount before a unit: 2, two, 2.5, a, half a, a couple of, a few, a quarter of an, two and a half."""
    token, text = tokens[at], tokens[at].text
    if token.decimal is not None:
        return token.decimal, at + 1
    if text == "half":
        return (1, 2), at + 1 + (tokens[at + 1].text in ("a", "an"))
    if (part := _quarters_of(tokens, at)) is not None:
        return part
    if text in ("a", "an"):
        return _after_article(tokens, at + 1)
    if text in ("couple", "pair", "few"):
        return _after_article(tokens, at)
    if (count := read_count(tokens, at)) is None:
        return None
    value, at = count
    if tokens[at].text == "and":
        skip = at + 1 + (tokens[at + 1].text in ("a", "an"))
        if tokens[skip].text == "half" and tokens[skip + 1].unit is not None:
            return (value * 2 + 1, 2), skip + 1
    return (value, 1), at + (tokens[at].text == "more")


def _after_article(tokens: Tokens, at: int) -> tuple[Fraction, int]:
    text = tokens[at].text
    if text in ("couple", "pair"):
        return (2, 1), at + 1 + (tokens[at + 1].text == "of")
    if text == "few":
        return (3, 1), at + 1
    if text == "half":
        return (1, 2), at + 1
    if text == "hundred":
        return (100, 1), at + 1
    return (1, 1), at


def _quarters_of(tokens: Tokens, at: int) -> tuple[Fraction, int] | None:
    """ "a quarter of an", "three quarters of an"."""
    count = 1 if tokens[at].text in ("a", "one") else 3 if tokens[at].number == 3 else None
    if count is None or tokens[at + 1].unit != "quarter":
        return None
    if tokens[at + 2].text == "of" and tokens[at + 3].text in ("a", "an"):
        return (count, 4), at + 4
    return None
