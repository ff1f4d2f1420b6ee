"""Build the hits of an answer, with texts quoted as data and cut if the answer would grow too long."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.core.speakers import others_words
from almanac.families.memory.search.contents import Contents
from almanac.families.memory.search.kinds import family_of, mode_of
from almanac.families.memory.search.results import MemoryHit, NeighbourTurn, Origin
from almanac.families.memory.search.rounds import Match
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.platform.declaration.known_facts import KnownFact
from almanac.search.port import Document
from almanac.search.questions.port import Hit

CHARACTERS = 4_000
CHARACTERS_IN_ALL = 120_000
FEWEST = 200
"""Characters of each content that are shown even if the answer has no room left."""
METADATA_CHARACTERS = 4_000
_READ_AT_ONCE = 100

SalienceOf = Callable[[Memory], float]


REPLACED = "A later statement seems to replace this: {}."


class Room:
    """Counts the characters that the answer still has room for."""

    def __init__(self, characters: int = CHARACTERS_IN_ALL) -> None:
        self._left = characters

    @property
    def is_used_up(self) -> bool:
        return self._left <= 0

    def take(self, text: str) -> str:
        """Return the beginning of `text` to show, and count it."""
        beginning = text[: min(CHARACTERS, max(FEWEST, self._left))]
        self._left -= len(beginning)
        return beginning

    def takes(self, characters: int) -> bool:
        """Return whether an indivisible value of this size still fits, and count it if so."""
        fits = characters <= min(METADATA_CHARACTERS, self._left)
        self._left -= characters if fits else 0
        return fits


class MemoryHitBuilder:
    """Builds the hits of one answer from search matches. `salience_of` returns a memory's current salience."""

    def __init__(self, contents: Contents, salience_of: SalienceOf) -> None:
        self._contents = contents
        self._salience_of = salience_of
        self._room = Room()

    def hits(self, matches: Sequence[Match]) -> tuple[MemoryHit, ...]:
        """Return a hit for each match, in the same order, with the neighbouring turns that the search names."""
        built = [self._hit(match) for match in matches]
        neighbours = [each for match in matches for each in (*match.hit.before, *match.hit.after)]
        if not neighbours:
            return tuple(built)
        turns = self._turns(neighbours)
        return tuple(
            _with_neighbours(memory_hit, match.hit, turns) for memory_hit, match in zip(built, matches, strict=True)
        )

    def _hit(self, match: Match) -> MemoryHit:
        hit, content, quoting = match.hit, match.content, TextQuoter()
        if isinstance(content, Document):
            return self._document(hit, content, quoting)
        if isinstance(content, KnownFact):
            return self._fact(hit, content, quoting)
        text = self._room.take(content.content)
        metadata: dict[str, Any] = {}
        if self._has_room(content.metadata):
            metadata = quoting.json("metadata", content.metadata)
        is_turn = isinstance(content, Turn)
        return MemoryHit(
            id=content.id,
            kind=hit.kind,
            score=round(hit.score, 4),
            similarity=round(hit.similarity, 4),
            content=quoting.text("content", text, others_words(text, hit.kind)),
            source=_origin(hit.kind, "talk"),
            at=content.at,
            untrusted=True,
            session_id=content.session,
            actor=content.actor,
            tool=quoting.optional_text("tool", content.tool),
            role=content.role if is_turn else None,
            speaker=quoting.optional_text("speaker", content.speaker) if is_turn else None,
            tags=tuple(quoting.json("tags", list(content.tags))),
            metadata=metadata,
            salience=None if is_turn else round(self._salience_of(content), 4),
            redacted=content.redacted,
            why=_why(hit),
            cut=len(text) < len(content.content) or metadata.keys() != content.metadata.keys(),
            shared=match.shared,
            notes=(*quoting.notes, *([REPLACED.format(match.replaced_by)] if match.replaced_by else [])),
        )

    def _document(self, hit: Hit, document: Document, quoting: TextQuoter) -> MemoryHit:
        text = self._room.take(document.text)
        return MemoryHit(
            id=document.known_as or document.id,
            kind=hit.kind,
            score=round(hit.score, 4),
            similarity=round(hit.similarity, 4),
            content=quoting.text("content", text),
            source=_origin(hit.kind, document.profile),
            at=document.at,
            untrusted=True,
            title=quoting.text("title", _title(document)) or None,
            tags=tuple(quoting.json("tags", list(document.tags))),
            metadata=quoting.json("metadata", dict(document.details)) if document.details else {},
            why=_why(hit),
            cut=len(text) < len(document.text),
            notes=quoting.notes,
        )

    def _fact(self, hit: Hit, fact: KnownFact, quoting: TextQuoter) -> MemoryHit:
        text = self._room.take(fact.sentence)
        return MemoryHit(
            id=fact.id,
            kind=hit.kind,
            score=round(hit.score, 4),
            similarity=round(hit.similarity, 4),
            content=quoting.text("content", text),
            source=_origin(hit.kind, "documents"),
            at=fact.at,
            untrusted=True,
            actor=fact.actor,
            tool=quoting.optional_text("tool", fact.tool),
            metadata={"valid_from": fact.start, "valid_to": fact.end},
            redacted=fact.redacted,
            why=_why(hit),
            cut=len(text) < len(fact.sentence),
            notes=quoting.notes,
        )

    def _has_room(self, metadata: dict[str, Any]) -> bool:
        return bool(metadata) and self._room.takes(len(msgspec.json.encode(metadata)))

    def _turns(self, ids: Sequence[str]) -> dict[str, NeighbourTurn | None]:
        """Return the neighbouring turns by id, filling the room in the order of the hits; None where no room is left.

        Turns that were forgotten are absent."""
        neighbours: dict[str, NeighbourTurn | None] = {}
        unique_ids = list(dict.fromkeys(ids))
        for start in range(0, len(unique_ids), _READ_AT_ONCE):
            batch = unique_ids[start : start + _READ_AT_ONCE]
            if self._room.is_used_up:
                neighbours |= dict.fromkeys(batch)
                continue
            turns = self._contents.turns(batch)
            neighbours |= {each: self._neighbour(turns[each]) for each in batch if each in turns}
        return neighbours

    def _neighbour(self, turn: Turn) -> NeighbourTurn | None:
        if self._room.is_used_up:
            return None
        text = self._room.take(turn.content)
        quoting = TextQuoter()
        speaker = quoting.optional_text("speaker", turn.speaker)
        return NeighbourTurn(
            turn.id, turn.at, turn.role, quoting.text("content", text), speaker, cut=len(text) < len(turn.content)
        )


def _with_neighbours(memory_hit: MemoryHit, hit: Hit, turns: dict[str, NeighbourTurn | None]) -> MemoryHit:
    before, after = ([turns[each] for each in side if each in turns] for side in (hit.before, hit.after))
    return msgspec.structs.replace(
        memory_hit,
        before=tuple(each for each in before if each is not None),
        after=tuple(each for each in after if each is not None),
        cut=memory_hit.cut or None in before or None in after,
    )


def _title(document: Document) -> str:
    """Return the title of a document. The title of code begins with its location: src/auth.py:7-9 Session.refresh."""
    path, lines = document.fields.get("path"), document.fields.get("lines")
    return f"{path}:{lines} {document.title}" if path and lines else document.title


def _origin(kind: str, profile: str) -> Origin:
    return Origin(mode_of(kind, profile), family_of(kind, profile))


def _why(hit: Hit) -> dict[str, Any] | None:
    return None if hit.why is None else _round_numbers(msgspec.to_builtins(hit.why))


def _round_numbers(value: Any) -> Any:
    """Return the same JSON with numbers rounded to four decimal places."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, list):
        return [_round_numbers(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: _round_numbers(each) for name, each in cast("dict[str, Any]", value).items()}
    return value
