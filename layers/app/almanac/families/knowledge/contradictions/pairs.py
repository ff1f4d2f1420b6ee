"""Search for contradicting pairs of facts of one subject, in the order of their keys, without comparing all with all.

Two facts are compared if they have the same predicate and hold at the same time, or if one denies what the other
states. Pairs are ordered by their first fact, then by their second, so a search can continue after any pair.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import dropwhile

from msgspec import Struct

from almanac.families.knowledge.contradictions.rules import ContradictionFinding, DatedStatement, find_contradiction
from almanac.families.knowledge.core.records import Fact

FactKey = tuple[str, int, str]
"""The predicate key, the start and the id of a fact."""


class Pair(Struct, frozen=True):
    """Two facts that contradict each other. `one` has the smaller key."""

    one: DatedStatement
    other: DatedStatement
    finding: ContradictionFinding


class Effort:
    """Budget of comparisons. `is_used_up` is true once more were made than allowed."""

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
    """Search over the `readings` of one subject. Only facts for which `is_asked` is true are compared."""

    def __init__(
        self, readings: Sequence[DatedStatement], effort: Effort, is_asked: Callable[[DatedStatement], bool]
    ) -> None:
        asked = (reading for reading in readings if is_asked(reading))
        # Sort by key here, because the store orders some characters differently.
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
                if (found := find_contradiction(one, other)) is not None:
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
            if (found := find_contradiction(one, other)) is not None:
                yield Pair(one, other, found)

    def _with(self, fact_id: str) -> Iterator[tuple[DatedStatement, DatedStatement]]:
        own = next((reading for reading in self._readings if reading.fact.id == fact_id), None)
        for other in self._readings if own is not None else ():
            if own is not None and other is not own:
                yield (own, other) if key_of(own.fact) < key_of(other.fact) else (other, own)

    def _others(self, place: int) -> Iterator[DatedStatement]:
        """Yield the facts after `place` to compare with it, in order and each once."""
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
