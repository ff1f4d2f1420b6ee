"""The reaction that indexes written documents, and deletes a fresh document once the index has it.

Versions decide. Even if events come twice, late or out of order, the index ends with the last version.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.events import Event
from almanac.kernel.ids import ulid
from almanac.kernel.instants import now_ms
from almanac.platform.bus.port import MAX_CHANGES_OF_A_REACTION, Reaction, Together
from almanac.platform.services import Services
from almanac.platform.store.conditions import Present
from almanac.platform.store.port import MAX_KEYS, Change, Store
from almanac.platform.store.records import Rows
from almanac.search.engine.document_writes import DOCUMENT_WRITTEN, documents_in
from almanac.search.engine.fresh import MOST
from almanac.search.engine.parts import IndexParts
from almanac.search.engine.records import FRESH, FreshDocument
from almanac.search.port import GONE_KEPT_MS, Document, Removal, SearchIndex

_KEPT_BEHIND_MS = 3_600_000
_LOOKED_BACK_MS = 60_000
_LET_GO_FOR_EACH = 8
_LET_GO_AT_ONCE = 48
EVENTS_TOGETHER = 24
"""Number of events at a time. The changes that delete their fresh documents fit into one write."""
DOCUMENTS_TOGETHER = 1000
"""Number of documents at a time. They take some 0.3 s of CPU, for which other tenants may have to wait."""


def follow(events: Sequence[Event], services: Services) -> Sequence[Change]:
    """Index the documents of these events of one project, in these versions or later ones, and remove removed
    documents.

    An index writes many documents together in less time.
    """
    indexing, rows = services.get(IndexParts), FRESH.within(services.get(Store), events[0].scope)
    if indexing.index is None:
        return _trim_changes(rows, events)
    found = rows.get_many([(event.id,) for event in events])
    _bring(indexing, indexing.index, events, found, services)
    return _let_go(rows, found, events, indexing.index.visible_after_ms, now_ms(services.get(Clock)))


def follow_one(event: Event, services: Services) -> Sequence[Change]:
    return follow([event], services)


def _weight(event: Event) -> int:
    """Return the weight of an event, counted in parts of a file. A document on its own may be much longer than a
    part."""
    return 1 + len(event.payload["more"]) if "more" in event.payload else DOCUMENTS_TOGETHER // 8


FOLLOW = Reaction(
    "search.follow",
    frozenset([DOCUMENT_WRITTEN]),
    follow_one,
    Together(follow, EVENTS_TOGETHER, _weight, DOCUMENTS_TOGETHER),
    repeatable=True,
)


def _bring(
    indexing: IndexParts,
    index: SearchIndex,
    events: Sequence[Event],
    found: Sequence[FreshDocument | None],
    services: Services,
) -> None:
    scope = events[0].scope
    payloads = [each for event in events for each in documents_in(event.payload)]
    gone = [_removal(each, event.at) for event in events for each in documents_in(event.payload) if each.get("removed")]
    if gone:
        index.remove(scope, gone)
    # The index may have forgotten the removal of older documents.
    since = now_ms(services.get(Clock)) - GONE_KEPT_MS // 2
    whole = _whole([one for one, event in zip(found, events, strict=True) if event.at >= since])
    left = [each for each in payloads if not each.get("removed") and not _is_there(whole.get(each["id"]), each)]
    documents = list(whole.values())
    for kind, some in groupby(sorted(left, key=_kind), _kind):
        # A document that was removed since has an event of its own.
        documents += _from_source(indexing, services, scope, kind, list(dict.fromkeys(each["id"] for each in some)))
    if documents:
        deriver = indexing.deriver()
        index.index(scope, [deriver.entry(each) for each in documents])


def _whole(found: Sequence[FreshDocument | None]) -> dict[str, Document]:
    """Return the last versions whose texts are stored with the fresh documents, by id."""
    written = [each for fresh in found if fresh is not None for each in fresh.writes if each.state == "whole"]
    return {each.document.id: each.document for each in sorted(written, key=lambda each: each.document.version)}


def _is_there(document: Document | None, payload: Mapping[str, Any]) -> bool:
    return document is not None and document.version >= payload["version"]


def _kind(payload: Mapping[str, Any]) -> str:
    return payload["kind"]


def _removal(payload: Mapping[str, Any], at: int) -> Removal:
    return Removal(id=payload["id"], profile=payload["profile"], version=payload["version"], at=at)


def _from_source(
    indexing: IndexParts, services: Services, scope: Scope, kind: str, ids: Sequence[str]
) -> Iterator[Document]:
    source = indexing.sources.get(kind)
    if source is not None:
        for start in range(0, len(ids), MAX_KEYS):
            yield from source.read(services, scope, ids[start : start + MAX_KEYS])


def _let_go(
    rows: Rows[FreshDocument],
    found: Sequence[FreshDocument | None],
    events: Sequence[Event],
    visible_after_ms: int,
    now: int,
) -> list[Change]:
    """Return the changes that delete the fresh documents, at once or when searches of the index see their content."""
    if not visible_after_ms:
        return [rows.delete(event.id) for event in events]
    visible_at = now + visible_after_ms
    until = visible_at + _KEPT_BEHIND_MS
    left = [replace(one, messages=(), visible_at=visible_at, expires_at=until) for one in found if one is not None]
    # A plain put is no event. Its condition keeps it from restoring a deleted document.
    changes: list[Change] = [rows.put(one, Present()) for one in left]
    first = min(events, key=lambda event: event.id)
    since = ulid(max(0, first.at - _LOOKED_BACK_MS), bytes)
    limit = min(_LET_GO_FOR_EACH * len(events), _LET_GO_AT_ONCE)
    older = rows.query(since=since, until=first.id, limit=limit).records
    return changes + [rows.delete(each.id) for each in older if 0 < each.visible_at <= now]


def _trim_changes(rows: Rows[FreshDocument], events: Sequence[Event]) -> list[Change]:
    """Return the changes that delete all but the newest fresh documents. Only now and then, because it reads all of
    them.
    """
    # One event in 32 does it, as the end of an id is random.
    if not any(event.id.endswith("0") for event in events):
        return []
    behind: list[Change] = []
    for place, fresh in enumerate(rows.every(reverse=True, page=500)):
        if place >= MOST:
            behind.append(rows.delete(fresh.id))
        if len(behind) == MAX_CHANGES_OF_A_REACTION - len(events):
            break
    return behind
