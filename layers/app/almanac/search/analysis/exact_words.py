"""Exact words of a text as written, without stemming or removing stop words, so that identifiers and symbols are found.

A text is folded first, which removes compatibility forms and case and makes white space one space. It is then cut into
runs of letters and digits, single characters of scripts without spaces, and single symbols.
"""

import re
import unicodedata
from collections.abc import Iterable

WORD_LENGTH = 32
"""Longer words are cut to this many characters."""

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters."""
WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+|[^\w\s]|_")
EVERYWHERE = frozenset("""._,;:!?'"`()-/*#""")
"""Symbols that nearly every text contains. They are not indexed."""


def fold(text: str) -> str:
    """Normalize a text for comparison."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def exact_words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the words by which texts are indexed, each cut to 32 characters."""
    found = {word[:WORD_LENGTH] for text in texts for word in WORD.findall(fold(text))}
    return frozenset(found - EVERYWHERE)
