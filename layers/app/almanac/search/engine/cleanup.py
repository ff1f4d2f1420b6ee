"""Cleanup of the remains of permanently deleted documents.

With an index, fresh documents are deleted as soon as the index has them. Without one, search reads the fresh documents
themselves, and earlier versions of a document remain behind its removal, with their texts.
"""

from collections.abc import Collection
from itertools import islice

from almanac.kernel.caller import Scope
from almanac.platform.store.port import Change, Store
from almanac.search.engine.fresh import MOST
from almanac.search.engine.records import FRESH, FreshDocument

_READ = 2 * MOST
"""Number of fresh documents to read. Without an index the newest are kept, and some more until they are trimmed."""


def cleanup_changes(store: Store, scope: Scope, document_ids: Collection[str], limit: int) -> list[Change]:
    """Return up to `limit` changes that delete the fresh documents of these ids, the oldest first.

    A batch is deleted once every document in it is.
    """
    rows = FRESH.within(store, scope)
    fresh = islice(rows.every(page=500), _READ)
    left = (rows.delete(each.id) for each in fresh if _all_in(each, document_ids))
    return list(islice(left, limit))


def _all_in(fresh: FreshDocument, document_ids: Collection[str]) -> bool:
    return all(each.document.id in document_ids for each in fresh.writes)
