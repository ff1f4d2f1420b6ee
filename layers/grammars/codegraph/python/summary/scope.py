"""Variables of one scope while its statements are walked in order.

A variable has a version for each assignment. Straight code reads the version before it. Where branches meet, a new
version stands for those of both. Nested functions read the *cell* of a variable: the versions that are current at any
call, and at the end.
"""

from typing import Literal

from codegraph.python.summary.facts import FunctionFact

Env = dict[str, int]


class Loop:
    """Loop that is being walked, with the versions from before it, and those with which it repeats or ends."""

    __slots__ = ("first", "heads", "left", "repeated")

    def __init__(self, first: int) -> None:
        self.first = first
        self.heads: Env = {}
        self.repeated: list[Env] = []
        self.left: list[Env] = []


class Scope:
    __slots__ = (
        "calls", "cells", "dead", "env", "first_param", "function", "index", "kind", "lambdas", "loops", "outside",
        "owner", "parent", "paths", "pending", "published", "qualname", "since",
    )  # fmt: skip

    def __init__(
        self,
        index: int,
        qualname: str,
        kind: Literal["module", "class", "function"],
        parent: "Scope | None" = None,
    ) -> None:
        self.index = index
        self.qualname = qualname
        self.kind = kind
        self.parent = parent
        self.env: Env = {}
        self.dead = False
        self.loops: list[Loop] = []
        self.calls = 0
        self.since: dict[str, int] = {}
        self.published: dict[str, list[int]] = {}
        self.cells: dict[str, int] = {}
        self.pending: dict[str, int] = {}
        self.outside: dict[str, Scope] = {}
        self.paths: dict[tuple[int, int | str], int] = {}
        self.lambdas = 0
        self.function: FunctionFact | None = None
        self.owner = -1
        self.first_param = -1

    def inner(self, name: str) -> str:
        return f"{self.qualname}.{name}" if self.qualname else name

    def bind(self, name: str, slot: int) -> None:
        """Make `slot` the current version of a variable of this scope."""
        old = self.env.get(name)
        if old is None:
            self.published.setdefault(name, [])
        elif self.since.get(name) != self.calls:
            self.published[name].append(old)
        self.env[name] = slot
        self.since[name] = self.calls

    def publish(self, env: Env) -> None:
        """Show nested functions the versions at the end of a branch."""
        for name, slot in env.items():
            if self.env.get(name) != slot:
                self.published.setdefault(name, []).append(slot)
