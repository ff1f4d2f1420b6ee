"""Read the contents of a snapshot from the store in bounded pages, newest first."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from almanac.families.memory.candidates.records import CANDIDATES, Candidate, Status
from almanac.families.memory.core.history import was_shown
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, MemoryKind, Turn, is_readable, is_remembered
from almanac.families.memory.memories.time_travel import Past, past_of
from almanac.families.memory.memories.versions import version_at
from almanac.families.team.core.records import Broadcast
from almanac.families.team.messages.broadcasts import page

MOST_TURNS = 50
_TALK_TURNS = 300
"""Most turns that are read for current statements."""
MOST_PENDING = 100
_SESSION_TURNS = 40
"""Most turns of the caller's session. The remaining turns are from other sessions."""
_MOST_MEMORIES = 300
_PAGE = 50
_MOST_RECORDS = 1000
"""Most records that are read, including the forgotten ones and those from after `as_of`, which are skipped."""
_LEAST_BYTES = 64 * 1024
_TURN_BYTES = 1024 * 1024
"""Most bytes of turns that are read, as many as a page of the store holds."""

R = TypeVar("R", Turn, Memory)


class Reader:
    """Reads the remembered records that existed at `as_of`, or exist now if `as_of` is None.

    It reads no more than an answer of `max_tokens` could use."""

    def __init__(self, project: MemoryProject, as_of: int | None, max_tokens: int) -> None:
        self._project = project
        self._as_of = as_of
        self._bytes = max(_LEAST_BYTES, 8 * max_tokens)
        self._now = project.now()
        self._past = Past() if as_of is None else past_of(project, as_of)
        self._lost = set(self._past.lost)
        self.more: list[str] = []

    def memories(self, kind: MemoryKind, called: str) -> list[Memory]:
        """Return the memories of a kind. `called` is the plural name of the kind, for a note that there are more."""
        rows = self._project.rows(MEMORIES).every(kind, until=self._until, index="gsi1", reverse=True, page=_PAGE)
        memories, size = list[Memory](), 0
        for memory in self._memories_of_kind(kind, rows, called):
            memories.append(memory)
            size += len(memory.content)
            if len(memories) == _MOST_MEMORIES or size > self._bytes:
                self.more.append(called)
                break
        return memories

    @property
    def cut(self) -> bool:
        """Return whether more memories changed after `as_of` than are read."""
        return self._past.cut

    @property
    def ids_of_lost_texts(self) -> frozenset[str]:
        """Return the ids of memories that had another text at `as_of`, which is no longer stored."""
        return frozenset(self._lost)

    def _memories_of_kind(self, kind: MemoryKind, rows: Iterator[Memory], called: str) -> Iterator[Memory]:
        """Yield the memories of a kind as they were at `as_of`.

        For memories that have changed kind or were promoted since then, it yields their stored past versions."""
        if self._as_of is None:
            yield from self._visible_rows(rows, called)
            return
        past = {memory.id: memory for memory in self._past.memories.values()}
        yield from (memory for memory in past.values() if memory.kind == kind)
        for passed, record in enumerate(rows):
            if passed == _MOST_RECORDS:
                self.more.append(called)
                return
            if record.id in self._past.changed or not is_readable(record, self._now):
                continue
            version = version_at(self._project, record, self._as_of)
            if isinstance(version, Memory):
                yield version
            elif version is not None:
                self._lost.add(version.id)

    def talk(self) -> list[Turn]:
        """Return the latest turns of all sessions, latest first."""
        latest = self._project.rows(TURNS).every(until=self._until, index="gsi1", reverse=True, page=_TALK_TURNS)
        return sorted(self._take_turns(latest, _TALK_TURNS).values(), key=lambda turn: (turn.at, turn.id), reverse=True)

    def turns(self, session: str | None, talk: Sequence[Turn]) -> list[Turn]:
        """Return the latest turns of `session`, followed by the latest other turns of `talk`."""
        own: dict[str, Turn] = {}
        if session is not None:
            of_session = self._project.rows(TURNS).every(session, index="gsi2", reverse=True, page=_SESSION_TURNS)
            own = self._take_turns(of_session, _SESSION_TURNS)
        others = [turn for turn in talk if turn.id not in own]
        return [*own.values(), *others[: MOST_TURNS - len(own)]]

    def list_pending(self) -> list[Candidate]:
        """Return the candidates that wait for a review, newest first."""
        return self._candidates("pending")

    def digests_of_rejected(self) -> frozenset[str]:
        """Return the digests that identify the statements of the latest rejected candidates."""
        return frozenset(one.statement for one in self._candidates("rejected"))

    def _candidates(self, status: Status) -> list[Candidate]:
        rows = self._project.rows(CANDIDATES)
        return list(rows.query(status, index="gsi1", reverse=True, limit=MOST_PENDING).records)

    def broadcasts(self) -> list[Broadcast]:
        """Return the current broadcasts, the latest first."""
        broadcasts, next_page = page(self._project.store, self._project.scope, None, self._now)
        if next_page is not None:
            self.more.append("broadcasts")
        return sorted(broadcasts, key=lambda broadcast: (-broadcast.updated_at, broadcast.key))

    @property
    def _until(self) -> int | None:
        return None if self._as_of is None else self._as_of + 1

    def _take_turns(self, rows: Iterator[Turn], most: int) -> dict[str, Turn]:
        turns: dict[str, Turn] = {}
        size = 0
        for turn in self._visible_rows(rows, "turns"):
            turns[turn.id] = turn
            size += len(turn.content)
            if size > _TURN_BYTES:
                self.more.append("turns")
                break
            if len(turns) == most:
                break
        return turns

    def _visible_rows(self, rows: Iterator[R], called: str) -> Iterator[R]:
        for passed, record in enumerate(rows):
            if passed == _MOST_RECORDS:
                self.more.append(called)
                return
            existed = self._as_of is None or was_shown(record, self._as_of)
            if existed and is_remembered(record, self._now):
                yield record
