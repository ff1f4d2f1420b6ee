"""Where the heat of calls falls in the table: which partition keys and items a tool reads and writes again and again.

A partition of DynamoDB serves 1,000 write and 3,000 read units a second. What is busier is split, down to single items
but no further; and where every write goes behind the last one, splitting is of no use.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import msgspec

from tests.bench.metered_store import Charge
from tests.bench.scale.system import System
from tests.bench.scale.typical_calls import TypicalCalls
from tests.bench.scale.units import passage

WRITES, READS = 1000, 3000
"""Units per second of one partition."""
CALLS = 6
APPENDED = frozenset({"audit", "feed_log"})
"""Whose sort keys follow the time of writing."""

Shape = Literal["one item", "appended", "many items"]


class Heat(msgspec.Struct, frozen=True):
    """Units per call of one tool on its hottest partition key of a kind."""

    kind: str
    tool: str
    shape: Shape
    read: float
    written: float

    @property
    def calls(self) -> float:
        """Per second, with which one partition is full."""
        return min(WRITES / self.written if self.written else 1e9, READS / self.read if self.read else 1e9)


def charges_of(system: System, typical: TypicalCalls, tool: str) -> list[Charge]:
    """Return the charges of several calls in a row, with all work that follows from them."""
    passages = [passage(system, typical, tool) for _ in range(CALLS)]
    return [charge for through in passages for part in through.charges.values() for charge in part]


def heats(tool: str, charges: Sequence[Charge]) -> list[Heat]:
    """Return the heat by kind of partition key, without kinds of which every call has its own key."""
    by_kind: defaultdict[str, list[Charge]] = defaultdict(list)
    for charge in charges:
        by_kind[kind_of(charge)].append(charge)
    return [heat for kind, held in by_kind.items() if (heat := _hottest(kind, tool, held))]


def _hottest(kind: str, tool: str, charges: Sequence[Charge]) -> Heat | None:
    keys, items = defaultdict[str, float](float), defaultdict[tuple[str, str], float](float)
    for charge in charges:
        keys[charge.partition] += charge.written * READS // WRITES + charge.read
        items[charge.partition, charge.sort] += charge.written * READS // WRITES + charge.read
    hottest, units = max(keys.items(), key=lambda one: one[1])
    if units <= sum(keys.values()) / CALLS and len(keys) >= CALLS:
        return None
    own = [charge for charge in charges if charge.partition == hottest]
    alone = items[hottest, own[0].sort] == units and own[0].sort
    shape: Shape = "appended" if kind in APPENDED else "one item" if alone else "many items"
    read, written = sum(charge.read for charge in own), sum(charge.written for charge in own)
    return Heat(kind, tool, shape, read / CALLS, written / CALLS)


def kind_of(charge: Charge) -> str:
    """The name of the collection, with the index if it is there."""
    name = collection(charge.partition)
    return f"{name} ({charge.index})" if charge.index else name


def collection(partition: str) -> str:
    """Return the name of a partition key's collection, without tenant, project and other parts."""
    level, *names = partition.split("#")
    return names[{"P": 2, "T": 1, "S": 0}[level]]
