"""The embedder port: texts as vectors, from a static table at once, from a model in a later pass.

What implements it loads numpy; this module does not.
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
    """A row of a table for each word piece: microseconds a text, so words and these vectors are written at once."""

    @property
    def name(self) -> str:
        """Names model and version: an index made with another one is rebuilt."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def words(self) -> Sequence[str]:
        """The text of each piece by its id; those that go on a word begin with `##`, specials look like `[CLS]`."""
        ...

    def pieces(self, text: str) -> list[int]:
        """Ids of the word pieces in order: no specials, and all of them, however long the text is."""
        ...

    def rows(self, pieces: "NDArray[np.intp]") -> "NDArray[np.float16 | np.float32]":
        """The row of each of these pieces, pieces x dimensions. The length of a row is the weight of its piece."""
        ...

    def has(self, pieces: "NDArray[np.intp]") -> "NDArray[np.bool_]":
        """Say which of these pieces have a row already; making another takes about a millisecond."""
        ...

    def vector(self, pieces: "Sequence[int] | NDArray[np.integer[Any]]") -> "NDArray[np.float32]":
        """The mean of the rows, normalised; zeros where nothing is left."""
        ...


class StaticVectors(Protocol):
    """The static embedder of a process, which is opened by who first asks for it."""

    def ready(self) -> StaticEmbedder | None:
        """Return the embedder; None if it is missing or not ready. Search then uses words only."""
        ...


class TextReading(Struct, frozen=True, eq=False):
    """A model's reading of a text: `pooled` (384 float32, normalised), the ids of its first pieces (at most 256, no
    specials), and the last hidden state of each (pieces x 384 float32, not normalised). A model that tells nothing of
    pieces has none."""

    pooled: "NDArray[np.float32]"
    pieces: list[int]
    states: "NDArray[np.float32]"


class ContextEmbedder(Protocol):
    """A model that reads whole texts: about 50 short ones a second."""

    @property
    def name(self) -> str:
        """Names model and version: what was made with another one is made again."""
        ...

    def embed(self, texts: Sequence[str]) -> list[TextReading]:
        """Embed each text, in order. A text without words has no states, and zeros for its vector."""
        ...
