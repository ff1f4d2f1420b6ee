"""Resolve the names of a set of Python files into edges."""

import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from codegraph.edges import Edge
from codegraph.python.points_to.edge_emitter import Emitter
from codegraph.python.points_to.solver import Solver
from codegraph.python.summary.facts import PythonSummary

STEPS = 6_000_000
"""Movements of values that resolving takes at most, about 0.4 µs each."""


class ResolvedNames(Struct, frozen=True):
    """`cut`: the budget ended first, and edges that flow would have shown may be missing."""

    edges: list[Edge]
    cut: bool


def resolve(summaries: Sequence[PythonSummary], budget: int = STEPS) -> ResolvedNames:
    """Edges between the files of a set, and from them to what lies outside.

    A call of a class leads to its `__init__` (and `__new__`) as a call, and to the class as a reference. What is known
    to lie outside has its full name, such as `os.path.join`, `how` "import" (builtins: "scope") and `resolved` false;
    what is not known at all is a leaf as it is written, `how` "unresolved". The result depends on the set alone."""
    usable = sorted((each for each in summaries if each.summarised), key=lambda each: (each.module, each.path))
    with uncollected():
        solver = Solver(usable, budget)
        solver.solve()
        return ResolvedNames(Emitter(solver).edges(), solver.flow.cut)


@contextmanager
def uncollected() -> Generator[None, None, None]:
    """Leave cycles of garbage for later: all that is made here lives until the end, and to walk it again and again took
    half of the time. What is made is bounded by the budget. Who finds collecting off leaves it so."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
