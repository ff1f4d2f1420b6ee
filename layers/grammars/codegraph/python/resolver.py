"""Resolve the names in a set of Python files into edges."""

import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from codegraph.edges import Edge
from codegraph.python.points_to.edge_emitter import Emitter
from codegraph.python.points_to.solver import Solver
from codegraph.python.summary.facts import PythonSummary

STEPS = 6_000_000
"""Most movements of values in one resolution, about 0.4 µs each."""


class ResolvedNames(Struct, frozen=True):
    """Edges of a set of files. `cut`: the budget ended first, and edges that depend on flow may be missing."""

    edges: list[Edge]
    cut: bool


def resolve(summaries: Sequence[PythonSummary], budget: int = STEPS) -> ResolvedNames:
    """Return the edges between the files of a set, and from them to external names.

    A call of a class leads to its `__init__` (and `__new__`) as a call, and to the class as a reference. A known
    external target has its full name, such as `os.path.join`, `how` "import" (builtins: "scope") and `resolved` false.
    An unknown target is a leaf as written, with `how` "unresolved". The result depends on the set alone.
    """
    usable = sorted((each for each in summaries if each.summarised), key=lambda each: (each.module, each.path))
    with without_gc():
        solver = Solver(usable, budget)
        solver.solve()
        return ResolvedNames(Emitter(solver).edges(), solver.flow.cut)


@contextmanager
def without_gc() -> Generator[None, None, None]:
    """Turn garbage collection off for the block. Everything made in it lives until its end, and repeated collections
    took half of the time. The budget bounds what is made. If collection was off before, it stays off."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
