"""Compare two texts by their words. This needs no model and gives the same result everywhere.

Shingles are the words of a text and every pair of adjacent words. In scripts without spaces, each character counts as a
word. Paraphrases score low, and texts that differ only in a number score high, so the reader of a pair decides.
"""

import re
import unicodedata
from itertools import pairwise

MAX_CHARACTERS = 16_000
"""Most characters of each text that are compared, which bounds the time."""

_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")

Shingles = frozenset[str]


def words_of(text: str) -> list[str]:
    """Return the words of a text in order, without case, accents and punctuation."""
    return _WORD.findall(_fold(text[:MAX_CHARACTERS]))


def same_words(sentence: str) -> str:
    """Return the normalised words of a sentence. Two sentences with equal results have the same words."""
    return " ".join(words_of(sentence))


def shingles_of(text: str) -> Shingles:
    """Return the shingles of a text, for `alike`. Compute them once when one text is compared with many."""
    words = words_of(text)
    return frozenset((*words, *map(" ".join, pairwise(words))))


def alike(one: Shingles, other: Shingles) -> float:
    """Return the similarity of two texts: 0 if they share nothing, 1 if they have the same words in the same order.

    The result is the mean of Jaccard similarity and of containment in the smaller text. A text with one more sentence
    is still similar to the other, but a long text is not similar to each of its sentences.
    """
    shared = len(one & other)
    if not shared:
        return 0.0
    return (shared / len(one | other) + shared / min(len(one), len(other))) / 2


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(each for each in decomposed if not unicodedata.combining(each)))
