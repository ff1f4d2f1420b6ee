"""The later pass of the model that reads whole texts: a second of it for each project, as long as documents lack it."""

import time
from collections.abc import Callable, Iterator, Sequence

from almanac.kernel.caller import Scope
from almanac.platform.declaration.jobs import Job
from almanac.platform.search.engine.parts import Indexing
from almanac.platform.search.engine.records import FRESH
from almanac.platform.search.port import Context, Document, Held
from almanac.platform.services import Services
from almanac.platform.store.port import Store

SECONDS = 1.0
"""What a round may compute for one project."""
_LOOKED_AT = 100
_AT_ONCE = 8
BUSY = 8
"""So many writes that the index does not have yet: what is to be found by its words at all comes first."""


def enrich(services: Services, scope: Scope, monotonic: Callable[[], float] = time.monotonic) -> int:
    """Add contexts to the newest documents without; returns how many were looked at, none while the index is behind."""
    indexing = services.get(Indexing)
    if indexing.index is None or indexing.model is None:
        return 0
    lacking = indexing.index.lacking(scope, _LOOKED_AT)
    # Contexts follow the word pieces, which are of the table. Whoever has nothing to do opens neither it nor the model.
    if not lacking or not indexing.vectors_of() or (model := indexing.model()) is None:
        return 0
    if _is_behind(services, scope):
        return 0
    began, done = monotonic(), 0
    contexts: list[Context] = []
    for some in _in_batches(lacking):
        documents = _as_held(indexing, services, scope, some)
        contexts += indexing.deriver().context(documents, model)
        done += len(some)
        if monotonic() - began >= SECONDS:
            break
    # At once: each write has whoever searches look for what is new.
    indexing.index.enrich(scope, contexts)
    return done


ENRICH = Job("search.enrich", 2, enrich, everywhere=True)


def _is_behind(services: Services, scope: Scope) -> bool:
    newest = FRESH.within(services.get(Store), scope).query(reverse=True, limit=BUSY).records
    return len(newest) == BUSY and not any(each.visible_at for each in newest)


def _as_held(indexing: Indexing, services: Services, scope: Scope, some: Sequence[Held]) -> list[Document]:
    """The documents, of the versions that the index has: what was written since has an event of its own."""
    versions = {each.id: each.version for each in some}
    found = [each for one in indexing.sources.values() for each in one.read(services, scope, list(versions))]
    return [each for each in found if each.version == versions[each.id]]


def _in_batches(lacking: Sequence[Held]) -> Iterator[Sequence[Held]]:
    return (lacking[start : start + _AT_ONCE] for start in range(0, len(lacking), _AT_ONCE))
