"""Graphs of small Python programs, as lines of text."""

from textwrap import dedent

from codegraph.edges import Edge
from codegraph.python.file_summary import summarise
from codegraph.python.resolver import resolve
from codegraph.python.summary.facts import PythonSummary


def summary_of(source: str, path: str = "app.py") -> PythonSummary:
    package = path.endswith("__init__.py")
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return summarise(module, package, path, dedent(source))


def edges_of(source: str | dict[str, str], budget: int | None = None) -> list[Edge]:
    files = source if isinstance(source, dict) else {"app.py": source}
    summaries = [summary_of(text, path) for path, text in files.items()]
    return (resolve(summaries) if budget is None else resolve(summaries, budget)).edges


def calls_of(source: str | dict[str, str]) -> set[str]:
    """Return the calls of the set's definitions as `caller > called`, without calls guessed by a name alone."""
    return {
        f"{each.src} > {each.dst}"
        for each in edges_of(source)
        if each.kind == "calls" and each.resolved and each.confidence >= 0.9
    }


def edge(source: str | dict[str, str], dst: str, kind: str = "calls") -> Edge:
    """The only edge of a kind to a name."""
    [found] = [each for each in edges_of(source) if each.dst == dst and each.kind == kind]
    return found
