"""The static embedder of a function: its table was made when the function's layer was built."""
# ruff: noqa: PLC0415 - numpy is loaded by who embeds, not by who may come to it

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from almanac.platform.embedder.packaged_model import LAYER, TABLE

if TYPE_CHECKING:
    from almanac.platform.embedder.port import StaticEmbedder


class LayerVectors:
    """The `StaticVectors` of a process over the files of a layer; none where the function is without it."""

    def __init__(self, folder: Path = LAYER) -> None:
        self._folder = folder

    def ready(self) -> "StaticEmbedder | None":
        return self._static

    @cached_property
    def _static(self) -> "StaticEmbedder | None":
        if not (self._folder / TABLE).exists():
            return None
        from almanac.platform.embedder.opening import open_static

        # A layer does not change: the whole of it was checked when it was made.
        return open_static(self._folder, self._folder / TABLE, checked=False)
