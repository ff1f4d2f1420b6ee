"""Pairs of facts of one subject that may contradict each other, in the order of their keys, without looking at all.

Two facts meet where they are of one predicate and hold at the same time, or where the one says yes and the other no of
the same thing. The order is that of the first fact, then of the second, so that a search of them goes on behind any
pair.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import dropwhile

from msgspec import Struct

from almanac.families.knowledge.contradictions.rules import ContradictionFinding, DatedStatement, finding_of
from almanac.families.knowledge.core.records import Fact

FactKey = tuple[str, int, str]
"""The predicate key, the beginning and the id."""


class Pair(Struct, frozen=True):
    """`one` comes first by its key."""

    one: DatedStatement
    other: DatedStatement
    finding: ContradictionFinding


class Effort:
    """Counts what is looked at. `is_used_up` once it is more than allowed."""

    def __init__(self, allowed: int) -> None:
        self._left = allowed

    def spend(self, count: int = 1) -> None:
        self._left -= count

    @property
    def is_used_up(self) -> bool:
        return self._left < 0


def key_of(fact: Fact) -> FactKey:
    return (fact.predicate_key, fact.valid_from, fact.id)


class PairSearch:
    """Over `readings` of one subject. Only facts that `is_asked` are looked at."""

    def __init__(
        self, readings: Sequence[DatedStatement], effort: Effort, is_asked: Callable[[DatedStatement], bool]
    ) -> None:
        asked = (one for one in readings if is_asked(one))
        # The store sorts some signs otherwise than texts do.
        self._readings = sorted(asked, key=lambda one: key_of(one.fact))
        self._effort = effort
        self._opposed: dict[object, list[int]] = defaultdict(list)
        for place, one in enumerate(self._readings):
            self._opposed[one.statement.about, one.statement.says].append(place)
        self.reached: tuple[FactKey, FactKey] | None = None
        """The pair at which the effort ended; None while it has not."""

    def pairs(self, after: tuple[FactKey, FactKey] | None = None) -> Iterator[Pair]:
        """Yield the contradicting pairs after a given pair, until the effort is used up."""
        for place, one in enumerate(self._readings):
            key = key_of(one.fact)
            if after is not None and key < after[0]:
                continue
            self._effort.spend()
            for other in self._others(place):
                pair = (key, key_of(other.fact))
                if after is not None and pair <= after:
                    continue
                self._effort.spend()
                if (found := finding_of(one, other)) is not None:
                    yield Pair(one, other, found)
                if self._effort.is_used_up:
                    self.reached = pair
                    return

    def of(self, fact_id: str) -> Iterator[Pair]:
        """Yield the contradicting pairs that contain one fact."""
        for one, other in self._with(fact_id):
            self._effort.spend()
            if self._effort.is_used_up:
                return
            if (found := finding_of(one, other)) is not None:
                yield Pair(one, other, found)

    def _with(self, fact_id: str) -> Iterator[tuple[DatedStatement, DatedStatement]]:
        own = next((one for one in self._readings if one.fact.id == fact_id), None)
        for other in self._readings if own is not None else ():
            if own is not None and other is not own:
                yield (own, other) if key_of(own.fact) < key_of(other.fact) else (other, own)

    def _others(self, place: int) -> Iterator[DatedStatement]:
        """Behind `place`, in order, each once."""
        last = -1
        for number in merge(self._beside(place), self._against(place)):
            if number != last:
                yield self._readings[number]
            last = number

    def _beside(self, place: int) -> Iterator[int]:
        one = self._readings[place]
        if one.cardinality == "many":
            return
        for number in range(place + 1, len(self._readings)):
            other = self._readings[number]
            ended = one.holding.end is not None and other.holding.start >= one.holding.end
            if other.fact.predicate_key != one.fact.predicate_key or ended:
                return
            yield number

    def _against(self, place: int) -> Iterator[int]:
        one = self._readings[place].statement
        opposed = self._opposed.get((one.about, not one.says), ())
        return dropwhile(lambda number: number <= place, opposed)
