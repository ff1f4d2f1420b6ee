"""Summarize a file of any language for the graph, together with everything else that is read from its text in the same
pass."""

import posixpath
import re
from collections.abc import Collection

from msgspec import Struct

from codegraph.extraction.summary import Summary
from codegraph.languages.names import language_of
from codegraph.modules.manifests import Manifest, read_manifest
from codegraph.modules.names import module_name
from codegraph.python.file_summary import summarise as summarise_python
from codegraph.python.summary.facts import PythonSummary
from codegraph.summaries import LANGUAGES, summarise_tree
from codegraph.symbols.outline import Source, outline_of
from codegraph.symbols.outlines import Outline

PYTHON = "python"
_SEPARATORS = re.compile(r"[./:\\]+")
_NO_NAMES = frozenset({"", "*", "="})


class FileSummary(Struct, frozen=True, omit_defaults=True):
    """Facts of the graph about a file. No field is set for a file outside the graph. Callers store this and pass it
    back."""

    python: PythonSummary | None = None
    other: Summary | None = None
    manifest: Manifest | None = None

    @property
    def facts(self) -> PythonSummary | Summary | None:
        """Return the summary of a file that has modules and edges."""
        return self.python or self.other

    def names(self) -> set[str]:
        """Return the names that the file defines or uses, and the last parts of what it imports.

        They include names that the file imports under another name, re-exports, or reads as an attribute, so that a
        search for the users of a name finds the file.
        """
        names: set[str] = set()
        if python := self.python:
            names = {*python.names_defined, *python.names_used, *(attribute for _, attribute, *_ in python.loads)}
            for fact in python.modules:
                names |= {fact.name, _last(fact.module), _last(fact.written)}
        if other := self.other:
            names = {*other.names_defined, *other.names_used}
            names |= {name for each in other.imported for name in (each.name, _last(_whole(other.path, each.module)))}
            names |= {name for each in other.exported for name in (each.name, each.local, _last(each.module))}
        return names - _NO_NAMES

    def defined(self) -> Collection[str]:
        """Return those of the names that the file defines."""
        return set(self.facts.names_defined) - _NO_NAMES if self.facts is not None else ()

    def aliases(self, name: str) -> set[str]:
        """Return other names under which the file re-exports what it knows as `name`, or imports under that name."""
        if python := self.python:
            slots = {fact.slot for fact in python.modules if fact.name == name}
            return {each for each, slot in python.names.items() if slot in slots} - {name} if slots else set()
        if self.other is None:
            return set()
        here = {name, *(each.alias for each in self.other.imported if each.name == name and each.alias)}
        return {each.name for each in self.other.exported if each.local.rpartition(".")[2] in here} - {name, "*"}


class SourceFacts(Struct, frozen=True):
    """Outline and summary of a file. `unparsed` says why the file was not parsed whole. It is None if it was, or if its
    language has no place in the graph."""

    outline: Outline
    summary: FileSummary
    unparsed: str | None = None


def read_source(path: str, text: str) -> SourceFacts:
    """Read the outline and the summary of a file in one pass. The result depends on the text alone, and CPU time is
    bounded for any text."""
    source = Source(language_of(path, text), text)
    outline = outline_of(source)
    return SourceFacts(outline, _summary(path, source, outline), _why_not_parsed(source.language, outline))


def _summary(path: str, source: Source, outline: Outline) -> FileSummary:
    """Summarize a file that has an outline. A file without an outline is too large or hostile, so it gets no second
    pass."""
    if source.language == PYTHON and outline.parsed:
        module, is_package = module_name(path, PYTHON), path.endswith(("__init__.py", "__init__.pyi"))
        return FileSummary(python=summarise_python(module, is_package, path, source.text))
    if source.language in LANGUAGES and source.tree is not None and outline.parsed:
        return FileSummary(other=summarise_tree(source.language, path, source.tree.root_node, source.bytes))
    return FileSummary(manifest=read_manifest(path, source.text))


def _why_not_parsed(language: str, outline: Outline) -> str | None:
    if language not in (PYTHON, *LANGUAGES):
        return None
    if not outline.parsed:
        return "It is too large, nests too deeply, or takes too long to parse: it is searched as plain text."
    return "It has syntax errors: what stands behind them may be missing." if outline.errors else None


def _last(module: str) -> str:
    return _SEPARATORS.split(module)[-1]


def _whole(path: str, module: str) -> str:
    """Return a module path that is relative to a file as a path from the root, because `..` alone names nothing."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), module)) if module.startswith(".") else module
