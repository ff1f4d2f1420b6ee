"""Small repositories as texts by path, and their edges."""

from collections.abc import Mapping

from codegraph.edges import Edge
from codegraph.extraction.summary import Summary
from codegraph.modules.manifests import Manifest, read_manifest
from codegraph.resolution import resolve
from codegraph.summaries import summarise

ENDINGS = {
    "ts": "typescript", "tsx": "tsx", "js": "javascript", "go": "go", "rs": "rust", "java": "java", "cs": "csharp",
    "rb": "ruby", "c": "c", "h": "c", "cc": "cpp", "hpp": "cpp",
}  # fmt: skip


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
