"""Results of search_entities. Instants are milliseconds since 1970."""

from msgspec import Struct

from almanac.content.entities import Kind
from almanac.families.memory.entities.lookup import FoundEntity
from almanac.families.memory.entities.query_entities import Match
from almanac.families.team.core.quoted_texts import TextQuoter

SHOWN_TURNS = 20


class EntityView(Struct, frozen=True, omit_defaults=True):
    """`entity` in its first spelling. `mentions` counts the turns that name it; `turn_ids` are the last 20, newest
    first. `match`: how it fits the query; "part" is a later part of a path or name. `notes`: suspicious or removed
    parts.
    """

    kind: Kind
    entity: str
    mentions: int
    first_at: int
    last_at: int
    turn_ids: tuple[str, ...]
    match: Match
    notes: tuple[str, ...] = ()


class Entities(Struct, frozen=True, omit_defaults=True):
    """Exact matches first, then names that begin with the query, then parts of names; within each, the most mentioned
    first. `truncated`: there are more than k. `empty_because`: why there is none, and which call to make next.
    `untrusted`: others wrote the names.
    """

    entities: tuple[EntityView, ...]
    truncated: bool
    untrusted: bool
    empty_because: str | None = None


def entity_view(entity: FoundEntity) -> EntityView:
    record, quoting = entity.record, TextQuoter()
    turns = [each.turn for each in reversed(record.latest)]
    return EntityView(
        kind=record.kind,
        entity=quoting.text("entity", record.text),
        mentions=record.mentions,
        first_at=record.first_at,
        last_at=record.last_at,
        turn_ids=tuple(turns[:SHOWN_TURNS]),
        match=entity.match,
        notes=quoting.notes,
    )
