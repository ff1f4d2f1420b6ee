"""Rules: one pattern, what a match means, and the words without which it need not be tried.

Patterns run over lower-case text. Every repetition in them is bounded and its words are possessive
(`\\w{1,24}+`), so that a match is found or given up within a bounded number of steps from each start.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from almanac.content.verdicts import Kind

MATCHES_PER_RULE = 3

# Up to N words of any kind, then a separator; for the inside of patterns.
GAP = r"(?:\W{1,4}+[\w']{1,24}+)"
SEPARATOR = r"\W{1,4}+"

# Before a verb: whoever writes this forbids, tells or asks about it and does not order it.
_NOT_ORDERED = re.compile(
    r"(?:\b(?:not|never|don't|dont|cannot|can't|won't|without|avoid|who|which|they|we|people|users|employees|attendees"
    r"|staff|attackers|hackers|models?|why|when|how to|tried to|trying to|attempts? to|wants? to|phrases? like)\W{1,3}"
    r"(?:just |simply |ever |to |you )?)\Z"
)
_LOOK_BACK = 32


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` is tried where one of `anchors` occurs, and one of `along` where there are any (all lower case).

    `ordered` drops a match that is no order.
    """

    kind: Kind
    severe: bool
    anchors: tuple[str, ...]
    pattern: str
    along: tuple[str, ...] = ()
    ordered: bool = False

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """At most three matches in `text`, which is lower case and holds an anchor."""
        if self.along and not any(word in text for word in self.along):
            return
        found = 0
        for match in _compiled(self.pattern).finditer(text):
            if self.ordered and _NOT_ORDERED.search(text[max(0, match.start() - _LOOK_BACK) : match.start()]):
                continue
            yield match
            found += 1
            if found == MATCHES_PER_RULE:
                return


class RuleSet:
    """Rules by their anchors: a text without any of these is passed over at the price of looking for the words."""

    def __init__(self, *rules: Rule) -> None:
        by_anchor: dict[str, list[Rule]] = {}
        for rule in rules:
            for anchor in rule.anchors:
                by_anchor.setdefault(anchor, []).append(rule)
        self._by_anchor = tuple(by_anchor.items())

    def matches(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Every match of every rule in `text`, which is lower case; at most three of each."""
        anchored = [rules for anchor, rules in self._by_anchor if anchor in text]
        for rule in dict.fromkeys(rule for rules in anchored for rule in rules):
            for match in rule.matches(text):
                yield rule, match


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    # At first use: most texts need no pattern at all, and a cold start need not pay for them.
    return re.compile(pattern, re.MULTILINE)
