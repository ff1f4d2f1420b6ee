"""Values that an expression may have."""

from dataclasses import dataclass, replace
from enum import IntEnum

from codegraph.edges import How
from codegraph.symbol_index import Entity, File


class Rank(IntEnum):
    """Ways in which an edge can be known, the surest first."""

    SCOPE = 0
    IMPORT = 1
    FLOW = 2
    UNIQUE = 3


HOW: dict[Rank, How] = {Rank.SCOPE: "scope", Rank.IMPORT: "import", Rank.FLOW: "flow", Rank.UNIQUE: "unique_name"}


@dataclass(frozen=True, slots=True)
class DefinedValue:
    """Entity that a definition names: the function, class, or variable itself."""

    entity: Entity
    rank: Rank


@dataclass(frozen=True, slots=True)
class Instance:
    """Value of a type. `above`: only members of its bases count (`super`)."""

    entity: Entity
    rank: Rank
    above: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """Module of the set: one file for scripts, or everything under a dotted name."""

    name: str
    group: str
    rank: Rank
    file: File | None = None


@dataclass(frozen=True, slots=True)
class Outside:
    """Known entity whose definition is outside the set."""

    name: str
    rank: Rank = Rank.IMPORT


@dataclass(frozen=True, slots=True)
class HeldValue:
    """Container of many things, or of one that may be absent or come later. `gives`: it is a function that returns the
    thing."""

    inner: "Thing"
    rank: Rank
    many: bool
    gives: bool = False


@dataclass(frozen=True, slots=True)
class Several:
    """Several things, any of which could be meant."""

    entities: tuple[Entity, ...]
    rank: Rank


Thing = DefinedValue | Instance | Module | Outside | HeldValue | Several


def with_rank(thing: Thing, rank: Rank) -> Thing:
    """Return the thing, known no more surely than `rank`."""
    return thing if thing.rank >= rank else replace(thing, rank=rank)
