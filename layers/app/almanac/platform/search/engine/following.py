"""The reaction that brings what was written into the index, and lets the fresh document go once the index has it.

Versions decide: whatever comes twice, late or out of order, the index ends with the last version.
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
from almanac.platform.bus.port import MAX_CHANGES_OF_A_REACTION, Reaction
from almanac.platform.search.engine.fresh import MOST
from almanac.platform.search.engine.parts import Indexing
from almanac.platform.search.engine.records import FRESH, FreshDocument
from almanac.platform.search.engine.writing import DOCUMENT_WRITTEN, told_in
from almanac.platform.search.port import Document, Removal, SearchIndex
from almanac.platform.services import Services
from almanac.platform.store.conditions import Present
from almanac.platform.store.port import MAX_KEYS, Change, Store
from almanac.platform.store.records import Rows

_KEPT_BEHIND_MS = 3_600_000
_LOOKED_BACK_MS = 60_000
_LET_GO_AT_ONCE = 8


def follow(event: Event, services: Services) -> Sequence[Change]:
    """Index the version of the document that the event tells of, or a later one; forget it if it was removed."""
    indexing, rows = services.get(Indexing), FRESH.within(services.get(Store), event.scope)
    if indexing.index is None:
        return _trimmed(rows, event)
    fresh = rows.get(event.id)
    _bring(indexing, indexing.index, event, fresh, services)
    return _let_go(rows, fresh, event, indexing.index.visible_after_ms, now_ms(services.get(Clock)))


FOLLOW = Reaction("search.follow", frozenset([DOCUMENT_WRITTEN]), follow)


def _bring(
    indexing: Indexing, index: SearchIndex, event: Event, fresh: FreshDocument | None, services: Services
) -> None:
    told = told_in(event.payload)
    gone = [_removal(each) for each in told if each.get("removed")]
    if gone:
        index.remove(event.scope, gone)
    whole = {each.document.id: each.document for each in fresh.parsed if each.state == "whole"} if fresh else {}
    documents = list(whole.values())
    left = [each for each in told if not each.get("removed") and each["id"] not in whole]
    for kind, some in groupby(left, lambda each: each["kind"]):
        # What is gone by now has an event of its own.
        documents += _from_source(indexing, services, event.scope, kind, [each["id"] for each in some])
    if documents:
        deriver = indexing.deriver()
        index.index(event.scope, [deriver.entry(each) for each in documents])


def _removal(told: Mapping[str, Any]) -> Removal:
    return Removal(id=told["id"], profile=told["profile"], version=told["version"])


def _from_source(
    indexing: Indexing, services: Services, scope: Scope, kind: str, ids: Sequence[str]
) -> Iterator[Document]:
    source = indexing.sources.get(kind)
    if source is not None:
        for start in range(0, len(ids), MAX_KEYS):
            yield from source.read(services, scope, ids[start : start + MAX_KEYS])


def _let_go(
    rows: Rows[FreshDocument], fresh: FreshDocument | None, event: Event, visible_after_ms: int, now: int
) -> list[Change]:
    """The changes that end the fresh document: at once, or once searches of the index see what it now has."""
    if not visible_after_ms:
        return [rows.delete(event.id)]
    changes: list[Change] = []
    if fresh is not None:
        visible_at = now + visible_after_ms
        left = replace(fresh, messages=(), visible_at=visible_at, expires_at=visible_at + _KEPT_BEHIND_MS)
        # A put of its own is no event, and it must not bring back what was let go meanwhile.
        changes.append(rows.put(left, Present()))
    since = ulid(max(0, event.at - _LOOKED_BACK_MS), bytes)
    older = rows.query(since=since, until=event.id, limit=_LET_GO_AT_ONCE).records
    return changes + [rows.delete(each.id) for each in older if 0 < each.visible_at <= now]


def _trimmed(rows: Rows[FreshDocument], event: Event) -> list[Change]:
    """The changes that delete what lies behind the newest documents; now and then, for it takes reading all of them."""
    # One event in 32: the end of an id is random.
    if not event.id.endswith("0"):
        return []
    behind: list[Change] = []
    for place, fresh in enumerate(rows.every(reverse=True, page=500)):
        if place >= MOST:
            behind.append(rows.delete(fresh.id))
        if len(behind) == MAX_CHANGES_OF_A_REACTION:
            break
    return behind
