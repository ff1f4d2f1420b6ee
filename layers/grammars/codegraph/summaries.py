"""Summarize one file for the graph by its syntax tree."""

from functools import cache
from importlib import import_module

from tree_sitter import Node

from codegraph.extraction.compaction import finish
from codegraph.extraction.summary import Summary
from codegraph.extraction.walker import Grammar, Walker

_LANGUAGES = {
    "javascript": ("scripts", "SCRIPTS"),
    "typescript": ("scripts", "SCRIPTS"),
    "tsx": ("scripts", "SCRIPTS"),
    "go": ("golang", "GO"),
    "rust": ("rust", "RUST"),
    "java": ("java", "JAVA"),
    "csharp": ("csharp", "CSHARP"),
    "ruby": ("ruby", "RUBY"),
    "c": ("c", "C"),
    "cpp": ("c", "C"),
}
"""Module and name of the rules for the trees of each language."""

LANGUAGES = tuple(_LANGUAGES)


def summarise_tree(language: str, path: str, root: Node, source: bytes) -> Summary:
    """Summarize a parsed file in one of LANGUAGES for the graph."""
    walker = Walker(_rules(language), source)
    walker.walk(root)
    return finish(walker, path, language, errors=root.has_error)


@cache
def _rules(language: str) -> Grammar:
    module, name = _LANGUAGES[language]
    rules = import_module(f"codegraph.extraction.{module}")
    return getattr(rules, name)
