"""Index of the facts of a slot: by start, by object, and by the instants at which one ends.

A changed fact affects only its neighbours in time: facts whose end it moves, and the fact that ends it. The index finds
these, so a change costs the same in a slot of ten facts and of thousands. Facts that never held are not in the order of
starts, so corrections do not pile up between two neighbours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain, groupby, islice

from msgspec import Struct

from almanac.families.knowledge.core.records import MARKS, Fact, FactMark
from almanac.families.knowledge.core.timeline import is_retracted, own_end
from almanac.kernel.caller import Scope
from almanac.platform.store.port import Store

SlotKey = tuple[str, str]
"""The keys of a subject and a predicate."""
BEGINS = "b"
"""Mark of a fact that holds at some time, unless a neighbour ends it."""
EDGE = "e"
"""Mark of an end that was stated later, or of the start of a fact that never held."""
MOST_NEAR = 100
"""Facts on either side that one change reads. Events and answers list fewer."""
_PAGE = 8


def marks_of(fact: Fact) -> list[FactMark]:
    """Return the entries of a fact in the index of its slot."""
    ending = fact.endings[-1].at if fact.endings else None
    places = {(EDGE, ending)} if ending is not None else set[tuple[str, int]]()
    if is_retracted(fact):
        places.add((EDGE, fact.valid_from))
    else:
        places |= {(BEGINS, fact.valid_from), (_by_object(fact.object_key), fact.valid_from)}
    return [
        FactMark(
            subject_key=fact.subject_key,
            predicate_key=fact.predicate_key,
            mark=mark,
            at=at,
            id=fact.id,
            object_key=fact.object_key,
            valid_from=fact.valid_from,
            end=own_end(fact),
            stated=fact.stated_to is not None,
        )
        for mark, at in sorted(places)
    ]


class Neighbours(Struct, frozen=True):
    """The neighbours of an instant. The facts that end those in `inner` are among `inner` and `outer`."""

    inner: Sequence[FactMark]
    outer: Sequence[FactMark]


class SlotIndex:
    """Reader for the index of one slot."""

    def __init__(self, store: Store, scope: Scope, key: SlotKey) -> None:
        self._rows = MARKS.within(store, scope)
        self._key = key

    def present(self, at: int, reached: int | None = None, changed: Mapping[str, Fact] | None = None) -> int:
        """Return the instant that counts as now; see `slots.present_of`. `changed` are facts as they will be stored.
        `reached`: at every instant from `at` to there, included, a fact is known to start or end."""
        run_end = at - 1 if reached is None else max(at, reached)
        new = changed or {}
        stored = (one.at for one in self._from(run_end + 1) if one.id not in new)
        planned = sorted(one.at for fact in new.values() for one in marks_of(fact) if one.at > run_end)
        for edge in merge(stored, planned):
            if edge > run_end + 1:
                break
            run_end = edge
        return max(at, run_end)

    def begins_at(self, at: int) -> bool:
        """Return whether a fact starts at an instant, even one that never held."""
        beginnings = self._of(BEGINS, since=at, until=at + 1)
        edges = self._of(EDGE, since=at, until=at + 1)
        return any(one.valid_from == at for one in chain(beginnings, edges))

    def with_object(self, object_key: str, *, since: int | None = None, until: int) -> Iterator[FactMark]:
        """Return the facts with an object that start in the given range, the latest first."""
        return self._of(_by_object(object_key), since=since, until=until, reverse=True)

    def next_with_other_object(self, start: int, object_key: str) -> tuple[FactMark, ...]:
        """Return the facts of the first instant after `start` at which one with another object starts."""
        for group in _beginnings(self._of(BEGINS, since=start + 1)):
            if {one.object_key for one in group} != {object_key}:
                return tuple(group)
        return ()

    def may_hold_at(self, at: int) -> Iterator[FactMark]:
        """Return the facts that may hold at an instant if each ends at the next one, the latest first."""
        return self._before(at + 1, None)

    def is_followed(self, mark: FactMark, until: int) -> bool:
        """Return whether a fact with another object starts after this one, up to `until`."""
        following = self.next_with_other_object(mark.valid_from, mark.object_key)
        return bool(following) and following[0].at <= until

    def neighbours(self, at: int, object_key: str) -> Neighbours:
        """Return the neighbours of a fact with this object that starts at `at`: the facts it may end, and those that
        may end it or them."""
        inner = list(islice(self._of(BEGINS, since=at, until=at + 1), MOST_NEAR))
        inner += islice(self._before(at, object_key), MOST_NEAR)
        objects = {object_key, *(one.object_key for one in inner)}
        outer = next(_beginnings(self._of(BEGINS, since=at + 1)), list[FactMark]())
        only = {one.object_key for one in outer}
        if len(only) == 1 and only <= objects:
            outer += self.next_with_other_object(outer[0].at, outer[0].object_key)
        return Neighbours(inner, outer)

    def _before(self, at: int, object_key: str | None) -> Iterator[FactMark]:
        """Yield facts backwards from `at`, until the first that another one ends before `at` whatever its object is."""
        run: str | None = None
        for group in _beginnings(self._of(BEGINS, until=at, reverse=True)):
            yield from group
            objects = {one.object_key for one in group}
            if len(objects) > 1 or objects == {object_key} or (run is not None and objects != {run}):
                return
            run = group[0].object_key

    def _from(self, at: int) -> Iterator[FactMark]:
        beginnings, edges = self._of(BEGINS, since=at), self._of(EDGE, since=at)
        return merge(beginnings, edges, key=lambda one: one.at)

    def _of(
        self, mark: str, *, since: int | None = None, until: int | None = None, reverse: bool = False
    ) -> Iterator[FactMark]:
        return self._rows.every(*self._key, mark, since=since, until=until, reverse=reverse, page=_PAGE)


def _beginnings(marks: Iterable[FactMark]) -> Iterator[list[FactMark]]:
    """Group facts by their start, with at most MOST_NEAR in each group."""
    return (list(islice(group, MOST_NEAR)) for _, group in groupby(marks, lambda one: one.at))


def _by_object(object_key: str) -> str:
    return f"o{object_key}"
