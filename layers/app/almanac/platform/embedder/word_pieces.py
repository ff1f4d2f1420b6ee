"""WordPiece: words cut into the longest pieces that a vocabulary has, as BERT's uncased models want them."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

from almanac.kernel.lru_cache import LruCache
from almanac.platform.embedder.characters import words_of

LONGEST_WORD = 100
"""Characters; a longer word is unknown as a whole, so that no text takes more than its length."""

_GOES_ON = "##"
_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_KEPT_WORDS = 30_000
_KEPT_CHARACTERS = 32
"""Some 10 MB."""


class WordPieces:
    """Cuts texts by the vocabulary `words`, piece id -> text.

    What looks like a special, such as `[CLS]`, is text as any other: whoever wrote it may not speak to the model.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        # Those that go on are in it as well, and harmless: no word of a text begins with the sign that marks them.
        self._starts = dict(zip(words, range(len(words)), strict=True))
        self._longest = max(map(len, words))
        self._unknown = [self._starts[_UNKNOWN]]
        self.first, self.last = self._starts[_FIRST], self._starts[_LAST]
        self._of_word = LruCache(self._cut, _KEPT_WORDS, _KEPT_CHARACTERS)

    def pieces(self, text: str) -> list[int]:
        """Ids in order: no specials, no cut, no padding."""
        return list(chain.from_iterable(self._of_word.of(words_of(text))))

    @cached_property
    def _middles(self) -> dict[str, int]:
        """Made for the first word that is cut: a question's words are pieces, as a rule."""
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
    """The words of a `vocab.txt`: one a line, its id the number of the line from 0."""
    return file.read_text("utf-8").removesuffix("\n").split("\n")
