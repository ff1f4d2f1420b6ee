"""Detection rules: one pattern, the meaning of a match, and words without which the pattern need not be tried.

Patterns run over lower-case text. Every repetition is bounded and its words are possessive (`\\w{1,24}+`), so that each
start takes a bounded number of steps.
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

# Before a verb, these words forbid, report or ask about the action instead of ordering it.
_NOT_ORDERED = re.compile(
    r"(?:\b(?:not|never|don't|dont|cannot|can't|won't|without|avoid|who|which|they|we|people|users|employees|attendees"
    r"|staff|attackers|hackers|models?|why|when|how to|tried to|trying to|attempts? to|wants? to|phrases? like)\W{1,3}"
    r"(?:just |simply |ever |to |you )?)\Z"
)
_LOOK_BACK = 32


@dataclass(frozen=True, slots=True)
class Rule:
    """A detection rule. `pattern` is tried if one of `anchors` occurs, and one of `along` if there are any (all lower
    case). With `ordered`, a match that does not order anything is dropped."""

    kind: Kind
    severe: bool
    anchors: tuple[str, ...]
    pattern: str
    along: tuple[str, ...] = ()
    ordered: bool = False

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Yield at most three matches in `text`, which is lower case and contains an anchor."""
        if self.along and not any(word in text for word in self.along):
            return
        found = 0
        for match in _compile(self.pattern).finditer(text):
            if self.ordered and _NOT_ORDERED.search(text[max(0, match.start() - _LOOK_BACK) : match.start()]):
                continue
            yield match
            found += 1
            if found == MATCHES_PER_RULE:
                return


class RuleSet:
    """Rules by their anchors. A text without any anchor costs only the search for these words."""

    def __init__(self, *rules: Rule) -> None:
        by_anchor: dict[str, list[Rule]] = {}
        for rule in rules:
            for anchor in rule.anchors:
                by_anchor.setdefault(anchor, []).append(rule)
        self._by_anchor = tuple(by_anchor.items())

    def matches(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Yield at most three matches of each rule in `text`, which is lower case."""
        anchored = [rules for anchor, rules in self._by_anchor if anchor in text]
        for rule in dict.fromkeys(rule for rules in anchored for rule in rules):
            for match in rule.matches(text):
                yield rule, match


@lru_cache(maxsize=256)
def _compile(pattern: str) -> re.Pattern[str]:
    # Compiled at first use, because most texts need no pattern and a cold start should not pay for them.
    return re.compile(pattern, re.MULTILINE)
