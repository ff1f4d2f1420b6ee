"""The model of a function: its weights are in a layer of their own, which only some functions have."""
# ruff: noqa: PLC0415 - numpy is loaded by who embeds, not by who may come to it

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from almanac.platform.embedder.packaged_model import LAYER, WEIGHTS

if TYPE_CHECKING:
    from almanac.platform.embedder.port import ContextEmbedder


def layer_model(folder: Path = LAYER) -> "LayerModel | None":
    """The model of a function that has its layer; None in others, which then ask nothing about it."""
    return LayerModel(folder) if (folder / WEIGHTS).exists() else None


class LayerModel:
    """Opens the model at the first call that can use it, and keeps it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._model: ContextEmbedder | None = None

    def __call__(self) -> "ContextEmbedder":
        with self._lock:
            if self._model is None:
                from almanac.platform.embedder.opening import open_minilm

                self._model = open_minilm(self._folder)
            return self._model
