"""A simulation of skewed traffic on the table: which partitions get hot, are split or cannot be, and who is throttled.

Tenants' traffic is Zipf-distributed; each works in one project, with one calendar and one board, on the keys that its
calls were seen to use. A partition serves 1,000 write and 3,000 read units a second, and what it left unused in the
last five minutes. One that was over its limit for five minutes is split in two where that halves its heat, down to
single items. A collection whose keys follow the time cannot be split: every write goes to its end. The table starts as
one that has grown into its traffic: on demand, twice the last peak is at hand. It and its indexes are taken as one.
"""

from collections.abc import Mapping, Sequence
from math import ceil, log
from random import Random

import msgspec
import numpy as np

from tests.bench.scale.heat import APPENDED, READS, WRITES, collection
from tests.bench.scale.key_mix import Demand, Mix, Place

STEP, STEPS = 10, 360
"""Seconds of a step, and an hour of them."""
REMEMBERED = 300
"""Seconds of unused capacity that a partition keeps, and of heat after which it is split."""
PIECES = 32
"""Into how many parts a collection of many items may come apart."""
NOTABLE = 0.02
"""Of a partition's limit: tenants with colder keys than that are spread over all partitions, as one background."""
PARTITION_GB = 10
FIRST_PARTITIONS = 4


class Outcome(msgspec.Struct, frozen=True):
    """`throttled` are parts of all calls: in the first five minutes, and in the last five of the hour; `suffering`
    counts tenants in the last step, `largest` is the calls a second of the busiest."""

    tenants: int
    exponent: float
    calls: float
    whole: Demand
    largest: float
    partitions: tuple[int, int]
    hottest: str
    heat: float
    throttled: tuple[float, float]
    suffering: int


class Piece(msgspec.Struct, frozen=True):
    """A part of the key space that is split no further, `at` its place in it, with its demand in units a second."""

    at: float
    owner: int
    place: Place
    demand: Demand


class Partition:
    """A partition with its pieces, its share of the background traffic, and its unused units of the last minutes.

    Only hot partitions are simulated.
    """

    def __init__(self, pieces: Sequence[Piece], width: float, background: Demand) -> None:
        self.pieces, self.width = pieces, width
        self._background = background
        self._demand = sum((piece.demand for piece in pieces), start=background.times(width))
        self._left = [float(WRITES * REMEMBERED), float(READS * REMEMBERED)]
        self._hot_for = 0
        self.turned_away = 0.0

    def step(self) -> None:
        """One step of traffic; `turned_away` is the part of it that was not served."""
        self.turned_away = 0.0
        for kind, (demand, limit) in enumerate(((self._demand.written, WRITES), (self._demand.read, READS))):
            wanted, served = demand * STEP, limit * STEP + self._left[kind]
            self._left[kind] = min(limit * REMEMBERED, max(0.0, served - wanted))
            if wanted > served:
                self.turned_away = max(self.turned_away, 1 - served / wanted)
        self._hot_for += STEP

    @property
    def hot(self) -> bool:
        """Whether more is asked of it than it serves: no other is ever throttled or split."""
        return self._demand.heat > 1

    def divide(self) -> "list[Partition]":
        """Two halves by heat, where it was hot for long enough and is more than one piece; else itself."""
        if self._hot_for < REMEMBERED or len(self.pieces) < 2:
            return [self]
        half, passed, cut = sum(piece.demand.heat for piece in self.pieces) / 2, 0.0, 1
        for number, piece in enumerate(self.pieces[:-1]):
            if passed + piece.demand.heat / 2 <= half:
                cut = number + 1
            passed += piece.demand.heat
        return [Partition(part, self.width / 2, self._background) for part in (self.pieces[:cut], self.pieces[cut:])]


def simulate(mix: Mix, tenants: int, calls: float, gigabytes: float, exponent: float = 1.0, seed: int = 3) -> Outcome:
    """An hour; `calls` a second of all tenants together, `gigabytes` stored."""
    hottest, coldest = max(mix.places.items(), key=lambda one: one[1].heat), NOTABLE
    rates = _rates(tenants, calls, exponent, coldest / hottest[1].heat)
    random = Random(seed)
    pieces = sorted(
        (piece for owner, rate in enumerate(rates) for piece in _pieces(mix, owner, rate, random)),
        key=lambda piece: piece.at,
    )
    whole = mix.whole.times(calls)
    background = whole + sum((piece.demand for piece in pieces), start=Demand()).times(-1)
    partitions = _place_pieces(
        pieces, max(FIRST_PARTITIONS, ceil(gigabytes / PARTITION_GB), ceil(2 * whole.heat)), background
    )
    started, scattered = len(partitions), mix.requests * background.heat / whole.heat
    hot = [partition for partition in partitions if partition.hot]
    calm = started - len(hot)
    turned_away: list[tuple[float, int]] = []
    throttled: list[tuple[Partition, float]] = []
    for _ in range(STEPS):
        for partition in hot:
            partition.step()
        throttling = [(partition, partition.turned_away) for partition in hot if partition.turned_away]
        # Most steps turn away what the one before did.
        same = turned_away and throttling == throttled
        turned_away.append(turned_away[-1] if same else _throttled_part(mix, hot, rates, calls, scattered))
        throttled = throttling
        halves = [half for partition in hot for half in partition.divide()]
        hot = [half for half in halves if half.hot]
        calm += len(halves) - len(hot)
    few = REMEMBERED // STEP
    return Outcome(
        tenants=tenants,
        exponent=exponent,
        calls=calls,
        whole=whole,
        largest=rates[0],
        partitions=(started, calm + len(hot)),
        hottest=collection(hottest[0][1]),
        heat=hottest[1].heat * rates[0],
        throttled=(_mean(turned_away[:few]), _mean(turned_away[-few:])),
        suffering=turned_away[-1][1],
    )


def _rates(tenants: int, calls: float, exponent: float, least: float) -> list[float]:
    """Return the calls per second of the busiest tenant, and of the next ones that make `least` or more."""
    near = min(tenants, 10_000)
    weight = sum(rank**-exponent for rank in range(1, near + 1))
    if exponent == 1:
        weight += log(tenants / near)
    else:
        weight += (tenants ** (1 - exponent) - near ** (1 - exponent)) / (1 - exponent)
    busiest = calls / weight
    count = min(tenants, int((busiest / least) ** (1 / exponent)))
    return [busiest * rank**-exponent for rank in range(1, max(1, count) + 1)]


def _pieces(mix: Mix, owner: int, rate: float, random: Random) -> list[Piece]:
    """Return the pieces of one tenant. Partition keys are scattered by their hash, and items of a key lie together."""
    scattered: dict[tuple[str, str], float] = {}
    found: list[Piece] = []
    for place, demand in sorted(mix.places.items()):
        index, partition, sort = place
        at = scattered.setdefault((index, partition), random.random())
        count = 1 if sort or collection(partition) in APPENDED else PIECES
        part = demand.times(rate / count)
        found += [Piece(at + (number + len(found)) * 1e-12, owner, place, part) for number in range(count)]
    return found


def _place_pieces(pieces: Sequence[Piece], count: int, background: Demand) -> list[Partition]:
    """`pieces` in order, in partitions of equal width."""
    held: list[list[Piece]] = [[] for _ in range(count)]
    for piece in pieces:
        held[min(count - 1, int(piece.at * count))].append(piece)
    return [Partition(each, 1 / count, background) for each in held]


def _throttled_part(
    mix: Mix, partitions: Sequence[Partition], rates: Sequence[float], calls: float, scattered: float
) -> tuple[float, int]:
    """The part of all calls of which a request was turned away, and how many of the busy tenants had such calls.

    `scattered` is how many requests of an average call go to the background."""
    hot = [partition for partition in partitions if partition.turned_away]
    refused: dict[int, dict[Place, float]] = {}
    for partition in hot:
        for piece in partition.pieces:
            of_owner = refused.setdefault(piece.owner, {})
            of_owner[piece.place] = max(of_owner.get(piece.place, 0.0), partition.turned_away)
    lost = _refused_parts(mix, list(refused.values()))
    own = sum(rates[owner] * part for owner, part in zip(refused, lost, strict=True))
    anywhere = sum(partition.width * partition.turned_away for partition in hot)
    return own / calls + 1 - (1 - anywhere) ** scattered, len(refused)


def _refused_parts(mix: Mix, tenants: Sequence[Mapping[Place, float]]) -> list[float]:
    """Return the share of each tenant's calls that the table throttles, from the throttled share at its places."""
    known = {place: number for number, place in enumerate(mix.places)}
    served = np.ones((len(tenants), len(known)))
    for row, places in enumerate(tenants):
        for place, turned_away in places.items():
            served[row, known[place]] = 1 - turned_away
    hit = {place for places in tenants for place in places}
    refused = np.zeros(len(tenants))
    for tool, share in mix.share.items():
        used = [known[place] for place in mix.tools[tool] if place in hit]
        if used:
            refused += share * (1 - served[:, used].prod(axis=1))
    return refused.tolist()


def _mean(steps: Sequence[tuple[float, int]]) -> float:
    return sum(part for part, _ in steps) / len(steps)
