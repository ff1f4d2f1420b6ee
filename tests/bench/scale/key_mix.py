"""Store units of an average call by key: the traffic of one tenant, as its calls use the table."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from tests.bench.metered_store import Charge
from tests.bench.scale.heat import APPENDED, CALLS, READS, WRITES, kind_of

Place = tuple[str, str, str]
"""Index, partition and sort key; the sort key is empty for a collection of many items."""


class Demand(msgspec.Struct, frozen=True):
    """Units, of a call or of a second."""

    written: float = 0
    read: float = 0

    def __add__(self, other: "Demand") -> "Demand":
        return Demand(self.written + other.written, self.read + other.read)

    def times(self, factor: float) -> "Demand":
        return Demand(self.written * factor, self.read * factor)

    @property
    def heat(self) -> float:
        """Return the heat as a share of the units that a partition serves in a second."""
        return max(self.written / WRITES, self.read / READS)


class Mix(msgspec.Struct, frozen=True):
    """Figures of an average call.

    `places` has the units on places that calls share, `tools` each tool's places, `share` each tool's share of the
    calls, and `whole` the total units.
    """

    places: dict[Place, Demand]
    tools: dict[str, tuple[Place, ...]]
    share: dict[str, float]
    whole: Demand
    requests: float


def mix_of(charges: Mapping[str, Sequence[Charge]], share: Mapping[str, float]) -> Mix:
    """`charges` are those of CALLS calls of each tool; `share` is each tool's part of the calls."""
    places: defaultdict[Place, Demand] = defaultdict(Demand)
    tools: dict[str, tuple[Place, ...]] = {}
    whole, requests = Demand(), 0.0
    for tool, held in charges.items():
        weight = share[tool] / CALLS
        shared = _shared_places(held)
        for charge in held:
            demand = Demand(charge.written, charge.read).times(weight)
            whole += demand
            if place := shared.get(_key(charge)):
                places[place] += demand
        requests += len(held) * weight
        tools[tool] = tuple(sorted(set(shared.values())))
    return Mix(dict(places), tools, dict(share), whole, requests)


def _shared_places(charges: Sequence[Charge]) -> dict[Place, Place]:
    """The place that a key belongs to, for keys whose place every call uses: the item, or else its collection."""
    items = Counter(map(_key, charges))
    keys = Counter((index, partition) for index, partition, _ in map(_key, charges))
    found: dict[Place, Place] = {}
    for charge in charges:
        key = index, partition, sort = _key(charge)
        if keys[index, partition] >= CALLS:
            alone = items[key] >= CALLS and kind_of(charge) not in APPENDED
            found[key] = (index, partition, sort if alone else "")
    return found


def _key(charge: Charge) -> Place:
    return charge.index or "", charge.partition, charge.sort
