"""Values that an expression may be found to have."""

from dataclasses import dataclass, replace
from enum import IntEnum

from codegraph.edges import How
from codegraph.symbol_index import Entity, File


class Rank(IntEnum):
    """By what something is known, the surest first."""

    SCOPE = 0
    IMPORT = 1
    FLOW = 2
    UNIQUE = 3


HOW: dict[Rank, How] = {Rank.SCOPE: "scope", Rank.IMPORT: "import", Rank.FLOW: "flow", Rank.UNIQUE: "unique_name"}


@dataclass(frozen=True, slots=True)
class DefinedValue:
    """Entity that a definition names: the function, the class, the variable itself."""

    entity: Entity
    rank: Rank


@dataclass(frozen=True, slots=True)
class Instance:
    """A value of a type. `above`: only what its bases have (`super`)."""

    entity: Entity
    rank: Rank
    above: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the set: one file (of scripts), or all of a dotted name."""

    name: str
    group: str
    rank: Rank
    file: File | None = None


@dataclass(frozen=True, slots=True)
class Outside:
    """Known entity that is not among the definitions of the set."""

    name: str
    rank: Rank = Rank.IMPORT


@dataclass(frozen=True, slots=True)
class HeldValue:
    """Many of a thing, or one perhaps or later. `gives`: not itself, but a function that gives the thing."""

    inner: "Thing"
    rank: Rank
    many: bool
    gives: bool = False


@dataclass(frozen=True, slots=True)
class Several:
    """Any of these could be meant."""

    entities: tuple[Entity, ...]
    rank: Rank


Thing = DefinedValue | Instance | Module | Outside | HeldValue | Several


def ranked(thing: Thing, rank: Rank) -> Thing:
    """The thing, known at best by `rank`."""
    return thing if thing.rank >= rank else replace(thing, rank=rank)
