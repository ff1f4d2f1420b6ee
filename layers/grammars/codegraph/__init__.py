"""The outline of a source file and the call graph of repositories, for eleven languages.

These names are the public interface; README.md introduces them. Each is imported from its module when it is first
used, so that code that only needs `language_of` loads neither tree-sitter nor a grammar.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from codegraph.bounded_walk import Direction as Direction
    from codegraph.bounded_walk import Walked as Walked
    from codegraph.bounded_walk import Way as Way
    from codegraph.bounded_walk import walk as walk
    from codegraph.common_names import COMMON as COMMON
    from codegraph.edges import CONFIDENCE as CONFIDENCE
    from codegraph.edges import Edge as Edge
    from codegraph.edges import EdgeKind as EdgeKind
    from codegraph.edges import How as How
    from codegraph.extraction.summary import NAMED as NAMED
    from codegraph.extraction.summary import Imported as Imported
    from codegraph.extraction.summary import Summary as Summary
    from codegraph.languages.names import OUTLINED as OUTLINED
    from codegraph.languages.names import TEXT as TEXT
    from codegraph.languages.names import language_of as language_of
    from codegraph.languages.parsing import MAX_BYTES as MAX_BYTES
    from codegraph.languages.parsing import parsed as parsed
    from codegraph.languages.regions import Region as Region
    from codegraph.languages.regions import Role as Role
    from codegraph.languages.regions import regions as regions
    from codegraph.modules.import_paths import ImportPaths as ImportPaths
    from codegraph.modules.manifests import Manifest as Manifest
    from codegraph.modules.manifests import read_manifest as read_manifest
    from codegraph.modules.names import BY_PACKAGE as BY_PACKAGE
    from codegraph.modules.names import dotted as dotted
    from codegraph.modules.names import module_name as module_name
    from codegraph.modules.names import rust_module as rust_module
    from codegraph.picking import LeftOut as LeftOut
    from codegraph.picking import Named as Named
    from codegraph.picking import pick_for_files as pick_for_files
    from codegraph.precise.merging import merged as merged
    from codegraph.precise.pyrefly import read_pyrefly as read_pyrefly
    from codegraph.precise.scip import PreciseUse as PreciseUse
    from codegraph.precise.scip import read_scip as read_scip
    from codegraph.precise.wire import NotAnIndex as NotAnIndex
    from codegraph.python.resolving import resolve as resolve_python
    from codegraph.python.resolving import uncollected as uncollected
    from codegraph.python.summarising import summarise as summarise_python
    from codegraph.python.summary.facts import NOTHING as NOTHING
    from codegraph.python.summary.facts import ImportFact as ImportFact
    from codegraph.python.summary.facts import PythonSummary as PythonSummary
    from codegraph.resolution import resolve as resolve
    from codegraph.summaries import LANGUAGES as LANGUAGES
    from codegraph.summaries import summarise_tree as summarise_tree
    from codegraph.symbol_index import File as File
    from codegraph.symbol_index import group_of as group_of
    from codegraph.symbols.outline import Source as Source
    from codegraph.symbols.outline import outline as outline
    from codegraph.symbols.outline import outline_of as outline_of
    from codegraph.symbols.outlines import Definition as Definition
    from codegraph.symbols.outlines import Kind as Kind
    from codegraph.symbols.outlines import Outline as Outline

__all__ = [
    "BY_PACKAGE",
    "COMMON",
    "CONFIDENCE",
    "LANGUAGES",
    "MAX_BYTES",
    "NAMED",
    "NOTHING",
    "OUTLINED",
    "TEXT",
    "Definition",
    "Direction",
    "Edge",
    "EdgeKind",
    "File",
    "How",
    "ImportFact",
    "ImportPaths",
    "Imported",
    "Kind",
    "LeftOut",
    "Manifest",
    "Named",
    "NotAnIndex",
    "Outline",
    "PreciseUse",
    "PythonSummary",
    "Region",
    "Role",
    "Source",
    "Summary",
    "Walked",
    "Way",
    "dotted",
    "group_of",
    "language_of",
    "merged",
    "module_name",
    "outline",
    "outline_of",
    "parsed",
    "pick_for_files",
    "read_manifest",
    "read_pyrefly",
    "read_scip",
    "regions",
    "resolve",
    "resolve_python",
    "rust_module",
    "summarise_python",
    "summarise_tree",
    "uncollected",
    "walk",
]

_HOMES: Final[Mapping[str, str]] = {
    "BY_PACKAGE": "codegraph.modules.names:BY_PACKAGE",
    "COMMON": "codegraph.common_names:COMMON",
    "CONFIDENCE": "codegraph.edges:CONFIDENCE",
    "Definition": "codegraph.symbols.outlines:Definition",
    "Direction": "codegraph.bounded_walk:Direction",
    "Edge": "codegraph.edges:Edge",
    "EdgeKind": "codegraph.edges:EdgeKind",
    "File": "codegraph.symbol_index:File",
    "How": "codegraph.edges:How",
    "ImportFact": "codegraph.python.summary.facts:ImportFact",
    "ImportPaths": "codegraph.modules.import_paths:ImportPaths",
    "Imported": "codegraph.extraction.summary:Imported",
    "Kind": "codegraph.symbols.outlines:Kind",
    "LANGUAGES": "codegraph.summaries:LANGUAGES",
    "LeftOut": "codegraph.picking:LeftOut",
    "MAX_BYTES": "codegraph.languages.parsing:MAX_BYTES",
    "Manifest": "codegraph.modules.manifests:Manifest",
    "NAMED": "codegraph.extraction.summary:NAMED",
    "NOTHING": "codegraph.python.summary.facts:NOTHING",
    "Named": "codegraph.picking:Named",
    "NotAnIndex": "codegraph.precise.wire:NotAnIndex",
    "OUTLINED": "codegraph.languages.names:OUTLINED",
    "Outline": "codegraph.symbols.outlines:Outline",
    "PreciseUse": "codegraph.precise.scip:PreciseUse",
    "PythonSummary": "codegraph.python.summary.facts:PythonSummary",
    "Region": "codegraph.languages.regions:Region",
    "Role": "codegraph.languages.regions:Role",
    "Source": "codegraph.symbols.outline:Source",
    "Summary": "codegraph.extraction.summary:Summary",
    "TEXT": "codegraph.languages.names:TEXT",
    "Walked": "codegraph.bounded_walk:Walked",
    "Way": "codegraph.bounded_walk:Way",
    "dotted": "codegraph.modules.names:dotted",
    "group_of": "codegraph.symbol_index:group_of",
    "language_of": "codegraph.languages.names:language_of",
    "merged": "codegraph.precise.merging:merged",
    "module_name": "codegraph.modules.names:module_name",
    "outline": "codegraph.symbols.outline:outline",
    "outline_of": "codegraph.symbols.outline:outline_of",
    "parsed": "codegraph.languages.parsing:parsed",
    "pick_for_files": "codegraph.picking:pick_for_files",
    "read_manifest": "codegraph.modules.manifests:read_manifest",
    "read_pyrefly": "codegraph.precise.pyrefly:read_pyrefly",
    "read_scip": "codegraph.precise.scip:read_scip",
    "regions": "codegraph.languages.regions:regions",
    "resolve": "codegraph.resolution:resolve",
    "resolve_python": "codegraph.python.resolving:resolve",
    "rust_module": "codegraph.modules.names:rust_module",
    "summarise_python": "codegraph.python.summarising:summarise",
    "summarise_tree": "codegraph.summaries:summarise_tree",
    "uncollected": "codegraph.python.resolving:uncollected",
    "walk": "codegraph.bounded_walk:walk",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module, once."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    module, _, attribute = home.partition(":")
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value
