"""What a file defines, by qualified names."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from codegraph import NAMED, NOTHING, File, Manifest, PythonSummary, Summary

MODULE = "module"


class Definition(Struct, frozen=True):
    """`name` is dotted and qualified, `line` counts from 1."""

    name: str
    kind: str
    path: str
    line: int


def definitions_of(summary: PythonSummary | Summary, manifests: Sequence[Manifest]) -> list[Definition]:
    """In the order of lines; of the same name only the first."""
    found = _of_python(summary) if isinstance(summary, PythonSummary) else _of_other(summary, manifests)
    named: dict[str, Definition] = {}
    for each in sorted(found, key=lambda one: (one.line, one.name)):
        named.setdefault(each.name, each)
    return list(named.values())


def _of_python(summary: PythonSummary) -> Iterator[Definition]:
    def name_of(scope: int) -> str:
        return f"{summary.module}.{summary.scopes[scope]}"

    for each in summary.classes:
        yield Definition(name_of(each.scope), "class", summary.path, each.line)
    for each in summary.functions:
        kind = "lambda" if each.kind == "lambda" else "method" if each.owner != NOTHING else "function"
        yield Definition(name_of(each.scope), kind, summary.path, each.line)


def _of_other(summary: Summary, manifests: Sequence[Manifest]) -> Iterator[Definition]:
    file = File(0, summary, manifests)
    for each in summary.bindings:
        if each.kind in NAMED:
            yield Definition(file.qualified(each), each.kind, summary.path, each.line)
