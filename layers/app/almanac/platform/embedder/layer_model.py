"""The embedding model and the vectors of a Lambda function. Both are in layers that only some functions have."""
# ruff: noqa: PLC0415 - only embedding loads numpy

from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from almanac.platform.embedder.packaged_model import LAYER, TABLE, WEIGHTS

if TYPE_CHECKING:
    from almanac.platform.embedder.port import ContextEmbedder, StaticEmbedder


def layer_model(folder: Path = LAYER) -> "LayerModel | None":
    """Return the model from the function's layer. None if the function has no such layer."""
    return LayerModel(folder) if (folder / WEIGHTS).exists() else None


class LayerModel:
    """Opens the model at the first call, and keeps it open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._model: ContextEmbedder | None = None

    def __call__(self) -> "ContextEmbedder":
        with self._lock:
            if self._model is None:
                from almanac.platform.embedder.factory import open_minilm

                self._model = open_minilm(self._folder)
            return self._model


class LayerVectors:
    """The `StaticVectors` of a process, from a table that was made when the layer was built. None without the layer."""

    def __init__(self, folder: Path = LAYER) -> None:
        self._folder = folder

    def ready(self) -> "StaticEmbedder | None":
        return self._static

    @cached_property
    def _static(self) -> "StaticEmbedder | None":
        if not (self._folder / TABLE).exists():
            return None
        from almanac.platform.embedder.factory import open_static

        # A layer does not change, and the table was checked as a whole when the layer was built.
        return open_static(self._folder, self._folder / TABLE, checked=False)
