"""The later pass of the model that reads whole texts: a second of it for each project, as long as documents lack it."""

import time
from collections.abc import Callable, Iterator, Sequence

from almanac.kernel.caller import Scope
from almanac.platform.declaration.jobs import Job
from almanac.platform.search.engine.parts import Indexing
from almanac.platform.search.port import Document, Held
from almanac.platform.services import Services

SECONDS = 1.0
"""What a round may compute for one project."""
_LOOKED_AT = 100
_AT_ONCE = 8


def enrich(services: Services, scope: Scope, monotonic: Callable[[], float] = time.monotonic) -> int:
    """Add contexts to the newest documents without; returns how many were looked at."""
    indexing = services.get(Indexing)
    # Contexts follow the word pieces, which are of the table.
    if indexing.index is None or not indexing.vectors_of() or (model := indexing.model()) is None:
        return 0
    began, done = monotonic(), 0
    for some in _in_batches(indexing.index.lacking(scope, _LOOKED_AT)):
        documents = _as_held(indexing, services, scope, some)
        indexing.index.enrich(scope, indexing.deriver().context(documents, model))
        done += len(some)
        if monotonic() - began >= SECONDS:
            break
    return done


ENRICH = Job("search.enrich", 3, enrich)


def _as_held(indexing: Indexing, services: Services, scope: Scope, some: Sequence[Held]) -> list[Document]:
    """The documents, of the versions that the index has: what was written since has an event of its own."""
    versions = {each.id: each.version for each in some}
    found = [each for one in indexing.sources.values() for each in one.read(services, scope, list(versions))]
    return [each for each in found if each.version == versions[each.id]]


def _in_batches(lacking: Sequence[Held]) -> Iterator[Sequence[Held]]:
    return (lacking[start : start + _AT_ONCE] for start in range(0, len(lacking), _AT_ONCE))
