"""Targets of a call, found through the value of its chain, or by name alone if that value is unknown."""

from typing import NamedTuple

from codegraph.common_names import COMMON
from codegraph.evaluation import Evaluation
from codegraph.extraction.compaction import last_of
from codegraph.extraction.summary import CALLABLE, MARK_LINKS, TYPES, UNKNOWN, Use
from codegraph.symbol_index import GLOBAL, Entity, File
from codegraph.values import DefinedValue, Instance, Outside, Rank, Several, Thing

CONSTRUCTORS = {"scripts": "constructor", "ruby": "initialize"}
"""Names of constructors by language group. In Java, C# and C++ a constructor has the name of its class. Go and Rust
have none."""

SHORTEST = 4


class Callee(NamedTuple):
    """Target of a call. `entities` has several members if the target is ambiguous, and none if only its `name` is
    known. `made` is the class that a constructor makes."""

    name: str
    rank: Rank = Rank.SCOPE
    entities: tuple[Entity, ...] = ()
    made: Entity | None = None


class Callees:
    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._index = evaluation.index

    def of(self, file: File, use: Use, thing: Thing | None) -> Callee | None:
        """Return the targets of a use, or None if the use is no call but a local name of Ruby."""
        written = as_written(use.chain)
        match thing:
            case DefinedValue():
                return self._callee_of_value(file, written, thing, use)
            case Several():
                return Callee(written, thing.rank, thing.entities)
            case Outside():
                return Callee(thing.name)
            case Instance():
                return self._constructor_above(file, written, thing, use) or Callee(written)
            case None:
                return self._by_name(file, use, written)
            case _:
                return Callee(written)

    def _callee_of_value(self, file: File, written: str, thing: DefinedValue, use: Use) -> Callee | None:
        binding = self._index.binding(thing.entity)
        if binding.kind in TYPES:
            return self._constructor(file, written, thing.entity, thing.rank)
        if binding.kind in CALLABLE or binding.kind == "prototype":
            return Callee(written, thing.rank, (thing.entity,))
        held = self._evaluation.held_value(thing)
        if isinstance(held, DefinedValue) and held != thing:
            kind = self._index.binding(held.entity).kind
            if kind in TYPES:
                return self._constructor(file, written, held.entity, held.rank)
            if kind in CALLABLE:
                return Callee(written, held.rank, (held.entity,))
        if isinstance(held, Several):
            return Callee(written, held.rank, held.entities)
        if file.group == "ruby" and binding.kind in ("variable", "parameter") and "." not in use.chain:
            return None
        if binding.kind in ("constant", "field"):
            return Callee(written, thing.rank, (thing.entity,))
        return Callee(written)

    def _constructor(self, file: File, written: str, entity: Entity, rank: Rank) -> Callee:
        """Return the constructor that runs if the source has one, or the class."""
        binding = self._index.binding(entity)
        name = CONSTRUCTORS.get(file.group, binding.name)
        found, _ = self._evaluation.members.find(entity, name)
        if isinstance(found, DefinedValue) and self._index.binding(found.entity).kind in CALLABLE:
            return Callee(written, max(rank, found.rank), (found.entity,), entity)
        return Callee(written, rank, (entity,))

    def _constructor_above(self, file: File, written: str, thing: Instance, use: Use) -> Callee | None:
        """Return the target of `super(…)` or `this(…)` in a constructor."""
        if use.chain not in ("super", "this"):
            return None
        bases = self._evaluation.members.bases(thing.entity)[0] if thing.above else (thing.entity,)
        for base in bases:
            if self._index.binding(base).kind != "interface":
                return self._constructor(file, written, base, Rank.FLOW if thing.above else Rank.SCOPE)
        return None

    def _by_name(self, file: File, use: Use, written: str) -> Callee:
        """Return the definitions that have the name of a member of an unknown object."""
        name = last_of(use.chain)
        bare = "." not in use.chain
        if bare and file.group not in GLOBAL:
            return Callee(written)
        if len(name) < SHORTEST or name in COMMON or use.chain.endswith((UNKNOWN, *MARK_LINKS)):
            return Callee(written)
        found = self._index.by_name.get((file.group, name), [])
        seen = [each for each in found if each.file == file.at or not self._index.binding(each).hidden]
        members = [each for each in seen if self._index.binding(each).kind == "method"] if not bare else seen
        return Callee(written, Rank.UNIQUE, tuple(members))


def as_written(chain: str) -> str:
    """Return the names of a chain without the unknown part before them."""
    links = [link for link in chain.split(".") if link not in MARK_LINKS]
    return ".".join(link for link in links if link != UNKNOWN) or UNKNOWN
