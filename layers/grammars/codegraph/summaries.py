"""The summary of one file of the graph, by its syntax tree."""

from functools import cache
from importlib import import_module
from typing import cast

from tree_sitter import Language, Node, Parser

from codegraph.extraction.compaction import finish
from codegraph.extraction.summary import Summary
from codegraph.extraction.walker import Grammar, Walker

LARGEST = 1_000_000
"""Bytes of a file that is read. Larger ones are generated."""

MOST_REPORTS = 12_000
"""Reports of a parser, one for about a hundred steps, before it is stopped. A file that people write makes one for some
80 bytes, in 15 µs each; where nothing fits together one takes up to 300 µs."""

_CHUNK = 65_536

_LANGUAGES = {
    "javascript": ("tree_sitter_javascript", "language", "scripts", "SCRIPTS"),
    "typescript": ("tree_sitter_typescript", "language_typescript", "scripts", "SCRIPTS"),
    "tsx": ("tree_sitter_typescript", "language_tsx", "scripts", "SCRIPTS"),
    "go": ("tree_sitter_go", "language", "golang", "GO"),
    "rust": ("tree_sitter_rust", "language", "rust", "RUST"),
    "java": ("tree_sitter_java", "language", "java", "JAVA"),
    "csharp": ("tree_sitter_c_sharp", "language", "csharp", "CSHARP"),
    "ruby": ("tree_sitter_ruby", "language", "ruby", "RUBY"),
    "c": ("tree_sitter_c", "language", "c", "C"),
    "cpp": ("tree_sitter_cpp", "language", "c", "C"),
}
"""The package of a grammar and its function, and the module and name of the rules that read its trees."""

LANGUAGES = tuple(_LANGUAGES)


def summarise(language: str, path: str, text: str) -> Summary:
    """Summarise a file in one of LANGUAGES for the graph.

    A file that is too large, or too hard to parse, gives an empty summary with `cut` set. Raises ValueError for a
    language without a grammar.
    """
    parser, source = _parser(language), text.encode("utf-8", "replace")
    root = _parsed(parser, source) if len(source) <= LARGEST else None
    if root is None:
        return Summary(path=path, language=language, cut=True)
    return summarise_tree(language, path, root, source)


def summarise_tree(language: str, path: str, root: Node, source: bytes) -> Summary:
    """The same of a file that is parsed already."""
    walker = Walker(_rules(language), source)
    walker.walk(root)
    return finish(walker, path, language, errors=root.has_error)


def _parsed(parser: Parser, source: bytes) -> Node | None:
    reports = 0

    def stop(_offset: int, _has_error: bool) -> bool:
        nonlocal reports
        reports += 1
        return reports > MOST_REPORTS

    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + _CHUNK]

    try:
        return parser.parse(read, progress_callback=stop).root_node
    except ValueError:
        return None
    finally:
        parser.reset()


def _known(language: str) -> tuple[str, str, str, str]:
    if language not in _LANGUAGES:
        message = f"no grammar for {language}; known are {', '.join(LANGUAGES)}"
        raise ValueError(message)
    return _LANGUAGES[language]


@cache
def _parser(language: str) -> Parser:
    package, function, _, _ = _known(language)
    return Parser(Language(cast("object", getattr(import_module(package), function)())))


@cache
def _rules(language: str) -> Grammar:
    _, _, module, name = _known(language)
    rules = import_module(f"codegraph.extraction.{module}")
    return getattr(rules, name)
