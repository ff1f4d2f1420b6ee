"""Word pieces that an index keeps, and the words that contain the pieces of a question."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from almanac.search.analysis.stop_words import QUESTION_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray


def kept_pieces(words: Sequence[str]) -> "NDArray[np.bool_]":
    """Return a mask of a vocabulary's pieces that the index keeps: no signs, special pieces or question words."""
    return np.fromiter(map(_is_kept, words), dtype=np.bool_, count=len(words))


def words_of_pieces(pieces: Sequence[str]) -> Iterator[str]:
    """Yield, for each piece of a text, the whole word that contains it. Pieces that begin with `##` continue a word."""
    start = 0
    for end in range(1, len(pieces) + 1):
        if end == len(pieces) or not pieces[end].startswith("##"):
            word = "".join(piece.removeprefix("##") for piece in pieces[start:end])
            yield from [word] * (end - start)
            start = end


def is_special(piece: str) -> bool:
    return piece.startswith("[") and piece.endswith("]") and len(piece) > 2


def _is_kept(piece: str) -> bool:
    text = piece.removeprefix("##")
    return not is_special(piece) and any(map(str.isalnum, text)) and piece not in QUESTION_WORDS
