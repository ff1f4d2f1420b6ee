"""Reader of ASCII texts, as nearly all code is, that works out the terms and pieces of each token only once.

A token is a word or a sign. Its terms and pieces do not depend on its surroundings, so those of a text are the sum over
its tokens. Compounds of whole chunks between blanks are added (see `words`). Other texts are read as a whole, with the
same results.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

from msgspec import Struct

from almanac.kernel.lru_cache import LruCache
from almanac.search.analysis.words import MAX_TERMS, compound_of, terms_of_token

PIECE_BYTES = 2
"""Size of a piece's id in bytes, the lower byte first."""

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*|[!-/:-@\[-`{-~]")
_UNPRINTED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Control characters. Python treats some as blanks, and the model's tokenizer ignores them."""
_MOST_CHARACTERS = MAX_TERMS // 2 - 1
"""Length up to which a text cannot have more terms than `MAX_TERMS`."""
_Read = tuple[tuple[str, ...], bytes, bytes]
_BLANK: _Read = (), b"", b""
_KEPT_TOKENS = 40_000
_KEPT_CHUNKS = 40_000
_KEPT_CHARACTERS = 32
"""The caches take some 25 MB in a process that reads much."""


class PlainText(Struct, frozen=True):
    """Terms of a text with their counts, all its pieces, and the pieces that the index keeps, both as packed ids."""

    terms: dict[str, int]
    pieces: bytes
    kept: bytes


class PlainTexts:
    """Reader that caches tokens. `pieces` splits a text as the static embedder does, and `is_kept` is true for each
    piece that the index keeps."""

    def __init__(self, pieces: Callable[[str], Sequence[int]], is_kept: Sequence[bool]) -> None:
        self._pieces = pieces
        self._packed = [piece.to_bytes(PIECE_BYTES, "little") for piece in range(len(is_kept))]
        self._kept = [packed if kept else b"" for packed, kept in zip(self._packed, is_kept, strict=True)]
        self._tokens = LruCache(self._read, _KEPT_TOKENS, _KEPT_CHARACTERS)

    def read(self, text: str) -> PlainText | None:
        """Read a text token by token. Return None if it must be read as a whole."""
        if len(text) > _MOST_CHARACTERS or not text.isascii() or _UNPRINTED.search(text):
            return None
        terms, pieces, kept = zip(_BLANK, *map(self._tokens.__getitem__, _TOKEN.findall(text)), strict=True)
        compounds = filter(None, map(_compounds.__getitem__, text.split()))
        counts = Counter(chain(chain.from_iterable(terms), compounds))
        return PlainText(counts, b"".join(pieces), b"".join(kept))

    def pieces(self, text: str) -> tuple[bytes, bytes]:
        """Return all pieces of a text, and the pieces that the index keeps."""
        pieces = self._pieces(text)
        packed = b"".join(map(self._packed.__getitem__, pieces))
        return packed, b"".join(map(self._kept.__getitem__, pieces))

    def _read(self, token: str) -> _Read:
        # A sign alone has no terms. It only counts within a compound.
        return terms_of_token(token) if token[0].isalnum() else (), *self.pieces(token)


_compounds = LruCache(compound_of, _KEPT_CHUNKS, _KEPT_CHARACTERS)
