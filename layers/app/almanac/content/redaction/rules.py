"""Redaction rules with one pattern each, applied only to texts in which a single pass over all rules found a match."""

from collections.abc import Callable, Iterator
from functools import cached_property

from msgspec import Struct

from almanac.content.redaction.matcher.linear import PatternSet, compile_pattern, pattern_set
from almanac.content.redaction.matcher.plausible import entropy, is_placeholder
from almanac.content.redaction.matcher.spans import TOKEN, Span


def _is_no_placeholder(secret: bytes) -> bool:
    return not is_placeholder(secret)


class Rule(Struct, frozen=True):
    """A rule of redaction. Group 1 of `pattern` is a secret if it `fits` and has at least `bits` of entropy per
    character."""

    kind: str
    pattern: str
    fits: Callable[[bytes], bool] = _is_no_placeholder
    bits: float = 2.0
    rank: int = TOKEN

    def matches(self, data: bytes) -> Iterator[Span]:
        at = 0
        search = compile_pattern(self.pattern).search
        while found := search(data, at):
            secret = found.group(1) or b""
            at = found.end(1)
            if entropy(secret) >= self.bits and self.fits(secret):
                yield Span(found.start(1), at, self.kind, self.rank)


class RuleSet:
    """Many rules as one, so that most texts cost only one pass."""

    def __init__(self, *rules: Rule) -> None:
        self._rules = rules

    @cached_property
    def _prefilter(self) -> PatternSet:
        return pattern_set([rule.pattern for rule in self._rules])

    def matches(self, data: bytes) -> Iterator[Span]:
        """Yield every match of every rule."""
        for index in self._prefilter.Match(data) or ():
            yield from self._rules[index].matches(data)
