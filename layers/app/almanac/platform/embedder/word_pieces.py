"""WordPiece tokenization: words cut into the longest pieces of a vocabulary, for BERT's uncased models."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

from almanac.kernel.lru_cache import LruCache
from almanac.platform.embedder.characters import words_of

LONGEST_WORD = 100
"""Longest word in characters. Longer words are unknown as a whole, so that the time stays linear in the text."""

_GOES_ON = "##"
_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_KEPT_WORDS = 30_000
_KEPT_CHARACTERS = 32
"""Longest word that is cached, in characters. The cache takes some 10 MB."""


class WordPieces:
    """Cuts texts into pieces of the vocabulary `words`, which maps piece ids to texts.

    A text that looks like a special token, such as `[CLS]`, is plain text, so that no author can control the model.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        # Pieces within words are in it too. They are harmless, because no word of a text begins with their mark.
        self._starts = dict(zip(words, range(len(words)), strict=True))
        self._longest = max(map(len, words))
        self._unknown = [self._starts[_UNKNOWN]]
        self.first, self.last = self._starts[_FIRST], self._starts[_LAST]
        self._of_word = LruCache(self._cut, _KEPT_WORDS, _KEPT_CHARACTERS)

    def pieces(self, text: str) -> list[int]:
        """Return the ids of all pieces in order, without special tokens or padding."""
        return list(chain.from_iterable(self._of_word.of(words_of(text))))

    @cached_property
    def _middles(self) -> dict[str, int]:
        """Pieces within words. Made when the first word is cut, because most questions have only whole pieces."""
        return {word[len(_GOES_ON) :]: at for at, word in enumerate(self.words) if word.startswith(_GOES_ON)}

    def _cut(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return self._unknown
        pieces: list[int] = []
        at, known = 0, self._starts
        while at < len(word):
            end = min(len(word), at + self._longest)
            while end > at and word[at:end] not in known:
                end -= 1
            if end == at:
                return self._unknown
            pieces.append(known[word[at:end]])
            at, known = end, self._middles
        return pieces


def vocabulary(file: Path) -> list[str]:
    """Read a `vocab.txt`. Each line is a word, whose id is the line's number from 0."""
    return file.read_text("utf-8").removesuffix("\n").split("\n")
