"""Look entities up by name, including those of turns whose events are not processed yet."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from almanac.content.entities import Kind
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import TURNS
from almanac.families.memory.entities.counts import Difference, Key, difference_of
from almanac.families.memory.entities.query_entities import MATCHES, Forms, Match, match_of
from almanac.families.memory.entities.records import (
    ENTITIES,
    TURN_ENTITIES,
    EntityRecord,
    first_mention,
    segment_of,
    with_mention,
    without_mention,
)
from almanac.platform.store.keys import past

KINDS: tuple[Kind, ...] = ("symbol", "file", "error_code", "command", "url", "ticket")
IN_PARTS: tuple[Kind, ...] = ("file", "symbol")
LATEST_TURNS = 50
READ_CHARACTERS = 200_000
"""Most characters of the latest turns that a lookup reads for entities, which takes about 50 ms."""
_PAGE = 200
_LOOKED_THROUGH = 1000


class FoundEntity(Struct, frozen=True):
    match: Match
    record: EntityRecord


class FoundEntities(Struct, frozen=True):
    """Entities in the order of their match, then of their mentions. `more`: there are others."""

    entities: Sequence[FoundEntity]
    more: bool


class EntityLookup:
    """Looks entities up in one project, for one call."""

    def __init__(self, project: MemoryProject) -> None:
        self._project = project
        self._rows = project.rows(ENTITIES)
        self._is_cut = False

    def find(self, forms: Forms, kinds: Sequence[Kind], most: int) -> FoundEntities:
        all_kinds = kinds or KINDS
        differences = self._differences()
        stored = {(each.kind, each.normal): each for each in self._list_stored(forms, all_kinds)}
        matches = self._current_matches(stored, differences, forms, all_kinds)
        if not matches:
            stored = {(each.kind, each.normal): each for each in self._list_by_part(forms, all_kinds)}
            matches = self._current_matches(stored, differences, forms, all_kinds)
        best = sorted(matches, key=_sort_key)
        return FoundEntities(best[:most], self._is_cut or len(best) > most)

    def is_empty(self) -> bool:
        """Return whether no turn names an entity yet."""
        is_counted = any(self._rows.query(kind, limit=1).records for kind in KINDS)
        return not is_counted and not any(each.added for each in self._differences())

    def _list_stored(self, forms: Forms, kinds: Sequence[Kind]) -> Iterator[EntityRecord]:
        exact = self._rows.get_many([(kind, form) for kind in kinds for form in forms.exact])
        yield from (each for each in exact if each is not None)
        for kind in kinds:
            yield from self._page(self._rows.every(kind, since=forms.begin, until=past(forms.begin), page=_PAGE), _PAGE)
            if kind in IN_PARTS:
                last = segment_of(kind, forms.begin) or forms.begin
                parts = self._rows.every(kind, index="gsi1", since=last, until=past(last), page=_PAGE)
                yield from self._page(parts, _PAGE)

    def _list_by_part(self, forms: Forms, kinds: Sequence[Kind]) -> Iterator[EntityRecord]:
        """Yield entities that have the query in the middle of a path or name.

        No index finds these, so only the first thousand entities are checked."""
        for kind in IN_PARTS:
            if kind in kinds:
                every = self._page(self._rows.every(kind, page=_LOOKED_THROUGH), _LOOKED_THROUGH)
                yield from (each for each in every if match_of(kind, each.normal, forms))

    def _page(self, records: Iterable[EntityRecord], most: int) -> Iterator[EntityRecord]:
        page = list(islice(records, most + 1))
        self._is_cut |= len(page) > most
        yield from page[:most]

    def _differences(self) -> list[Difference]:
        """Return the differences between the latest turns and their counts."""
        turns = self._project.rows(TURNS).query(reverse=True, limit=LATEST_TURNS).records
        counted_turns = self._project.rows(TURN_ENTITIES).by_id(each.id for each in turns)
        now, characters_left = self._project.now(), READ_CHARACTERS
        differences: list[Difference | None] = []
        for turn in turns:
            stored = counted_turns.get(turn.id)
            # The counts of a turn stay correct until it is forgotten.
            if stored is None and turn.forgotten_at is None and characters_left > 0:
                characters_left -= len(turn.content)
                differences.append(difference_of(turn, None, now))
            elif stored is not None and turn.forgotten_at is not None:
                differences.append(difference_of(turn, stored, now))
        return [each for each in differences if each is not None]

    def _current_matches(
        self, stored: Mapping[Key, EntityRecord], differences: Sequence[Difference], forms: Forms, kinds: Sequence[Kind]
    ) -> list[FoundEntity]:
        records: dict[Key, EntityRecord | None] = dict(stored)
        added = {
            (matching_keys.kind, matching_keys.normal)
            for each in differences
            for matching_keys in each.added
            if matching_keys.kind in kinds
        }
        matching_keys = [key for key in added if match_of(*key, forms)]
        records |= zip(matching_keys, self._rows.get_many(matching_keys), strict=True)
        for difference in differences:
            _apply(records, difference)
        current = [each for each in records.values() if each is not None]
        return [FoundEntity(match, each) for each in current if (match := match_of(each.kind, each.normal, forms))]


def _apply(records: dict[Key, EntityRecord | None], difference: Difference) -> None:
    """Apply a difference to the records that the lookup already read."""
    for each in difference.added:
        key = (each.kind, each.normal)
        if key in records:
            record = records[key]
            mention = difference.mention
            records[key] = first_mention(each, mention) if record is None else with_mention(record, mention)
    for key in difference.dropped:
        if (record := records.get(key)) is not None:
            records[key] = without_mention(record, difference.mention)


def _sort_key(entity: FoundEntity) -> tuple[int, int, int, str, str]:
    record = entity.record
    return (MATCHES.index(entity.match), -record.mentions, -record.last_at, record.kind, record.normal)
