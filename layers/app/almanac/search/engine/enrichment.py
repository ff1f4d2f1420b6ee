"""Enrichment of indexed documents with contexts, from a model that reads whole texts.

Each round spends about a second on a project, as long as it has documents without context.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from almanac.kernel.caller import Scope
from almanac.kernel.events import Event
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.engine.document_writes import documents_in
from almanac.search.engine.parts import IndexParts
from almanac.search.engine.records import FRESH
from almanac.search.port import Context, Document, DocumentState, SearchIndex

SECONDS = 1.0
"""Time that one round may compute for one project, in seconds."""
_LOOKED_AT = 100
_AT_ONCE = 8
BUSY = 8
"""Number of writes not yet indexed at which enrichment waits, because documents must first be found by their words."""


def enrich(services: Services, scope: Scope, monotonic: Callable[[], float] = time.monotonic) -> int:
    """Add contexts to the newest documents without context. Return the number of documents that were looked at.

    It does nothing while the index is behind.
    """
    indexing = services.get(IndexParts)
    if indexing.index is None or indexing.model is None:
        return 0
    unenriched = indexing.index.list_unenriched(scope, _LOOKED_AT)
    # Contexts need the table's word pieces. Without anything to do, neither the table nor the model is opened.
    if not unenriched or not indexing.vectors_of() or (model := indexing.model()) is None:
        return 0
    if _is_behind(services, scope):
        return 0
    began, done = monotonic(), 0
    contexts: list[Context] = []
    for some in _in_batches(unenriched):
        documents = _as_held(indexing, services, scope, some)
        contexts += indexing.deriver().context(documents, model)
        done += len(some)
        if monotonic() - began >= SECONDS:
            break
    # Write all contexts at once, because after each write searches must load the changes.
    indexing.index.enrich(scope, contexts)
    return done


ENRICH = Job("search.enrich", 2, enrich, everywhere=True)


def enrich_told(services: Services, scope: Scope, events: Sequence[Event], has_time: Callable[[], bool]) -> set[str]:
    """Add contexts to the documents of these events, which all belong to one project.

    Returns the ids of the events that must be delivered again, because the index does not have their documents yet or
    because time ran out. Without a model the set is empty.
    """
    indexing = services.get(IndexParts)
    if indexing.index is None or indexing.model is None or not indexing.vectors_of():
        return set()
    events_of: dict[str, set[str]] = {}
    newest: dict[str, Mapping[str, Any]] = {}
    for event in events:
        for told in documents_in(event.payload):
            events_of.setdefault(told["id"], set()).add(event.id)
            if told["id"] not in newest or newest[told["id"]]["version"] <= told["version"]:
                newest[told["id"]] = told
    there = sorted((each for each in newest.values() if not each.get("removed")), key=_place)
    waiting: list[str] = []
    for (profile, kind), alike in groupby(there, _place):
        versions = {each["id"]: each["version"] for each in alike}
        for some in _in_batches([DocumentState(*each) for each in versions.items()]):
            if not has_time():
                waiting += [each.id for each in some]
                continue
            states = {each.id: each for each in indexing.index.states_of(scope, profile, [each.id for each in some])}
            late = [each for each in some if each.id not in states or states[each.id].version < each.version]
            waiting += _still_to_come(indexing, services, scope, kind, late)
            unenriched = [
                each for each in states.values() if not each.removed and not each.enriched and each not in late
            ]
            _enrich(indexing, indexing.index, services, scope, kind, unenriched)
    return {event for document in waiting for event in events_of[document]}


def _place(payload: Mapping[str, Any]) -> tuple[Any, str]:
    return payload["profile"], payload["kind"]


def _still_to_come(
    indexing: IndexParts, services: Services, scope: Scope, kind: str, late: Sequence[DocumentState]
) -> list[str]:
    """Return the ids of the documents that the store has in this version. Other documents have their own event, or were
    removed."""
    versions = {each.id: each.version for each in late}
    source = indexing.sources.get(kind)
    if source is None or not late:
        return []
    return [each.id for each in source.read(services, scope, list(versions)) if each.version == versions[each.id]]


def _enrich(
    indexing: IndexParts,
    index: SearchIndex,
    services: Services,
    scope: Scope,
    kind: str,
    unenriched: Sequence[DocumentState],
) -> None:
    source, model = indexing.sources.get(kind), indexing.model() if indexing.model and unenriched else None
    if source is None or model is None:
        return
    versions = {each.id: each.version for each in unenriched}
    documents = [each for each in source.read(services, scope, list(versions)) if each.version == versions[each.id]]
    if documents:
        index.enrich(scope, indexing.deriver().context(documents, model))


def _is_behind(services: Services, scope: Scope) -> bool:
    newest = FRESH.within(services.get(Store), scope).query(reverse=True, limit=BUSY).records
    return len(newest) == BUSY and not any(each.visible_at for each in newest)


def _as_held(indexing: IndexParts, services: Services, scope: Scope, some: Sequence[DocumentState]) -> list[Document]:
    """Return the documents that the store has in the same version as the index. A later version has an event of its
    own."""
    versions = {each.id: each.version for each in some}
    found = [each for one in indexing.sources.values() for each in one.read(services, scope, list(versions))]
    return [each for each in found if each.version == versions[each.id]]


def _in_batches(unenriched: Sequence[DocumentState]) -> Iterator[Sequence[DocumentState]]:
    return (unenriched[start : start + _AT_ONCE] for start in range(0, len(unenriched), _AT_ONCE))
