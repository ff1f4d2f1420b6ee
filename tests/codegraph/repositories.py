"""Small repositories as texts by path, and their edges."""

from collections.abc import Mapping

from tree_sitter import Parser

from codegraph.edges import Edge
from codegraph.extraction.summary import Summary
from codegraph.languages.parser import grammar
from codegraph.modules.manifests import Manifest, read_manifest
from codegraph.resolution import resolve
from codegraph.summaries import summarise_tree

ENDINGS = {
    "ts": "typescript", "tsx": "tsx", "js": "javascript", "go": "go", "rs": "rust", "java": "java", "cs": "csharp",
    "rb": "ruby", "c": "c", "h": "c", "cc": "cpp", "hpp": "cpp",
}  # fmt: skip


_REPORTS = 12_000
"""Reports of a parser, one for about a hundred steps, before it is stopped."""


def summarise(language: str, path: str, text: str) -> Summary:
    """Summarise a text that a bounded parser would refuse, too: `cut` where it does not come to an end."""
    parser, source, reports = Parser(grammar(language)), text.encode(), 0

    def stop(_offset: int, _has_error: bool) -> bool:
        nonlocal reports
        reports += 1
        return reports > _REPORTS

    try:
        tree = parser.parse(lambda offset, _: source[offset : offset + 65_536], progress_callback=stop)
    except ValueError:
        return Summary(path=path, language=language, cut=True)
    return summarise_tree(language, path, tree.root_node, source)


def summaries_of(files: Mapping[str, str]) -> list[Summary]:
    sources = {path: text for path, text in files.items() if path.rpartition(".")[2] in ENDINGS}
    return [summarise(ENDINGS[path.rpartition(".")[2]], path, text) for path, text in sources.items()]


def manifests_of(files: Mapping[str, str]) -> list[Manifest]:
    return [found for path, text in files.items() if (found := read_manifest(path, text))]


def edges_of(files: Mapping[str, str]) -> tuple[Edge, ...]:
    return resolve(summaries_of(files), manifests_of(files)).edges


def calls_of(files: Mapping[str, str]) -> set[tuple[str, str, str]]:
    """Caller, callee and how it is known."""
    return {(edge.src, edge.dst, edge.how) for edge in edges_of(files) if edge.kind == "calls"}
