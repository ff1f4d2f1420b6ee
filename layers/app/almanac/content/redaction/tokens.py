"""Tokens, secrets that are recognised by their own form."""

from collections.abc import Iterator
from functools import cache

from almanac.content.redaction.formats.clouds import CLOUDS
from almanac.content.redaction.formats.code import CODE
from almanac.content.redaction.formats.format import Format
from almanac.content.redaction.formats.models import MODELS
from almanac.content.redaction.formats.services import SERVICES
from almanac.content.redaction.matcher.linear import Match, Pattern, compile_pattern
from almanac.content.redaction.matcher.plausible import (
    entropy,
    is_placeholder,
    is_sequence,
    kinds_of_characters,
    length_of_words,
    turns,
)
from almanac.content.redaction.matcher.spans import GUESS, TOKEN, Span

FORMATS = (*CLOUDS, *CODE, *MODELS, *SERVICES)

_SHOWN = 4
_BESIDE = 80
# Of no known provider, but in the form that most of them use: acme_live_Zk3..., ab-Zk3...
_UNKNOWN = r"[A-Za-z][A-Za-z0-9]{1,9}(?:[_-][A-Za-z0-9]{1,10}){0,2}[_-]([A-Za-z0-9]{28,})"
_LEFT_OUT = r"[_-]?(?:\.\.\.?|\*\*|##|\x85|<|\[\.)"
_MIXED = 4.0
_LONGEST_NAME, _OF_WORDS = 80, 4.0


def tokens_in(data: bytes) -> Iterator[Span]:
    """Yield every token of a known format, and every long random word after a short prefix."""
    at = 0
    search = _prefix_pattern().search
    while found := search(data, at):
        start, body = found.start(1), found.end(1)
        span = next(_tokens_of_format(data, start, found.group(1) or b""), None)
        if span:
            yield span
        at = span.end if span else body
    yield from _tokens_of_unknown_format(data)


@cache
def _prefix_pattern() -> Pattern:
    """Return one pattern for the prefixes of all formats, at the beginning of a word."""
    prefixes = "|".join(_escape(prefix.decode()) for prefix in sorted(_by_prefix(), reverse=True))
    return compile_pattern(
        rf"(?:^|[^A-Za-z0-9_]|\\[nrt]|_(?:key|token|secret)_|%[23][0-9A-F])({prefixes})[A-Za-z0-9_.+/=@%\\-]{{2}}"
    )


@cache
def _by_prefix() -> dict[bytes, tuple[Format, ...]]:
    table: dict[bytes, tuple[Format, ...]] = {}
    for each in FORMATS:
        for prefix in each.prefixes:
            table[prefix.encode()] = (*table.get(prefix.encode(), ()), each)
    return table


def _tokens_of_format(data: bytes, start: int, longest: bytes) -> Iterator[Span]:
    """Yield the token that begins at `start`, by each format whose prefix matches, the longest prefix first."""
    if data[start - 1 : start] == b"+" and data[start - 2 : start - 1].isalnum():
        return  # a piece of base64
    for length in range(len(longest), 0, -1):
        for each in _by_prefix().get(longest[:length], ()):
            body = compile_pattern(each.body, longest=True).match(data, start + length)
            if (
                body
                and _ends(data, body.end())
                and _is_token(each, body)
                and _has_required_word(each, data, start, body.end())
            ):
                yield Span(start, body.end(), each.kind, TOKEN, longest[: min(length, _SHOWN)].decode())


def _is_token(each: Format, body: Match) -> bool:
    text = body.group() or b""
    if each.checked and each.checked(text):
        return True
    return entropy(text) >= each.bits and not is_placeholder(text) and not _is_words(text)


def _is_words(body: bytes) -> bool:
    """Return whether `body` consists of words, as the name of a test does."""
    return body.isalpha() and len(body) < _LONGEST_NAME and length_of_words(body) >= _OF_WORDS


def _has_required_word(each: Format, data: bytes, start: int, end: int) -> bool:
    """Return whether a word that the format requires is near the token. True if the format requires none."""
    around = data[max(0, start - _BESIDE) : start] + b" " + data[end : end + _BESIDE]
    return not each.beside or compile_pattern(each.beside, ignore_case=True).search(around) is not None


def _ends(data: bytes, end: int) -> bool:
    """Return whether a token ends at `end`. No letter, digit or underscore may follow, and no sign that the rest was
    left out."""
    after = data[end : end + 1]
    if after == b"+" and data[end + 1 : end + 2].isalnum():
        return False  # a piece of base64
    return not (after.isalnum() or after == b"_") and not compile_pattern(_LEFT_OUT).match(data, end)


def _tokens_of_unknown_format(data: bytes) -> Iterator[Span]:
    at = 0
    search = compile_pattern(rf"(?:^|[^A-Za-z0-9_/.+%-]){_UNKNOWN}").search
    while found := search(data, at):
        at = found.end()
        body = found.group(1) or b""
        if _ends(data, at) and not data.startswith((b"/", b"+", b"=", b"-"), at) and looks_random(body):
            yield Span(found.start() + (not data[found.start() : found.start() + 1].isalnum()), at, "token", GUESS)


def looks_random(body: bytes) -> bool:
    """Return whether `body` looks random: letters of both cases and digits in no order."""
    return kinds_of_characters(body) >= 3 and turns(body) >= 5 and entropy(body) >= _MIXED and not is_sequence(body)


def _escape(text: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "_-/ " else f"\\{sign}" for sign in text)
