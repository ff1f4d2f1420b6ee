"""Rules: one pattern each, tried only on texts in which a single pass over all of them has seen a match."""

from collections.abc import Callable, Iterator
from functools import cached_property

from msgspec import Struct

from almanac.content.redaction.matcher.linear import PatternSet, compiled, pattern_set
from almanac.content.redaction.matcher.plausible import entropy, holds_place
from almanac.content.redaction.matcher.spans import TOKEN, Span


def _is_no_placeholder(secret: bytes) -> bool:
    return not holds_place(secret)


class Rule(Struct, frozen=True):
    """Group 1 of `pattern` is a secret if it `fits` and has so many `bits` of entropy for each character."""

    kind: str
    pattern: str
    fits: Callable[[bytes], bool] = _is_no_placeholder
    bits: float = 2.0
    rank: int = TOKEN

    def matches(self, data: bytes) -> Iterator[Span]:
        at = 0
        search = compiled(self.pattern).search
        while found := search(data, at):
            secret = found.group(1) or b""
            at = found.end(1)
            if entropy(secret) >= self.bits and self.fits(secret):
                yield Span(found.start(1), at, self.kind, self.rank)


class RuleSet:
    """Many rules as one: what most texts cost is one pass."""

    def __init__(self, *rules: Rule) -> None:
        self._rules = rules

    @cached_property
    def _prefilter(self) -> PatternSet:
        return pattern_set([rule.pattern for rule in self._rules])

    def matches(self, data: bytes) -> Iterator[Span]:
        """Every match of every rule."""
        for index in self._prefilter.Match(data) or ():
            yield from self._rules[index].matches(data)
