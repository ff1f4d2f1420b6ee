"""Redaction of a text by all rules."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from almanac.content.redaction.commands import COMMANDS
from almanac.content.redaction.findings import RedactedText, SecretFinding, placeholder
from almanac.content.redaction.matcher.linear import compile_pattern
from almanac.content.redaction.matcher.matchable_text import MatchableText, to_matchable
from almanac.content.redaction.matcher.plausible import entropy
from almanac.content.redaction.matcher.spans import PAIR, PLACE, Span, merge_spans
from almanac.content.redaction.pairs import pairs_in
from almanac.content.redaction.places import PLACES
from almanac.content.redaction.rules import RuleSet
from almanac.content.redaction.shapes import SHAPES
from almanac.content.redaction.tokens import tokens_in

_LONGEST_KEY = 64 * 1024
_SHORTEST_KEY = 24
_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|PRIVATE KEY BLOCK)-----|PuTTY-User-Key-File-\d"
_END = r"-----END [A-Z0-9 ]{0,40}(?:PRIVATE KEY|PRIVATE KEY BLOCK)-----|Private-MAC: [0-9a-f]+"
_ARMOUR = r"(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]+: [^\n\"\\]*|[\s\"'`+,>|#*/]|\\+[nrt]|[A-Za-z0-9+/=]+\s*$)*"

_RULES = RuleSet(*SHAPES, *PLACES, *COMMANDS)
_ROUNDS = 8
_ANYWHERE = 8
_AS_A_WORD = 6
_LONGEST_WORD = 12
_IN_WORDS = frozenset(bytes([each]) for each in range(256) if bytes([each]).isalnum())
# A word that is used as a password also occurs in names of code.
_IN_NAMES = _IN_WORDS | {b"_", b".", b"(", b"-"}
# Limit for bytes compared while searching further occurrences of the same secrets.
_EFFORT = 100_000_000
_REDACTED = r"\[REDACTED:[a-z0-9_]{1,40}\]"


def redact(text: str, known: Iterable[bytes] = ()) -> RedactedText:
    """Replace every secret in `text` by `[REDACTED:kind]`. A second time changes nothing. Takes linear time and never
    raises.

    A secret known by its name is removed wherever else it occurs, and so are the `known` secrets.
    """
    spans = secrets_in(text, known)
    for _ in range(_ROUNDS):
        redacted = _replace_spans(text, spans)
        # The remaining text may look like a secret only now. A second `redact` must change nothing.
        more = secrets_in(redacted, known) if spans else []
        whole = merge_spans([*spans, *_in_original(more, spans)])
        if not more or _covered_length(whole) == _covered_length(spans):
            return RedactedText(redacted, tuple(_finding_of(span) for span in spans))
        spans = whole
    return RedactedText(_replace_spans(text, spans), tuple(_finding_of(span) for span in spans))


def secrets_in(text: str, known: Iterable[bytes] = ()) -> list[Span]:
    """Return the spans of the secrets in `text`, in characters and in order. Earlier placeholders never match again."""
    reading = to_matchable(text)
    spans = list(_find_spans(reading.data))
    spans += _find_repeats(reading.data, {reading.data[each.start : each.end]: each.kind for each in spans})
    spans += _find_repeats(reading.data, dict.fromkeys(known, "secret"))
    spans = _outside(spans, reading.data)
    return merge_spans(span._replace(**_place(reading, span)) for span in spans)


def values_in(text: str) -> set[bytes]:
    """Return the secrets of `text` as bytes, to search for them elsewhere."""
    data = to_matchable(text).data
    return {data[span.start : span.end] for span in _outside(list(_find_spans(data)), data)}


def _find_spans(data: bytes) -> Iterator[Span]:
    yield from tokens_in(data)
    yield from _RULES.matches(data)
    yield from key_blocks_in(data)
    yield from pairs_in(data)


def _find_repeats(data: bytes, kinds: dict[bytes, str]) -> Iterator[Span]:
    """Yield every other occurrence of the same secrets. Short ones count only as separate words."""
    budget = _EFFORT
    for value, kind in kinds.items():
        if len(value) < _AS_A_WORD or (budget := budget - len(data)) < 0:
            continue
        at = data.find(value)
        is_word = value.isalpha() and value.islower() and len(value) <= _LONGEST_WORD
        inside = _IN_NAMES if is_word else _IN_WORDS if len(value) < _ANYWHERE else frozenset[bytes]()
        while at >= 0:
            end = at + len(value)
            if data[max(0, at - 1) : at] not in inside and data[end : end + 1] not in inside:
                yield Span(at, end, kind, PAIR)
            at = data.find(value, end)


def _outside(spans: list[Span], data: bytes) -> list[Span]:
    """Return the spans that do not lie within an earlier placeholder."""
    if b"[REDACTED:" not in data:
        return spans
    gone: list[tuple[int, int]] = []
    while found := compile_pattern(_REDACTED).search(data, gone[-1][1] if gone else 0):
        gone.append((found.start(), found.end()))
    return [span for span in spans if not _is_within(span, gone)]


def _is_within(span: Span, places: Sequence[tuple[int, int]]) -> bool:
    """Return whether one of `places`, which are in order, contains the whole span."""
    at = bisect_right(places, (span.start, sys.maxsize)) - 1
    return at >= 0 and span.end <= places[at][1]


def _place(reading: MatchableText, span: Span) -> dict[str, int]:
    start, end = reading.span(span.start, span.end)
    return {"start": start, "end": end}


def _replace_spans(text: str, spans: Sequence[Span]) -> str:
    kept: list[str] = []
    at = 0
    for span in spans:
        kept += text[at : span.start], placeholder(span.kind)
        at = span.end
    return "".join([*kept, text[at:]])


def _in_original(more: Iterable[Span], spans: Sequence[Span]) -> Iterator[Span]:
    """Convert spans of the redacted text to spans of the original. A part of a placeholder stands for the whole
    secret."""
    if not more:
        return
    starts, shifts = [0], [0]
    for span in spans:
        shift = shifts[-1] + len(placeholder(span.kind)) - (span.end - span.start)
        starts += span.start + shifts[-1], span.end + shift
        shifts += shifts[-1], shift
    for span in more:
        first, last = bisect_right(starts, span.start) - 1, bisect_left(starts, span.end) - 1
        start = spans[first // 2].start if first % 2 else span.start - shifts[first]
        end = spans[last // 2].end if last % 2 else span.end - shifts[last]
        yield span._replace(start=start, end=end)


def _covered_length(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def _finding_of(span: Span) -> SecretFinding:
    return SecretFinding(span.kind, span.start, span.end, span.prefix)


def key_blocks_in(data: bytes) -> Iterator[Span]:
    """Yield every block of a private key, from its first line to its last."""
    if b"PRIVATE KEY" not in data and b"PuTTY" not in data:
        return
    begins = list(compile_pattern(_BEGIN).finditer(data))
    for begin, after in zip_longest(begins, begins[1:]):
        limit = min(after.start() if after else len(data), begin.end() + _LONGEST_KEY)
        end = compile_pattern(_END).search(data, begin.end(), limit) or compile_pattern(_ARMOUR).match(
            data, begin.end(), limit
        )
        if end and _contains_key(data[begin.end() : max(end.start(), end.end() if end.start() == begin.end() else 0)]):
            yield Span(begin.start(), end.end(), "private_key", PLACE)


def _contains_key(block: bytes) -> bool:
    run = compile_pattern(rf"[A-Za-z0-9+/=]{{{_SHORTEST_KEY},}}").search(block)
    return run is not None and entropy(run.group() or b"") > 2.5 and b"..." not in block
