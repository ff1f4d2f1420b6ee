"""How long a round of scheduled jobs takes with many tenants: for each, a counted round of one tenant is drawn."""

from collections.abc import Mapping, Sequence
from heapq import heapify, heapreplace
from math import sqrt
from random import Random

from msgspec import Struct

from almanac.gateway.events.schedule_door import THREADS
from almanac.platform.due.records import SHARDS
from tests.bench.scale.costs import VCPU_MB, WAITS, memory_of
from tests.bench.scale.idle import CLAIM, REMINDER, RULE, Minute
from tests.bench.scale.sizes import PEAK

TARGET_SECONDS = 10
ROUND_SECONDS = 60
GROUPS = (1, 4)
"""What JobGroups may be."""
HABITS = {CLAIM: 20, REMINDER: 5, RULE: 3}
"""What falls due for a tenant in a day, when many use all that time drives: a team of five, and no claim released."""
_PAGE = 100


class Load(Struct, frozen=True):
    """`minutes` are the counted rounds of one tenant; `cpu` is milliseconds of a whole processor for a due item."""

    minutes: Sequence[Minute]
    cpu: float

    @property
    def items(self) -> float:
        """Due items of a tenant in a minute."""
        return sum(each.items for each in self.minutes) / len(self.minutes)

    @property
    def milliseconds(self) -> float:
        """Of waiting for the store, of a tenant in a minute."""
        return sum(each.milliseconds for each in self.minutes) / len(self.minutes)

    def seconds(self, tenants: float, groups: int) -> float:
        """Of the average round: its threads wait for the store while its processor computes."""
        waiting = tenants * self.milliseconds / groups / THREADS
        computing = tenants * self.items / groups * self.cpu * VCPU_MB / memory_of("JobsFunction")
        return (max(waiting, computing) + self.reading_milliseconds(tenants * self.items, groups)) / 1000

    def reading_milliseconds(self, items: float, groups: int) -> float:
        """Milliseconds until the shards are read."""
        return (SHARDS + items / _PAGE) / groups * WAITS["query"]

    def ends_at(self, groups: int, seconds: float) -> int:
        """The number of tenants with which the average round takes so long."""
        one = self.seconds(1_000_001, groups) - self.seconds(1, groups)
        return int((seconds - self.seconds(0, groups)) / one * 1_000_000)


class Rounds(Struct, frozen=True):
    """Hourly figures: due items of the average round and the most, seconds of the average and of the longest round."""

    tenants: int
    groups: int
    items: float
    most: int
    mean: float
    longest: float


def simulate_rounds(load: Load, tenants: int, groups: int, rounds: int = 60, seed: int = 1) -> Rounds:
    """Rounds of one group, whose tenants have something due by chance, each as a counted minute says."""
    random, busy = Random(seed), [each for each in load.minutes if each.items]
    chance, share = len(busy) / len(load.minutes), tenants / groups
    every: list[list[Minute]] = []
    for _ in range(rounds):
        count = max(0, round(random.gauss(share * chance, sqrt(share * chance * (1 - chance)))))
        every.append(random.choices(busy, k=count) if busy else [])
    return _rounds(load, tenants, groups, every)


def simulate_habits(load: Load, alone: Mapping[str, Minute], tenants: int, groups: int, seed: int = 1) -> Rounds:
    """Simulate the rounds of one group in the busiest hour of tenants with `HABITS`.

    Each tenant has its own times, except that all rules are due as the hour begins. `alone` are the rounds of a single
    thing.
    """
    random, share = Random(seed), tenants / groups
    every: list[list[Minute]] = []
    for minute in range(60):
        drawn: list[Minute] = []
        for what, a_day in HABITS.items():
            an_hour = share * a_day * PEAK / 24
            mean = an_hour / 60 if what != RULE else an_hour * (minute == 0)
            drawn += [alone[what]] * max(0, round(random.gauss(mean, sqrt(mean))))
        random.shuffle(drawn)
        every.append(drawn)
    return _rounds(load, tenants, groups, every)


def _rounds(load: Load, tenants: int, groups: int, every: Sequence[Sequence[Minute]]) -> Rounds:
    """Return the figures of a group whose rounds have these parts."""
    items = [sum(each.items for each in drawn) for drawn in every]
    lengths: list[float] = []
    for drawn, own in zip(every, items, strict=True):
        computing = own * load.cpu * VCPU_MB / memory_of("JobsFunction")
        lengths.append((max(_makespan(drawn), computing) + load.reading_milliseconds(own * groups, groups)) / 1000)
    mean = sum(items) * groups / len(every)
    return Rounds(tenants, groups, mean, max(items) * groups, sum(lengths) / len(every), max(lengths))


def _makespan(drawn: Sequence[Minute]) -> float:
    """Milliseconds until the last thread is done; each takes the next tenant when it gets free."""
    free = [0.0] * THREADS
    heapify(free)
    for each in drawn:
        heapreplace(free, free[0] + each.milliseconds)
    return max(free)
