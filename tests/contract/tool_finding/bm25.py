"""Okapi BM25 over a few short texts: clients that load tools on demand find them so."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping

SATURATION = 1.2
"""k1: how soon a word that is repeated stops counting."""
LENGTH = 0.75
"""b: how much a long text is marked down."""
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s", "e")


def words(text: str) -> list[str]:
    """Lower-case runs of letters: an underscore, a digit or a sign ends a word."""
    return re.findall(r"[^\W\d_]+", text.lower())


def stems(text: str) -> list[str]:
    """Words without the commonest English endings."""
    return [_stem(word) for word in words(text)]


class Ranking:
    """The texts that match a query, by name, the best first."""

    def __init__(self, texts: Mapping[str, str], split: Callable[[str], list[str]] = words) -> None:
        self._split = split
        self._counts = {name: Counter(split(text)) for name, text in texts.items()}
        self._sizes = {name: sum(counts.values()) for name, counts in self._counts.items()}
        self._average = sum(self._sizes.values()) / len(texts)
        self._holding = Counter(word for counts in self._counts.values() for word in counts)

    def best(self, query: str, count: int) -> list[str]:
        asked = self._split(query)
        scores = {name: sum(self._score(word, name) for word in asked) for name in self._counts}
        return sorted((name for name in scores if scores[name] > 0), key=lambda name: (-scores[name], name))[:count]

    def _score(self, word: str, name: str) -> float:
        holding, seen = self._holding[word], self._counts[name][word]
        rarity = math.log(1 + (len(self._counts) - holding + 0.5) / (holding + 0.5))
        norm = SATURATION * (1 - LENGTH + LENGTH * self._sizes[name] / self._average)
        return rarity * seen * (SATURATION + 1) / (seen + norm)


def _stem(word: str) -> str:
    ending = next((ending for ending in _ENDINGS if word.endswith(ending) and len(word) - len(ending) >= 3), "")
    return word.removesuffix(ending)
