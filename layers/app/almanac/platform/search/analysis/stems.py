"""Stems of English words by Snowball."""

from functools import cache, lru_cache
from threading import Lock
from typing import Protocol

_busy = Lock()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - Snowball's name for it


@lru_cache(32768)
def stem(word: str) -> str:
    """The stem of a lower-case word; one that is not all Latin letters is its own."""
    if not (word.isascii() and word.isalpha()):
        return word
    with _busy:  # a stemmer keeps the word in itself while it works
        return _stemmer().stemWord(word)


@cache
def _stemmer() -> _Stemmer:
    # Loaded late: 0.2 s that nobody needs who searches nothing.
    from snowballstemmer.english_stemmer import EnglishStemmer  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    return EnglishStemmer()
