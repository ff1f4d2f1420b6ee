"""Stored entities, and the functions that update them. Instants are milliseconds since 1970."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from almanac.content.entities import Kind, entities
from almanac.platform.store.records import Place, Table, VersionedRecord

TURN_REWRITTEN = "turn_rewritten"
"""Event that has a turn counted again. Code that changes the content of a turn sends it, with the `turn_id`."""
MAX_OF_A_TURN = 40
"""Entities counted per turn. Two versions of a turn then still fit into one write."""
MAX_KEPT_TURNS = 40
NORMAL_BYTES = 240
SEGMENT_BYTES = 80
TEXT_CHARACTERS = 256
_SEPARATORS = ("/", ".", "::", "->", "#", "\\")


class Mention(Struct, frozen=True):
    """A turn that names an entity, and its time."""

    turn: str
    at: int


class EntityRecord(VersionedRecord, frozen=True, kw_only=True):
    """An entity and the turns that name it. `text` is its first spelling, `normal` the form to look it up by. `segment`
    is the last part of a path or dotted name; None if it has no parts. `mentions` counts turns; `latest` has the last
    40, by time."""

    kind: Kind
    normal: str
    text: str
    segment: str | None
    mentions: int
    first_at: int
    last_at: int
    latest: tuple[Mention, ...]


class TurnEntities(VersionedRecord, frozen=True, kw_only=True):
    """The entities counted for a turn: kinds and normal forms. A turn without this record is not counted yet."""

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
    """An entity as one turn writes it."""

    kind: Kind
    normal: str
    text: str


def entity_names(text: str) -> list[EntityName]:
    """Return the first 40 different entities in a text, in order of appearance."""
    names: dict[tuple[str, str], EntityName] = {}
    for each in entities(text):
        normal = within_bytes(each.normal, NORMAL_BYTES)
        if normal:
            names.setdefault((each.kind, normal), EntityName(each.kind, normal, each.text[:TEXT_CHARACTERS]))
        if len(names) == MAX_OF_A_TURN:
            break
    return list(names.values())


def segment_of(kind: str, normal: str) -> str | None:
    """Return the last part of a path or dotted name; None if it has no parts."""
    if kind == "file":
        parts = normal.rpartition("/")
    elif kind == "symbol":
        parts = max((normal.rpartition(each) for each in _SEPARATORS), key=lambda found: len(found[0]))
    else:
        return None
    return within_bytes(parts[2], SEGMENT_BYTES) or None if parts[0] or parts[1] else None


def within_bytes(text: str, most: int) -> str:
    """Return the beginning of `text` that fits into `most` bytes of UTF-8."""
    return text.encode("utf-8", "ignore")[:most].decode("utf-8", "ignore")


def with_mention(record: EntityRecord, mention: Mention) -> EntityRecord:
    latest = sorted({*record.latest, mention}, key=lambda each: (each.at, each.turn))
    return _with_mentions(record, latest[-MAX_KEPT_TURNS:], 1, mention)


def without_mention(record: EntityRecord, mention: Mention) -> EntityRecord | None:
    """Return the record without this mention; None if no mention is left."""
    if record.mentions <= 1:
        return None
    latest = [each for each in record.latest if each.turn != mention.turn]
    return _with_mentions(record, latest, -1, mention)


def first_mention(name: EntityName, mention: Mention) -> EntityRecord:
    return EntityRecord(
        kind=name.kind,
        normal=name.normal,
        text=name.text,
        segment=segment_of(name.kind, name.normal),
        mentions=1,
        first_at=mention.at,
        last_at=mention.at,
        latest=(mention,),
    )


def _with_mentions(record: EntityRecord, latest: Iterable[Mention], more: int, mention: Mention) -> EntityRecord:
    latest_mentions, mentions = tuple(latest), record.mentions + more
    is_whole = len(latest_mentions) == mentions
    first_at = latest_mentions[0].at if is_whole else min(record.first_at, mention.at)
    last_at = latest_mentions[-1].at if latest_mentions else record.last_at
    return replace(record, mentions=mentions, latest=latest_mentions, first_at=first_at, last_at=last_at)
