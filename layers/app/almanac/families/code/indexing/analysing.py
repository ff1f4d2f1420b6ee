"""What is made of the text of a file before it is stored: its symbols, the parts that search finds, and its summary."""

import posixpath
import re
from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from almanac.families.code.chunks.chunk import part_of
from almanac.families.code.chunks.cutting import chunks_of
from almanac.families.code.core.packing import Part, packed
from codegraph import (
    LANGUAGES,
    Manifest,
    Outline,
    PythonSummary,
    Source,
    Summary,
    language_of,
    module_name,
    outline_of,
    read_manifest,
    summarise_python,
    summarise_tree,
)

PYTHON = "python"
_SEPARATORS = re.compile(r"[./:\\]+")
_NO_NAMES = frozenset({"", "*", "="})


class Analysed(Struct, frozen=True, kw_only=True):
    """`language` is "text" where nothing is known of it. `parsed` false: its language could not read it whole. `names`
    are those that it defines or uses, and the last ones of what it imports; `defined` those of them that it defines.
    `summary` is a packed Summarised. `reason`: why it is not parsed, in words."""

    language: str
    parsed: bool
    symbols: int
    parts: Sequence[Part]
    names: Collection[str]
    summary: bytes
    defined: Collection[str] = ()
    reason: str | None = None


Analyse = Callable[[str, str], Analysed]
"""Of a path and a text."""


class Summarised(Struct, frozen=True, omit_defaults=True):
    """What the graph knows of a file: none of these where it has no part in it."""

    python: PythonSummary | None = None
    other: Summary | None = None
    manifest: Manifest | None = None


def analyse(path: str, text: str) -> Analysed:
    """Pure, and bounded in CPU, whatever the text is."""
    source = Source(language_of(path, text), text)
    outline = outline_of(source)
    summarised = _summarised(path, source, outline)
    reason = _why_not_parsed(source.language, outline)
    return Analysed(
        language=source.language,
        parsed=reason is None,
        symbols=len(outline.definitions),
        parts=[part_of(chunk) for chunk in chunks_of(path, text, outline).chunks],
        names=_names(summarised),
        summary=_packed(summarised),
        defined=_defined(summarised),
        reason=reason,
    )


def as_text(path: str, text: str) -> Analysed:
    """The parts of a file that is not parsed."""
    language = language_of(path, text)
    chunks = chunks_of(path, text, Outline(language=language)).chunks
    parts = [part_of(chunk) for chunk in chunks]
    return Analysed(language=language, parsed=False, symbols=0, parts=parts, names=(), summary=_packed(Summarised()))


def _why_not_parsed(language: str, outline: Outline) -> str | None:
    if language not in (PYTHON, *LANGUAGES):
        return None
    if not outline.parsed:
        return "It is too large, nests too deeply, or takes too long to parse: it is searched as plain text."
    return "It has syntax errors: what stands behind them may be missing." if outline.errors else None


def _packed(summarised: Summarised) -> bytes:
    """Nothing of a file that has names which are no text: half of a pair of surrogates, escaped in a literal."""
    try:
        return packed(summarised)
    except UnicodeEncodeError:
        return packed(Summarised())


def _summarised(path: str, source: Source, outline: Outline) -> Summarised:
    """Summarise a file that has an outline. A file without one is too large or hostile: no second pass reads it."""
    if source.language == PYTHON and outline.parsed:
        module, is_package = module_name(path, PYTHON), path.endswith(("__init__.py", "__init__.pyi"))
        return Summarised(python=summarise_python(module, is_package, path, source.text))
    if source.language in LANGUAGES and source.tree is not None and outline.parsed:
        return Summarised(other=summarise_tree(source.language, path, source.tree.root_node, source.bytes))
    return Summarised(manifest=read_manifest(path, source.text))


def _names(summarised: Summarised) -> set[str]:
    """Also what is imported under another name, handed on, or read as an attribute: whoever looks for the users of a
    name finds the file by it."""
    names: set[str] = set()
    if python := summarised.python:
        names = {*python.names_defined, *python.names_used, *(attribute for _, attribute, *_ in python.loads)}
        for fact in python.modules:
            names |= {fact.name, _last(fact.module), _last(fact.written)}
    if other := summarised.other:
        names = {*other.names_defined, *other.names_used}
        names |= {name for each in other.imported for name in (each.name, _last(_whole(other.path, each.module)))}
        names |= {name for each in other.exported for name in (each.name, each.local, _last(each.module))}
    return names - _NO_NAMES


def _defined(summarised: Summarised) -> Collection[str]:
    summary = summarised.python or summarised.other
    return set(summary.names_defined) - _NO_NAMES if summary is not None else ()


def _last(module: str) -> str:
    return _SEPARATORS.split(module)[-1]


def _whole(path: str, module: str) -> str:
    """What is written relative to a file, from the root: `..` alone says no name."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), module)) if module.startswith(".") else module
