"""Similarity of two texts by their words: it needs no model and is the same everywhere.

Shingles are the words of a text and each pair of neighbours among them; where no spaces are written, characters stand
for words. Paraphrases are not alike by it, and texts that differ in a number are: who reads the pair decides.
"""

import re
import unicodedata
from itertools import pairwise

MAX_CHARACTERS = 16_000
"""Of each text; what stands behind is not compared, so that time is bounded."""

_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")

Shingles = frozenset[str]


def words_of(text: str) -> list[str]:
    """The words of a text in order, without case, accents and punctuation."""
    return _WORD.findall(_folded(text[:MAX_CHARACTERS]))


def same_words(sentence: str) -> str:
    """Return the words of a sentence in one form, so that equal results mean the same words."""
    return " ".join(words_of(sentence))


def shingles_of(text: str) -> Shingles:
    """Return the shingles that `alike` compares; make them once if one text is compared with many."""
    words = words_of(text)
    return frozenset((*words, *map(" ".join, pairwise(words))))


def alike(one: Shingles, other: Shingles) -> float:
    """0 for nothing in common, 1 for the same words in the same order. The mean of what they share of both together
    (Jaccard) and of the smaller one (containment): a text with a sentence more is still like the other, a long text is
    not like each sentence in it."""
    shared = len(one & other)
    if not shared:
        return 0.0
    return (shared / len(one | other) + shared / min(len(one), len(other))) / 2


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(each for each in decomposed if not unicodedata.combining(each)))
