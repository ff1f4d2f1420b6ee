"""Lexer: normalises spaces, dashes, quotes and letters, then splits the text into words, numbers and signs.

It stops at the first character or word outside the vocabulary, so that it never skips anything with a meaning.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from almanac.families.time.expressions.vocabulary import END, Token, Tokens, words

MAX_LENGTH = 200

_ONE_SPELLING = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u2032\u00b4"), "'"),
}
_MAX_NUMERAL = 18
# The readers look at most this far past the last token, without a bounds check.
_LOOKAHEAD = 6


class UnknownWord(Exception):
    """Raised for a word or sign that no form uses; `args[0]` is the word."""


@lru_cache(maxsize=1)
def _token_pattern() -> re.Pattern[str]:
    return re.compile(
        r"""\s*(?:
          (?P<date>\d{1,4}(?P<sep>[-/.])\d{1,2}(?P=sep)\d{1,4}(?![\d:]|[-/.]\d))
        | (?P<clock>\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?![\d:]))
        | (?P<pair>(?:\d{1,2}/\d{1,4}|\d{4}[-/]\d{1,2})(?![\d:]|[-/.]\d))
        | (?P<ordinal>\d{1,3}(?:st|nd|rd|th)\b)
        | (?P<number>\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?)
        | (?P<meridiem>[ap]\.?\s?m\b\.?|(?<=\d)[ap]\b)
        | (?P<word>[a-z]+(?:'[a-z]+)?)
        | (?P<sign>[,+@&'/-])
        | (?P<stop>(?<=[a-z\d])\.(?=[\s,]|$))
        )""",
        re.VERBOSE | re.ASCII,
    )


@lru_cache(maxsize=1)
def _hyphen() -> Callable[[str, str], str]:
    """Return a substitution for hyphens inside words ("mid-month", "twenty-second"). Beside a figure they stay
    signs."""
    return re.compile(r"(?<=[a-z])-(?=[a-z])").sub


def normalise(text: str) -> str:
    """Return the text in lower case with single spaces, plain dashes and quotes, and plain digits instead of full-width
    ones."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text[: MAX_LENGTH + 1]).translate(_ONE_SPELLING)
    text = " ".join(text.lower().split()).rstrip(" ,;.?!")
    return _hyphen()(" ", text) if "-" in text else text


def tokenise(text: str) -> Tokens:
    """Return the tokens of a normalised text, followed by several END tokens. Raises UnknownWord."""
    tokens: Tokens = []
    vocabulary, match, at = words(), _token_pattern().match, 0
    while at < len(text):
        found = match(text, at)
        if found is None:
            raise UnknownWord(text[at:].split(maxsplit=1)[0])
        at, kind = found.end(), found.lastgroup
        if kind == "word":
            _add_word(found["word"], vocabulary, tokens)
        elif kind == "sign":
            tokens.append(vocabulary[{"@": "at", "&": "and"}.get(found["sign"], found["sign"])])
        elif kind is not None and kind != "stop":
            tokens.append(_figure(kind, found[kind]))
    tokens.extend([END] * _LOOKAHEAD)
    return tokens


def _add_word(text: str, vocabulary: dict[str, Token], tokens: Tokens) -> None:
    if "'" in text:
        text = "oclock" if text == "o'clock" else text.removesuffix("'s")
    if text == "the":  # carries no meaning in any form
        return
    token = vocabulary.get(text)
    if token is None:
        raise UnknownWord(text)
    tokens.append(token)


def _figure(kind: str, text: str) -> Token:
    token = Token(text)
    if kind == "number":
        whole, _, fraction = text.replace(",", "").partition(".")
        if len(text) > _MAX_NUMERAL:
            raise UnknownWord(text)
        if fraction:
            token.decimal = (int(whole + fraction), 10 ** len(fraction))
        else:
            token.number = int(whole)
            token.digits = _MAX_NUMERAL if "," in text else len(whole)  # "1,200" is never a year or an hour
    elif kind == "ordinal":
        token.ordinal = int(text[:-2])
    elif kind == "meridiem":
        token.text = token.meridiem = "am" if text[0] == "a" else "pm"
    elif kind == "clock":
        token.clock = read_clock_figures(text)
    else:
        sign = next(character for character in text if not character.isdigit())
        token.date = (*text.split(sign), sign)
    return token


def read_clock_figures(text: str) -> tuple[int, int, int | None, int]:
    """Split `14:05`, `14:05:09` or `14:05:09.5` into hour, minute, second and microsecond, without checking their
    ranges."""
    whole, _, fraction = text.replace(",", ".").partition(".")
    parts = whole.split(":")
    second = int(parts[2]) if len(parts) > 2 else None
    return int(parts[0]), int(parts[1]), second, int(fraction[:6].ljust(6, "0")) if fraction else 0
