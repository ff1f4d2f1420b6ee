"""A range of bytes in a text that contains a secret."""

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """A range with a secret. Of overlapping spans, the kind with the highest `rank` wins, because its rule is the most
    specific."""

    start: int
    end: int
    kind: str
    rank: int
    prefix: str = ""


GUESS, PAIR, PLACE, TOKEN = range(4)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order. Overlapping ones become one span with the kind of the highest rank."""
    whole: list[Span] = []
    for span in sorted(spans):
        if whole and span.start < whole[-1].end:
            known = max(whole[-1], span, key=lambda each: each.rank)
            end = max(whole[-1].end, span.end)
            whole[-1] = known._replace(start=whole[-1].start, end=end, prefix=_prefix(known, whole[-1].start))
        else:
            whole.append(span)
    return whole


def _prefix(known: Span, start: int) -> str:
    return known.prefix if known.start == start else ""
