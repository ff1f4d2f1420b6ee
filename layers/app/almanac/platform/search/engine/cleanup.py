"""Clearing what is left of documents that are gone for good.

Where an index follows, fresh documents are let go as soon as it has them. Without one they are what is searched, and
earlier versions of a document stay behind its removal, with their texts.
"""

from collections.abc import Collection
from itertools import islice

from almanac.kernel.caller import Scope
from almanac.platform.search.engine.fresh import MOST
from almanac.platform.search.engine.records import FRESH, FreshDocument
from almanac.platform.store.port import Change, Store

_READ = 2 * MOST
"""Without an index the newest are kept, and some more until they are trimmed."""


def clearing_changes(store: Store, scope: Scope, document_ids: Collection[str], limit: int) -> list[Change]:
    """Up to `limit` changes that delete the fresh documents of these ids, the oldest first. What was written together
    with others goes with the last of them."""
    rows = FRESH.within(store, scope)
    fresh = islice(rows.every(page=500), _READ)
    left = (rows.delete(each.id) for each in fresh if _all_in(each, document_ids))
    return list(islice(left, limit))


def _all_in(fresh: FreshDocument, document_ids: Collection[str]) -> bool:
    return all(each.document.id in document_ids for each in fresh.parsed)
