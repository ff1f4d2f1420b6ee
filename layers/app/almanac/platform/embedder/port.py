"""The embedder port, which turns texts into vectors: from a static table at once, and from a model in a later pass.

Implementations load numpy; this module does not.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIECES = 256
"""Number of pieces of a text that a model reads. Later pieces have no states and no part in the pooled vector."""


class StaticEmbedder(Protocol):
    """An embedder with a table row for each word piece. It takes microseconds a text, so it can run within a write."""

    @property
    def name(self) -> str:
        """Name of model and version. An index that was made with another one is rebuilt."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def words(self) -> Sequence[str]:
        """Text of each piece by its id. Pieces within a word begin with `##`, special tokens look like `[CLS]`."""
        ...

    def pieces(self, text: str) -> list[int]:
        """Return the ids of all word pieces in order, without special tokens, however long the text is."""
        ...

    def rows(self, pieces: "NDArray[np.intp]") -> "NDArray[np.float16 | np.float32]":
        """Return the rows of these pieces, pieces x dimensions. The length of a row is the weight of its piece."""
        ...

    def has(self, pieces: "NDArray[np.intp]") -> "NDArray[np.bool_]":
        """Return which of these pieces already have a row. Making another takes about a millisecond."""
        ...

    def vector(self, pieces: "Sequence[int] | NDArray[np.integer[Any]]") -> "NDArray[np.float32]":
        """Return the normalized mean of the rows. All zeros without pieces."""
        ...


class StaticVectors(Protocol):
    """Port to the static embedder of a process. The first use opens it."""

    def ready(self) -> StaticEmbedder | None:
        """Return the embedder; None if it is missing or not ready. Search then uses words only."""
        ...


class TextReading(Struct, frozen=True, eq=False):
    """Vectors of a text from a model.

    `pooled` is its vector (384 float32, normalized). `pieces` are the ids of its first word pieces (at most 256,
    without special tokens), and `states` the last hidden state of each (pieces x 384 float32, not normalized). Both are
    empty if the model returns no states.
    """

    pooled: "NDArray[np.float32]"
    pieces: list[int]
    states: "NDArray[np.float32]"


class ContextEmbedder(Protocol):
    """A model that reads whole texts: about 50 short ones a second."""

    @property
    def name(self) -> str:
        """Name of model and version. Vectors that were made with another one are made again."""
        ...

    def embed(self, texts: Sequence[str]) -> list[TextReading]:
        """Embed each text, in order. A text without words has no states, and zeros for its vector."""
        ...
