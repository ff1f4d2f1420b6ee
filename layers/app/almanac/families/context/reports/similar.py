"""Search by meaning for errors similar to a reported one."""

from msgspec import Struct

from almanac.families.context.core.context import Context, LayerMemory
from almanac.families.context.core.types import KEPT_KINDS, Layer
from almanac.families.context.core.views import instant_text
from almanac.families.context.reports.dedupe import times_of
from almanac.families.memory.core.documents import TYPE_FIELD
from almanac.families.memory.core.records import is_remembered
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.kernel.errors import AlmanacError
from almanac.search.port import Filters
from almanac.search.questions.port import Hit, Search, SearchRequest

THRESHOLD = 0.7
"""The default threshold of context_recall. It selects similar errors, not merely related ones."""
MOST = 5
_ASKED_CHARACTERS = 1000
_CHARACTERS = 400


class SimilarError(Struct, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    """`created_at` is ISO 8601 text in UTC, `occurrences` counts its reports. `notes` tell what in it looks like
    instructions."""

    id: str
    content: str
    similarity: float
    layer: Layer
    created_at: str
    occurrences: int = 1
    cut: bool = False
    notes: tuple[str, ...] = ()


class Similar(Struct, frozen=True):
    """Similar errors, the most similar first, at most 5. `latest`, in milliseconds since 1970, is when the last of them
    was stored; None without any. `answered` is false if search failed."""

    errors: tuple[SimilarError, ...] = ()
    latest: int | None = None
    answered: bool = True


def similar_errors(context: Context, search: Search, error: str, own_id: str) -> Similar:
    request = SearchRequest(
        text=error[:_ASKED_CHARACTERS],
        profile="talk",
        filters=Filters(kinds=KEPT_KINDS, fields={TYPE_FIELD: "bug_fix"}, except_ids=frozenset([own_id])),
        limit=MOST,
        threshold=THRESHOLD,
    )
    try:
        hits = [hit for project in context.projects for hit in search.search(project.scope, request).hits]
        best = sorted(hits, key=lambda hit: -hit.similarity)[:MOST]
        held = context.find_many([hit.id for hit in best])
    except AlmanacError:  # the error is already stored, so the call must not fail
        return Similar(answered=False)
    now = context.now()
    found = [(hit, held[hit.id]) for hit in best if hit.id in held and is_remembered(held[hit.id].memory, now)]
    latest = max((one.memory.at for _, one in found), default=None)
    return Similar(tuple(_similar_error(hit, one) for hit, one in found), latest)


def _similar_error(hit: Hit, held: LayerMemory) -> SimilarError:
    quoting = TextQuoter()
    content = quoting.text("content", held.memory.content)
    return SimilarError(
        id=held.memory.id,
        content=content[:_CHARACTERS],
        similarity=round(hit.similarity, 2),
        layer=held.layer,
        created_at=instant_text(held.memory.at),
        occurrences=times_of(held.memory),
        cut=len(content) > _CHARACTERS,
        notes=quoting.notes,
    )
