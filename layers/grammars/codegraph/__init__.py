"""Outlines of source files and call graphs of repositories, for eleven languages.

These names are the public interface; README.md introduces them. Each is imported from its module when it is first
used, so that code that only needs `language_of` loads neither tree-sitter nor a grammar.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from codegraph.bounded_walk import WalkResult as WalkResult
    from codegraph.bounded_walk import walk as walk
    from codegraph.edges import Edge as Edge
    from codegraph.file_edges import FileEdges as FileEdges
    from codegraph.file_edges import edges_of as edges_of
    from codegraph.file_summary import FileSummary as FileSummary
    from codegraph.file_summary import read_source as read_source
    from codegraph.languages.names import OUTLINED as OUTLINED
    from codegraph.languages.names import TEXT as TEXT
    from codegraph.languages.names import language_of as language_of
    from codegraph.modules.repository_modules import Modules as Modules
    from codegraph.modules.repository_modules import Symbol as Symbol
    from codegraph.precise.indexes import read_precise as read_precise
    from codegraph.precise.scip import PreciseUse as PreciseUse
    from codegraph.symbols.outline import outline as outline
    from codegraph.symbols.outlines import Definition as Definition
    from codegraph.symbols.outlines import Outline as Outline
    from codegraph.text_masks import Mask as Mask
    from codegraph.text_masks import mask as mask

__all__ = [
    "OUTLINED",
    "TEXT",
    "Definition",
    "Edge",
    "FileEdges",
    "FileSummary",
    "Mask",
    "Modules",
    "Outline",
    "PreciseUse",
    "Symbol",
    "WalkResult",
    "edges_of",
    "language_of",
    "mask",
    "outline",
    "read_precise",
    "read_source",
    "walk",
]

_HOMES: Final[Mapping[str, str]] = {
    "OUTLINED": "codegraph.languages.names",
    "TEXT": "codegraph.languages.names",
    "Definition": "codegraph.symbols.outlines",
    "Edge": "codegraph.edges",
    "FileEdges": "codegraph.file_edges",
    "FileSummary": "codegraph.file_summary",
    "Mask": "codegraph.text_masks",
    "Modules": "codegraph.modules.repository_modules",
    "Outline": "codegraph.symbols.outlines",
    "PreciseUse": "codegraph.precise.scip",
    "Symbol": "codegraph.modules.repository_modules",
    "WalkResult": "codegraph.bounded_walk",
    "edges_of": "codegraph.file_edges",
    "language_of": "codegraph.languages.names",
    "mask": "codegraph.text_masks",
    "outline": "codegraph.symbols.outline",
    "read_precise": "codegraph.precise.indexes",
    "read_source": "codegraph.file_summary",
    "walk": "codegraph.bounded_walk",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module, once."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value
