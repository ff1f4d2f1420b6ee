"""Entities as hits of a memory search, found by the same look-up as search_entities."""

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.entities.lookup import EntityLookup, FoundEntity
from almanac.families.memory.entities.query_entities import Match, forms_of
from almanac.families.memory.entities.results import entity_view
from almanac.families.memory.search.results import Hits, MemoryHit, Origin

_LIKENESS: dict[Match, float] = {"exact": 1.0, "prefix": 0.9, "part": 0.8}
_NONE = "No turn mentions such a file, symbol, error code or command. Give only how its name begins, or use mode auto."


def entity_hits(project: MemoryProject, text: str, k: int, threshold: float | None) -> Hits:
    """Return at most `k` entities whose names match `text`, without those whose similarity is below `threshold`.

    The similarity is 1.0 for an exact match, 0.9 for the beginning of a name and 0.8 for another part of it."""
    forms = forms_of(text)
    page = EntityLookup(project).find(forms, (), k) if forms is not None else None
    entities = page.entities if page is not None else ()
    hits = tuple(_hit(each) for each in entities if _LIKENESS[each.match] >= (threshold or 0.0))
    empty = None if hits else _NONE
    return Hits(hits=hits, truncated=page is not None and page.more, pending=0, empty_because=empty)


def _hit(entity: FoundEntity) -> MemoryHit:
    view, likeness = entity_view(entity), _LIKENESS[entity.match]
    return MemoryHit(
        id=f"{view.kind}:{entity.record.normal}",
        kind="entity",
        score=likeness,
        similarity=likeness,
        content=view.entity,
        source=Origin("entities", "memory"),
        at=view.last_at,
        untrusted=True,
        metadata={
            "kind": view.kind,
            "mentions": view.mentions,
            "first_at": view.first_at,
            "match": view.match,
            "turn_ids": list(view.turn_ids),
        },
        notes=view.notes,
    )
