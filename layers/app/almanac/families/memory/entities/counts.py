"""Count the turns that name each entity, in a reaction to events of turns.

The reaction uses only the turn's id from the event. It compares the stored counts with the current text of the turn, so
events may arrive twice, late or out of order.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace as with_fields

from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED, TURN_RECORDED
from almanac.families.memory.core.memory import system_memory
from almanac.families.memory.core.records import TURNS, Turn, is_remembered
from almanac.families.memory.entities.records import (
    ENTITIES,
    TURN_ENTITIES,
    TURN_REWRITTEN,
    EntityName,
    EntityRecord,
    Mention,
    TurnEntities,
    entity_names,
    first_mention,
    with_mention,
    without_mention,
)
from almanac.kernel.events import Event
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change
from almanac.platform.store.records import Rows, replace

Key = tuple[str, str]
"""Kind and normal form of an entity."""


class Difference(Struct, frozen=True):
    """The entities of a turn that the counts lack (`added`), and those to remove from them (`dropped`)."""

    mention: Mention
    added: Sequence[EntityName]
    dropped: Sequence[Key]


def update_counts(event: Event, services: Services) -> Sequence[Change]:
    """Return the changes that update the counts for the turn of an event."""
    turn_id = event.payload.get("turn_id") or event.payload.get("memory_id")
    if not isinstance(turn_id, str):
        return ()
    project = system_memory(services, event.scope)
    turn, stored = project.rows(TURNS).get(turn_id), project.rows(TURN_ENTITIES).get(turn_id)
    difference = difference_of(turn, stored, project.now())
    if difference is None:
        return ()
    changes = _entity_changes(project.rows(ENTITIES), difference)
    return [*changes, _turn_change(project.rows(TURN_ENTITIES), stored, difference)]


_EVENTS = frozenset([TURN_RECORDED, MEMORY_FORGOTTEN, MEMORY_RESTORED, TURN_REWRITTEN])
COUNT = Reaction("memory.count_entities", _EVENTS, update_counts, repeatable=True)


def difference_of(turn: Turn | None, stored: TurnEntities | None, now: int) -> Difference | None:
    """Return the difference between the entities that a turn names and those counted for it; None if they are equal.

    A forgotten turn names no entities."""
    names = entity_names(turn.content) if turn is not None and is_remembered(turn, now) else []
    before = stored.found if stored is not None else ()
    added = [each for each in names if (each.kind, each.normal) not in before]
    dropped = sorted(set(before) - {(each.kind, each.normal) for each in names})
    if turn is not None and (added or dropped):
        return Difference(Mention(turn.id, turn.at), added, dropped)
    return Difference(Mention(stored.turn, stored.at), (), dropped) if stored is not None and dropped else None


def _entity_changes(rows: Rows[EntityRecord], difference: Difference) -> list[Change]:
    added = [(each.kind, each.normal) for each in difference.added]
    stored = dict(zip(keys := [*added, *difference.dropped], rows.get_many(keys), strict=True))
    changes = [_add_change(rows, stored[each.kind, each.normal], each, difference.mention) for each in difference.added]
    dropped = [record for key in difference.dropped if (record := stored[key]) is not None]
    return changes + [_drop_change(rows, each, difference.mention) for each in dropped]


def _add_change(rows: Rows[EntityRecord], stored: EntityRecord | None, name: EntityName, mention: Mention) -> Change:
    return rows.insert(first_mention(name, mention)) if stored is None else replace(rows, with_mention(stored, mention))


def _drop_change(rows: Rows[EntityRecord], stored: EntityRecord, mention: Mention) -> Change:
    remaining = without_mention(stored, mention)
    if remaining is None:
        return rows.delete(stored.kind, stored.normal, condition=Equals("version", stored.version))
    return replace(rows, remaining)


def _turn_change(rows: Rows[TurnEntities], stored: TurnEntities | None, difference: Difference) -> Change:
    """Return the change that records the counted entities of a turn.

    If another process has counted the same turn, the write fails and the reaction runs again."""
    added = [(each.kind, each.normal) for each in difference.added]
    if stored is None:
        return rows.insert(TurnEntities(turn=difference.mention.turn, at=difference.mention.at, found=tuple(added)))
    keys = (*(each for each in stored.found if each not in difference.dropped), *added)
    if not keys:
        return rows.delete(stored.turn, condition=Equals("version", stored.version))
    return replace(rows, with_fields(stored, found=keys))
