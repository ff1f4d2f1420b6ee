"""Stems of English words, by Snowball."""

from functools import cache
from threading import Lock
from typing import Protocol

_busy = Lock()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - Snowball's name for it


def stem(word: str) -> str:
    """Return the stem of a lower-case word. A word that is not all Latin letters is its own stem. Callers cache the
    results."""
    if not (word.isascii() and word.isalpha()):
        return word
    with _busy:  # a stemmer stores the word in itself while it works
        return _stemmer().stemWord(word)


@cache
def _stemmer() -> _Stemmer:
    # Imported here so that processes that never search do not load it.
    from Stemmer import Stemmer  # noqa: PLC0415 # pyright: ignore[reportUnknownVariableType]

    return Stemmer("english", 0)  # pyright: ignore[reportUnknownVariableType]
