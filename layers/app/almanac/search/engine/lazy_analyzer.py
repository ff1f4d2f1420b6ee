"""The deriver of now: of words alone until the table of vectors is there, then of both."""

from threading import Lock
from typing import TYPE_CHECKING

# Whoever opens what search works with may never derive: only then numpy and the stemmer are loaded.
if TYPE_CHECKING:
    from almanac.platform.embedder.port import StaticEmbedder, StaticVectors
    from almanac.search.analysis.derivation import Deriver


class Derivers:
    """Answers the same deriver until the table is there. `vectors` is None where there never is one."""

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
        """The name of what makes the vectors; "" as long as nothing does."""
        static = self._embedder()
        return static.name if static is not None else ""

    def _embedder(self) -> "StaticEmbedder | None":
        if self._static is None and self._vectors is not None:
            self._static = self._vectors.ready()
        return self._static
