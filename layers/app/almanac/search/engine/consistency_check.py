"""Periodic comparison of the index with the store: a few documents of each kind at a time, then the next ones.

Missing documents are reported like any other defect, so that the alarms of an installation fire.
"""

from collections.abc import Sequence
from itertools import islice

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import FailureWithMetric
from almanac.kernel.instants import now_ms
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.engine.parts import IndexParts
from almanac.search.engine.records import FRESH, SAMPLED, SamplePosition
from almanac.search.port import Document, DocumentState, SearchIndex
from almanac.search.source import Source

SAMPLED_MS = 6 * 3_600_000
KINDS_AT_ONCE = 3
"""Number of kinds of documents in one check. The next check takes the next kinds."""
AT_ONCE = 20


class Drift(FailureWithMetric):
    """The index lacks documents that are not on their way to it either. `amount` is their number."""

    metric = "IndexDrift"


def sample(services: Services, scope: Scope) -> int:
    """Compare the next documents of each kind with the index. Return the number of compared documents. Raises Drift."""
    indexing = services.get(IndexParts)
    if indexing.index is None:
        return 0
    compared, lost = 0, list[str]()
    for source in _some(list(indexing.sources.values()), now_ms(services.get(Clock)) // SAMPLED_MS):
        documents, lacking = _compare(services, scope, indexing.index, source)
        compared, lost = compared + documents, lost + lacking
    # Read last, because documents written meanwhile are on their way to the index.
    waiting = _fresh_ids(services, scope) if lost else ()
    if left := [each for each in lost if each not in waiting]:
        missing = f"The index lacks {len(left)} of {compared} documents."
        raise Drift(f"{missing} `almanac search verify` brings them there.", len(left))
    return compared


def _some(sources: Sequence[Source], look: int) -> Sequence[Source]:
    """Return the sources of the check with this number."""
    looks = -(-len(sources) // KINDS_AT_ONCE)
    return sources[look % looks :: looks] if looks else ()


def _fresh_ids(services: Services, scope: Scope) -> set[str]:
    fresh = FRESH.within(services.get(Store), scope).every()
    return {one.document.id for each in fresh for one in each.writes}


def next_sample(services: Services, scope: Scope) -> int | None:
    """Return the instant in six hours while documents are being written. Otherwise None; the daily survey is enough."""
    is_written_to = bool(FRESH.within(services.get(Store), scope).query(limit=1).records)
    return now_ms(services.get(Clock)) + SAMPLED_MS if is_written_to else None


SAMPLE = Job("search.sample", 60, sample, next_sample)


def _compare(services: Services, scope: Scope, index: SearchIndex, source: Source) -> tuple[int, list[str]]:
    """Compare the next documents with the index. Return their number, and the ids that the index lacks."""
    rows = SAMPLED.within(services.get(Store), scope)
    sampled = rows.get(source.kind)
    reached = sampled.reached if sampled is not None else ""
    documents = list(islice(source.every(services, scope, reached), AT_ONCE))
    states = index.states_of(scope, source.profile, [each.id for each in documents]) if documents else ()
    last = documents[-1].id if len(documents) == AT_ONCE else ""
    if last != reached:
        services.get(Store).write([rows.put(SamplePosition(kind=source.kind, reached=last))])
    return len(documents), [each.id for each in documents if not _has(states, each)]


def _has(states: Sequence[DocumentState], document: Document) -> bool:
    """Return whether the index has the document, or knows that it was removed since."""
    return any(each.id == document.id and each.version >= document.version + each.removed for each in states)
