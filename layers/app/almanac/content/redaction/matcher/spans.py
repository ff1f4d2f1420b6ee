"""A place in the bytes of a text that holds a secret."""

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """`rank` tells which kind an overlap gets: the higher, the more a rule knows of what it found."""

    start: int
    end: int
    kind: str
    rank: int
    prefix: str = ""


GUESS, PAIR, PLACE, TOKEN = range(4)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same places in order, those that overlap as one under the kind of the highest rank."""
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
