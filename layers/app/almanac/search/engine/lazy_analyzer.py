"""The current deriver of index entries: lexical only until the table of vectors is loaded, then with vectors."""

from threading import Lock
from typing import TYPE_CHECKING

# Imported for types only, because opening the parts of search must not load numpy and the stemmer.
if TYPE_CHECKING:
    from almanac.platform.embedder.port import StaticEmbedder, StaticVectors
    from almanac.search.analysis.derivation import Deriver


class Derivers:
    """Returns the same deriver until the table is loaded. `vectors` is None if there is no table at all."""

    def __init__(self, vectors: "StaticVectors | None") -> None:
        self._vectors = vectors
        self._static: StaticEmbedder | None = None
        self._deriver: tuple[StaticEmbedder | None, Deriver] | None = None
        self._lock = Lock()

    def __call__(self) -> "Deriver":
        static = self._embedder()
        with self._lock:
            if self._deriver is None or self._deriver[0] is not static:
                from almanac.search.analysis.derivation import Deriver  # noqa: PLC0415 - see the imports

                self._deriver = (static, Deriver(static))
            return self._deriver[1]

    def vectors_of(self) -> str:
        """Return the name of the embedder that makes the vectors. "" while there is none."""
        static = self._embedder()
        return static.name if static is not None else ""

    def _embedder(self) -> "StaticEmbedder | None":
        if self._static is None and self._vectors is not None:
            self._static = self._vectors.ready()
        return self._static
