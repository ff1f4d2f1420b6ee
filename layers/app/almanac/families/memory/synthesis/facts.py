"""Find facts that match a question, as passages. The facts hold now, or at the time that the question names."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo

from msgspec import Struct

from almanac.content import clean
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.times import instant_of
from almanac.families.memory.search.relative_days import Edge, relative_days_in
from almanac.families.memory.search.rounds import find
from almanac.families.memory.synthesis.passages import Passage
from almanac.families.time.core.zones import find_zone
from almanac.kernel.instants import instant_at, milliseconds
from almanac.platform.declaration.known_facts import FACT, ContradictingFacts, KnownFact, KnownFacts, When
from almanac.search.analysis.dates import NamedDate, dates_in
from almanac.search.coverage import Coverage
from almanac.search.port import Filters
from almanac.search.questions.port import Hit, Search, SearchRequest

MOST = 10
_YEARS = range(1, 9999)
_TODAY = re.compile(r"\btoday\b", re.IGNORECASE)


class FactPassages(Struct, frozen=True):
    """Passages of facts, best first, the pairs of facts that cannot both hold, and how well they cover the question."""

    passages: tuple[Passage, ...] = ()
    disagreeing: Sequence[ContradictingFacts] = ()
    coverage: Coverage | None = None


def facts_of(
    memory: MemoryProject, search: Search, known_facts: KnownFacts | None, question: str, size: int
) -> FactPassages:
    """Return the facts that match a question, at most `size` and at most ten."""
    if known_facts is None or not known_facts.any(memory.scope):
        return FactPassages()
    when = span_of_question(memory, question)
    limit = min(size, MOST)
    filters = Filters(kinds=(FACT,))
    request = SearchRequest(text=question, profile="documents", filters=filters, limit=limit, reasons=False)
    facts: dict[str, KnownFact] = {}

    def read(hits: Sequence[Hit]) -> dict[str, KnownFact]:
        current = dict(known_facts.facts_at(memory.scope, [hit.id for hit in hits], when, memory.zone))
        facts.update(current)
        return current

    # Most of the similar facts may have ended.
    page = find(search, memory.scope, request, read, drops_many=True, covers_hidden=True)
    if not page.matches:
        return FactPassages()
    ids = [each.hit.id for each in page.matches]
    passages = tuple(_passage(facts[each.hit.id], each.hit.similarity) for each in page.matches)
    return FactPassages(passages, known_facts.find_contradictions(memory.scope, ids, when, memory.zone), page.coverage)


def span_of_question(memory: MemoryProject, question: str) -> When:
    """Return the span of the first day, month or year that the question names, or else now."""
    now = memory.now()
    return When(*(find_named_span(memory, question) or (now, now + 1)))


def find_named_span(memory: MemoryProject, question: str, last_at: int | None = None) -> tuple[int, int] | None:
    """Return the begin and end of the first day, month or year that the question names, in milliseconds since 1970.

    With `last_at`, the question asks for what was said: a day without a year is the last such day up to that instant,
    and "today" is a day like others. Otherwise both name no time, because they may be about what holds now. Returns
    None if the question names no time."""
    zone = find_zone(memory.zone) if memory.zone else UTC

    def instant(words: str, edge: Edge) -> int:
        return instant_of(memory, words, "query", ends=edge == "end")

    if last_at is not None and _TODAY.search(question):
        return instant("today", "begin"), instant("today", "end")
    relative = relative_days_in(question, instant)
    return next((span for date in (*dates_in(question), *relative) for span in _span_of(date, zone, last_at)), None)


def _span_of(named_date: NamedDate, zone: tzinfo, last_at: int | None) -> Iterator[tuple[int, int]]:
    """Yield the first instant of a date and the first instant after it; nothing for a date without a valid year."""
    year = named_date.year
    if year is None and last_at is not None and named_date.month is not None and named_date.day is not None:
        last = instant_at(last_at).astimezone(zone)
        year = last.year if (named_date.month, named_date.day) <= (last.month, last.day) else last.year - 1
    if year is None or year not in _YEARS:
        return
    month, day = named_date.month or 1, named_date.day or 1
    try:
        first = datetime(year, month, day, tzinfo=zone)
    except ValueError:
        return
    if named_date.day is not None:
        last = datetime.fromordinal(first.toordinal() + 1).replace(tzinfo=zone)
    elif named_date.month is not None:
        last = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zone)
    else:
        last = datetime(year + 1, 1, 1, tzinfo=zone)
    yield milliseconds(first), milliseconds(last)


def _passage(fact: KnownFact, similarity: float) -> Passage:
    text = clean(fact.sentence).text.strip()
    return Passage(id=fact.id, kind="fact", text=text, at=fact.at, similarity=similarity, author=f"fact {fact.actor}")
