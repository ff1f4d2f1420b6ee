"""Stored records of entities, and how an entity is kept. Instants are milliseconds since 1970.

P#<tenant>#<project>#entities#<kind>   <normal>   EntityRecord
P#<tenant>#<project>#entity_turns      <turn>     TurnEntities
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from almanac.content.entities import Kind, entities
from almanac.platform.store.records import Place, Table, VersionedRecord

TURN_REWRITTEN = "turn_rewritten"
"""The event by which a turn is counted anew: who writes another content into a turn tells it, with its `turn_id`."""
MAX_OF_A_TURN = 40
"""Two versions of a turn then still fit into one write."""
MAX_KEPT_TURNS = 40
NORMAL_BYTES = 240
SEGMENT_BYTES = 80
TEXT_CHARACTERS = 256
_SEPARATORS = ("/", ".", "::", "->", "#", "\\")


class Mention(Struct, frozen=True):
    """A turn that names an entity, and when that was."""

    turn: str
    at: int


class EntityRecord(VersionedRecord, frozen=True, kw_only=True):
    """`text` is how it was first written, `normal` how it is looked up. `segment` is the last part of a path or of a
    dotted name; None where it has no parts. `mentions` counts turns; `latest` are the last 40 of them, by time."""

    kind: Kind
    normal: str
    text: str
    segment: str | None
    mentions: int
    first_at: int
    last_at: int
    latest: tuple[Mention, ...]


class TurnEntities(VersionedRecord, frozen=True, kw_only=True):
    """The entities counted for a turn: kinds and normal forms. A turn without this record is not counted."""

    turn: str
    at: int
    found: tuple[tuple[str, str], ...]


ENTITIES = Table(
    EntityRecord,
    "entities",
    partition=("kind",),
    sort=("normal",),
    indexes={"gsi1": Place("entities_by_segment", partition=("kind",), sort=("segment", "normal"))},
)
TURN_ENTITIES = Table(TurnEntities, "entity_turns", sort=("turn",))


class EntityName(Struct, frozen=True):
    """An entity as one turn names it."""

    kind: Kind
    normal: str
    text: str


def named_in(text: str) -> list[EntityName]:
    """The first 40 different entities, in the order of reading."""
    found: dict[tuple[str, str], EntityName] = {}
    for each in entities(text):
        normal = within_bytes(each.normal, NORMAL_BYTES)
        if normal:
            found.setdefault((each.kind, normal), EntityName(each.kind, normal, each.text[:TEXT_CHARACTERS]))
        if len(found) == MAX_OF_A_TURN:
            break
    return list(found.values())


def segment_of(kind: str, normal: str) -> str | None:
    """The last part of a path or of a dotted name; None where it is all of it."""
    if kind == "file":
        parts = normal.rpartition("/")
    elif kind == "symbol":
        parts = max((normal.rpartition(each) for each in _SEPARATORS), key=lambda found: len(found[0]))
    else:
        return None
    return within_bytes(parts[2], SEGMENT_BYTES) or None if parts[0] or parts[1] else None


def within_bytes(text: str, most: int) -> str:
    """The beginning of `text` that a key has room for."""
    return text.encode("utf-8", "ignore")[:most].decode("utf-8", "ignore")


def with_mention(record: EntityRecord, mention: Mention) -> EntityRecord:
    latest = sorted({*record.latest, mention}, key=lambda each: (each.at, each.turn))
    return _counted(record, latest[-MAX_KEPT_TURNS:], 1, mention)


def without_mention(record: EntityRecord, mention: Mention) -> EntityRecord | None:
    """None where nothing mentions it any more."""
    if record.mentions <= 1:
        return None
    latest = [each for each in record.latest if each.turn != mention.turn]
    return _counted(record, latest, -1, mention)


def first_mention(named: EntityName, mention: Mention) -> EntityRecord:
    return EntityRecord(
        kind=named.kind,
        normal=named.normal,
        text=named.text,
        segment=segment_of(named.kind, named.normal),
        mentions=1,
        first_at=mention.at,
        last_at=mention.at,
        latest=(mention,),
    )


def _counted(record: EntityRecord, latest: Iterable[Mention], more: int, mention: Mention) -> EntityRecord:
    kept, mentions = tuple(latest), record.mentions + more
    is_whole = len(kept) == mentions
    first_at = kept[0].at if is_whole else min(record.first_at, mention.at)
    last_at = kept[-1].at if kept else record.last_at
    return replace(record, mentions=mentions, latest=kept, first_at=first_at, last_at=last_at)
