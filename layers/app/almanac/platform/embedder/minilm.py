"""The model all-MiniLM-L6-v2, a BERT of six layers that was trained for the similarity of texts."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from almanac.platform.embedder.bert import Reader
from almanac.platform.embedder.eight_bits import floats
from almanac.platform.embedder.port import MOST_PIECES, TextReading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from almanac.platform.embedder.safetensors import Tensor
    from almanac.platform.embedder.word_pieces import WordPieces

    Floats = NDArray[np.float32]

_PIECES_AT_ONCE = 512
"""Number of word pieces embedded together: enough to multiply fast, few enough for the processor's cache."""


class MiniLm:
    """The context embedder over the tensors of the packaged file."""

    name = "all-MiniLM-L6-v2/1"

    def __init__(self, tensors: "Mapping[str, Tensor]", word_pieces: "WordPieces") -> None:
        reader = Reader(tensors)
        self._tensors = tensors
        kinds = reader.array("embeddings.token_type_embeddings.weight")
        self._places = reader.array("embeddings.position_embeddings.weight") + kinds[0]
        self._norm = reader.norm("embeddings.LayerNorm")
        self._layers = reader.layers()
        self._word_pieces = word_pieces
        self.words = word_pieces.words

    def embed(self, texts: Sequence[str]) -> list[TextReading]:
        return self.embed_pieces([self._word_pieces.pieces(text) for text in texts])

    def embed_pieces(self, texts: Sequence[Sequence[int]]) -> list[TextReading]:
        """Embed texts that are already split into word pieces; pieces after the first 256 are ignored."""
        cut = [list(pieces[:MOST_PIECES]) for pieces in texts]
        done: dict[int, TextReading] = {}
        for batch in _batches(cut):
            states = self.states([cut[at] for at in batch])
            done |= {at: _reading_of(cut[at], own) for at, own in zip(batch, states, strict=True)}
        return [done[at] for at in range(len(cut))]

    def states(self, texts: Sequence[list[int]]) -> "list[Floats]":
        """Return the last hidden states of each text, pieces x 384, including its two special tokens.

        It is fastest if texts of the same length are next to each other.
        """
        first, last = self._word_pieces.first, self._word_pieces.last
        lengths = [len(text) + 2 for text in texts]
        ids = np.concatenate([[first, *text, last] for text in texts])
        places = np.concatenate([np.arange(length) for length in lengths])
        # From this largest tensor, only the rows that the texts need are read.
        words = floats(self._tensors, "embeddings.word_embeddings.weight", ids)
        states = self._norm(words + self._places[places])
        groups = [(len(list(same)), length) for length, same in groupby(lengths)]
        for layer in self._layers:
            states = layer(states, groups)
        return np.split(states, np.cumsum(lengths)[:-1])


def _batches(texts: Sequence[list[int]]) -> Iterator[list[int]]:
    """Yield the indexes of texts to embed together, the shortest texts first."""
    batch: list[int] = []
    pieces = 0
    for at in sorted(range(len(texts)), key=lambda at: len(texts[at])):
        pieces += len(texts[at]) + 2
        if batch and pieces > _PIECES_AT_ONCE:
            yield batch
            batch, pieces = [], len(texts[at]) + 2
        batch.append(at)
    if batch:
        yield batch


def _reading_of(pieces: list[int], states: "Floats") -> TextReading:
    """Return a text's reading. The mean includes the special tokens, as in the model's training."""
    mean = states.mean(axis=0)
    pooled = mean / np.sqrt(mean @ mean) if pieces else np.zeros_like(mean)
    # A copy, so that the states of one text do not keep those of its batch in memory.
    return TextReading(pooled, pieces, states[1:-1].copy())
