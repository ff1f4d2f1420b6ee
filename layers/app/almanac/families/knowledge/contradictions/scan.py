"""Scan for contradictions in a project or one subject, in pages with bounded work.

Facts are read in key order, a subject at a time. A page ends after a number of pairs or an amount of work. Its position
names the last pair, so that no pair appears twice.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice

import msgspec
from msgspec import Struct

from almanac.families.knowledge.contradictions.pairs import Effort, FactKey, Pair, PairSearch, key_of
from almanac.families.knowledge.contradictions.rules import DatedStatement, dated_statement
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import FACTS, PREDICATES, Cardinality, Fact
from almanac.families.knowledge.core.timeline import timeline

MOST_FACTS = 10_000
"""Facts read for one page, apart from the rest of a subject's window."""
MOST_PAIRS = 100_000
"""Pairs compared for one page."""
WINDOW = 4_000
"""Facts of one subject that are compared with each other, apart from the rest of a predicate."""
_AT_ONCE = 250


class Position(Struct, frozen=True, array_like=True):
    """The start of a page: a subject and predicate, and the pair after which to continue."""

    subject: str = ""
    predicate: str = ""
    after: tuple[FactKey, FactKey] | None = None


class ScanRequest(Struct, frozen=True):
    """Scope of a scan. `subject` is a key. With `all_times`, report pairs that hold together at any instant, not only
    now."""

    subject: str | None = None
    limit: int = 10
    all_times: bool = False


class ScanPage(Struct, frozen=True):
    """A page of pairs. `facts` counts the facts that were read. `next_position` is the start of the next page; None at
    the end. `parted` are subjects with so many facts that the scan compared them in parts."""

    pairs: Sequence[Pair]
    facts: int
    next_position: Position | None
    parted: Sequence[str] = ()


class _Window(Struct, frozen=True):
    position: Position
    facts: Sequence[Fact]
    is_part: bool


class Slots:
    """Reads whole slots and computes when their facts hold."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._rows = knowledge.rows(PREDICATES)
        self._known: dict[str, Cardinality | None] = {}

    def readings(self, facts: Sequence[Fact]) -> list[DatedStatement]:
        """Return statements for the facts of whole slots, in key order."""
        new = list(dict.fromkeys(fact.predicate_key for fact in facts if fact.predicate_key not in self._known))
        for key, record in zip(new, self._rows.get_many([(key,) for key in new]), strict=True):
            self._known[key] = None if record is None else record.cardinality()
        return list(chain.from_iterable(self._of_slot(list(some)) for _, some in groupby(facts, _slot_of)))

    def _of_slot(self, facts: Sequence[Fact]) -> Iterator[DatedStatement]:
        cardinality = self._known[facts[0].predicate_key]
        holdings = timeline(facts, cardinality)
        return (dated_statement(fact, holdings[fact.id], cardinality) for fact in facts)


def scan(knowledge: Knowledge, request: ScanRequest, start: Position) -> ScanPage:
    """Return one page of contradictions from `start` on."""
    now, effort, slots = knowledge.now(), Effort(MOST_PAIRS), Slots(knowledge)
    pairs: list[Pair] = []
    places: list[Position] = []
    parted: dict[str, None] = {}
    facts = 0
    for window in _windows(knowledge, request.subject, start):
        place = window.position
        if facts >= MOST_FACTS:
            return ScanPage(pairs, facts, place, tuple(parted))
        facts += len(window.facts)
        if window.is_part:
            parted[window.facts[0].subject] = None
        readings = slots.readings(window.facts)
        search = PairSearch(readings, effort, lambda one: request.all_times or one.holding.at(now))
        for pair in search.pairs(start.after if place.after is not None else None):
            if len(pairs) == request.limit:
                return ScanPage(pairs, facts, places[-1], tuple(parted))
            pairs.append(pair)
            both = (key_of(pair.one.fact), key_of(pair.other.fact))
            places.append(Position(place.subject, place.predicate, both))
        if search.reached is not None:
            reached = Position(place.subject, place.predicate, search.reached)
            return ScanPage(pairs, facts, reached, tuple(parted))
    return ScanPage(pairs, facts, None, tuple(parted))


def position_of(text: str) -> Position:
    """Parse a position from JSON. An empty text is the beginning."""
    return msgspec.json.decode(text, type=Position) if text else Position()


def position_text(position: Position) -> str:
    return msgspec.json.encode(position).decode()


def _windows(knowledge: Knowledge, subject: str | None, start: Position) -> Iterator[_Window]:
    """Yield whole slots of one subject each, from `start` on. The first window keeps the pair in `start`."""
    first = start
    for key, facts in groupby(_facts(knowledge, subject, start), lambda one: one.subject_key):
        begins = first.predicate if key == first.subject else ""
        for number, part in enumerate(_parts(facts)):
            position = Position(key, begins if number == 0 else part[0].predicate_key)
            is_first = start.after is not None and (position.subject, position.predicate) == (
                start.subject,
                start.predicate,
            )
            is_part = bool(begins) or number > 0 or len(part) >= WINDOW
            yield _Window(start if is_first else position, part, is_part)


def _facts(knowledge: Knowledge, subject: str | None, start: Position) -> Iterator[Fact]:
    rows = knowledge.rows(FACTS)
    if subject is not None:
        return rows.every(subject, since=start.predicate or None, page=_AT_ONCE)
    if not start.predicate:
        return rows.every(since=start.subject or None, page=_AT_ONCE)
    # "$" sorts before every character of a key, so this key comes after all facts of the subject.
    others = rows.every(since=f"{start.subject}$", page=_AT_ONCE)
    return chain(rows.every(start.subject, since=start.predicate, page=_AT_ONCE), others)


def _parts(facts: Iterator[Fact]) -> Iterator[list[Fact]]:
    part: list[Fact] = []
    for _, some in groupby(facts, _slot_of):
        part += islice(some, None)
        if len(part) >= WINDOW:
            yield part
            part = []
    if part:
        yield part


def _slot_of(fact: Fact) -> tuple[str, str]:
    return (fact.subject_key, fact.predicate_key)
