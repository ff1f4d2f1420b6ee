"""Plan one write of turns: record new turns, and find turns that were recorded before.

A turn with a client_turn_id is identified by that id alone. A turn without such an id counts as recorded only if a call
repeats the turns that its actor recorded last in the session, in the same order and within ten minutes. A client does
this when it received no answer and sends its call again. A "yes" to another question is a new turn.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from almanac.families.memory.core.event_kinds import TURN_RECORDED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import (
    RECENT_TURNS,
    REPLAYS,
    SESSIONS,
    RecentTurn,
    RecentTurns,
    SentTurn,
    Session,
    Step,
    Turn,
    TurnReplay,
)
from almanac.families.memory.memories.event_payloads import preview_of
from almanac.families.memory.turns.claim_checks import ClaimChecks
from almanac.families.memory.turns.prior_records import NO_SESSION, PriorRecords
from almanac.families.memory.turns.replays import (
    KEPT,
    REPEATED_MS,
    drop_unrepeatable,
    make_sent_turn,
    repeatable_turns,
    shorten_digest,
)
from almanac.families.memory.turns.turn_input import ValidatedTurn
from almanac.kernel.ids import ulid
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.conditions import Absent, Condition, Equals
from almanac.platform.store.port import Change, Put

VIOLATION = "claim_violation"
EVENT_PART_BYTES = 4 * 1024
"""Maximum size of metadata, and of tags, in an event. An event has room for 16 KB."""
DUE_MS = 600_000
"""Delay after the first turn that is not summarised."""
_KEPT_MS = 86_400_000


class RecordedTurn(Struct, frozen=True):
    """The outcome of recording a turn. `deduped`: it was recorded before as `turn_id`.

    `forgotten`: that turn has been forgotten since. `notes` say how Almanac read the turn."""

    turn_id: str
    deduped: bool
    violation: Mapping[str, Any] | None = None
    redacted: tuple[str, ...] = ()
    forgotten: bool = False
    notes: tuple[str, ...] = ()


class Call(Struct, frozen=True):
    """The digests of a call's turns in one session. This write takes those from `start` on.

    `ends` are the positions at which this write and the later ones end. An interrupted call has recorded its turns up
    to one of these."""

    digests: Sequence[str]
    start: int
    ends: Sequence[int]


class RecentWrite(Struct):
    """The actor's recent turns without a session, including those of this write, and the condition of the write."""

    recent: RecentTurns
    condition: Condition


class SessionWrite(Struct):
    """A session with the turns of this write, and the condition of the write."""

    session: Session
    condition: Condition | None


class Plan:
    """The changes of one write of turns.

    `caused_by` is the event of the rule that records these turns; their own events repeat it. `made` are changes that
    earlier actions of that rule add to the same write."""

    def __init__(
        self,
        project: MemoryProject,
        prior: PriorRecords,
        *,
        caused_by: Mapping[str, Any] | None = None,
        made: Sequence[Change] = (),
    ) -> None:
        self._project = project
        self._prior = prior
        self._now = project.now()
        self._gates = ClaimChecks(project)
        self._caused_by = caused_by
        self._changes: list[Change] = []
        self._recent: RecentWrite | None = None
        self._replays: dict[str, TurnReplay] = {}
        self._sessions: dict[str, SessionWrite] = {}
        self._count = self._call_start = 0
        self._take_over(made)

    @property
    def changes(self) -> list[Change]:
        """The changes of this write; none if all turns are recorded already."""
        if not self._changes:
            return []
        sessions = self._project.rows(SESSIONS)
        # The reaction to the turn schedules the summary job, so the call does not pay for it.
        puts = [sessions.put(each.session, each.condition) for each in self._sessions.values()]
        writes = [msgspec.structs.replace(put, wakes=()) for put in puts]
        if self._recent is not None:
            writes.append(self._project.rows(RECENT_TURNS).put(self._recent.recent, self._recent.condition))
        return [*self._changes, *writes, *self._gates.checks]

    def find_repeats(self, session: str | None, call: Call) -> Sequence[str | None]:
        """Return the ids of the turns that this call repeats, in the order of its write; None for each new turn."""
        self._call_start = call.start
        latest = self._latest_turns(session)
        digests = [shorten_digest(digest) for digest in call.digests]
        for end in reversed(call.ends):
            before = latest[-end:]
            if [turn.digest for turn in before] == digests[:end]:
                return [self._id_if_remembered(turn.turn) for turn in before[call.start : call.ends[0]]]
        return [None] * (call.ends[0] - call.start)

    def _latest_turns(self, session: str | None) -> list[SentTurn]:
        """Return the turns that the actor recorded last in the session; without a session if `session` is None."""
        if session is not None:
            write = self._sessions.get(session)
            session_record = write.session if write is not None else self._prior.sessions.get(session)
            return repeatable_turns(session_record, self._project.actor, self._now)
        recent = self._recent.recent if self._recent is not None else self._prior.recent.get(NO_SESSION)
        turns = recent.turns if recent is not None else ()
        return [make_sent_turn(turn.digest, turn.turn) for turn in turns if self._now - turn.at <= REPEATED_MS]

    def add(self, turn: ValidatedTurn, repeats: str | None) -> RecordedTurn:
        """Record a turn, unless its client_turn_id is known or it repeats the turn `repeats`.

        Raises the errors of `ClaimChecks.violation`."""
        if (replayed := self._find_replay(turn)) is not None:
            return replayed
        violation = self._gates.violation(turn.gate)
        same = repeats if turn.client_turn_id is None else None
        turn_id = same or self._record(turn, violation)
        if turn.client_turn_id is not None:
            self._remember_replay(turn, turn.client_turn_id, turn_id)
        return RecordedTurn(turn_id, same is not None, violation, turn.redacted_kinds, notes=turn.notes)

    def _find_replay(self, turn: ValidatedTurn) -> RecordedTurn | None:
        """Return the turn recorded under the same client_turn_id, even if its text differs.

        None if the id is new or its turn was deleted."""
        if turn.client_turn_id is None:
            return None
        before, stored = self._replays.get(turn.client_turn_id), None
        if before is None:
            before = self._prior.replays.get(turn.client_turn_id)
            stored = self._prior.turns.get(before.turn) if before else None
            if before is None or stored is None:
                return None
        violation = stored.metadata.get(VIOLATION) if stored else None
        forgotten = stored is not None and stored.forgotten_at is not None
        return RecordedTurn(before.turn, True, violation, turn.redacted_kinds, forgotten, turn.notes)

    def _id_if_remembered(self, turn_id: str) -> str | None:
        """Return the id if its turn is still remembered, else None."""
        turn = self._prior.turns.get(turn_id)
        writes = [self._latest_turns(session) for session in self._sessions]
        if self._recent is not None:
            writes.append(self._latest_turns(None))
        is_made = turn is None and any(turn_id == sent.turn for turns in writes for sent in turns)
        return turn_id if is_made or (turn is not None and turn.forgotten_at is None) else None

    def _record(self, turn: ValidatedTurn, violation: Mapping[str, Any] | None) -> str:
        project, at = self._project, self._now if turn.at is None else turn.at
        position = self._next_position(turn.session, at)
        record = Turn(
            id=self._new_id(position),
            content=turn.texts.content,
            at=at,
            recorded_at=self._now,
            actor=project.actor,
            tool=turn.tool,
            session=turn.session,
            tags=turn.texts.tags,
            metadata=turn.texts.metadata | ({VIOLATION: dict(violation)} if violation else {}),
            redacted=turn.redacted_kinds,
            history=(Step(self._now, "recorded", project.actor),),
            role=turn.role,
            speaker=turn.speaker,
            position=position,
        )
        payload = turn_payload(record, self._caused_by)
        key = f"session/{record.session}" if record.session else record.id
        event = project.event(TURN_RECORDED, key, payload, at=self._now)
        findings = (*turn.findings, *turn.masked)
        redactions = redaction_changes(
            project, record.id, "turn", findings, self._now, tool=turn.tool, session=turn.session
        )
        turn_changes = project.put(record, is_new=True, events=[event])
        self._changes += [*turn_changes, *redactions]
        self._remember_recent(turn, record.id)
        self._count += 1
        return record.id

    def _new_id(self, position: int | None) -> str:
        """Return a new id.

        Turns of the same millisecond sort in the order of recording, within a session and within a write."""
        number = self._count if position is None else position

        def bytes_with_number(count: int) -> bytes:
            return number.to_bytes(4, "big") + self._project.random_bytes(count - 4)

        return ulid(self._now, bytes_with_number)

    def _remember_recent(self, turn: ValidatedTurn, turn_id: str) -> None:
        actor = self._project.actor
        if turn.session is not None:
            session_write = self._sessions[turn.session]
            recent = session_write.session.recent or {}
            sent = (*recent.get(actor, ()), make_sent_turn(turn.digest, turn_id))
            session_write.session = msgspec.structs.replace(session_write.session, recent={**recent, actor: sent})
            return
        write = self._recent or self._open_recent()
        turns = (*write.recent.turns, RecentTurn(turn.digest, turn_id, self._now))
        write.recent = msgspec.structs.replace(write.recent, turns=turns, expires_at=self._now + _KEPT_MS)
        self._recent = write

    def _open_recent(self) -> RecentWrite:
        stored = self._prior.recent.get(NO_SESSION)
        if stored is None:
            empty = RecentTurns(actor=self._project.actor, session=NO_SESSION, turns=(), expires_at=0)
            return RecentWrite(empty, Absent())
        next_version = msgspec.structs.replace(stored, version=stored.version + 1, turns=self._repeatable(stored.turns))
        return RecentWrite(next_version, Equals("version", stored.version))

    def _repeatable(self, turns: Sequence[RecentTurn]) -> tuple[RecentTurn, ...]:
        """Return the turns that a later call may repeat: the last ten, and all turns of the current call."""
        recent = [turn for turn in turns if self._now - turn.at <= REPEATED_MS]
        return tuple(recent[-max(KEPT, self._call_start) :])

    def _remember_replay(self, turn: ValidatedTurn, client_turn_id: str, turn_id: str) -> None:
        replay = TurnReplay(actor=self._project.actor, client_turn_id=client_turn_id, turn=turn_id, digest=turn.digest)
        self._replays[client_turn_id] = replay
        stored = self._prior.replays.get(client_turn_id)
        condition = Absent() if stored is None else Equals("turn", stored.turn)
        self._changes.append(self._project.rows(REPLAYS).put(replay, condition))

    def _next_position(self, session_id: str | None, at: int) -> int | None:
        if session_id is None:
            return None
        write = self._sessions.get(session_id) or self._open_session(session_id, at)
        before = write.session
        write.session = msgspec.structs.replace(
            before,
            turns=before.turns + 1,
            first_at=min(before.first_at, at),
            last_at=max(before.last_at, at),
            due_at=self._now + DUE_MS if before.due_at is None else before.due_at,
        )
        self._sessions[session_id] = write
        return before.turns

    def _open_session(self, session_id: str, at: int) -> SessionWrite:
        stored = self._prior.sessions.get(session_id)
        if stored is None:
            return SessionWrite(Session(id=session_id, turns=0, first_at=at, last_at=at, recent={}), Absent())
        recent = drop_unrepeatable(stored.recent, self._now, max(KEPT, self._call_start))
        next_version = msgspec.structs.replace(stored, version=stored.version + 1, recent=recent)
        return SessionWrite(next_version, Equals("version", stored.version))

    def _take_over(self, changes: Sequence[Change]) -> None:
        """Treat the writes of the rule's earlier actions as stored.

        This plan's write of a session includes their writes and replaces them."""
        project = self._project
        partitions = {
            table.partition(project.scope, table.own, names): table
            for table, names in ((RECENT_TURNS, (project.actor,)), (REPLAYS, (project.actor,)), (SESSIONS, ()))
        }
        for change in changes:
            table = partitions.get(change.key.partition)
            if table is None or not isinstance(change, Put):
                continue
            record = msgspec.convert(dict(change.attributes), table.record)
            if isinstance(record, Session):
                self._sessions[record.id] = SessionWrite(record, change.condition)
            elif isinstance(record, RecentTurns):
                self._recent = RecentWrite(record, change.condition or Absent())
            else:
                self._replays[record.client_turn_id] = record


def turn_payload(turn: Turn, caused_by: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the payload of the event turn_recorded; see `event_kinds`."""
    metadata = turn.metadata
    if not _has_room(metadata):
        metadata = {name: value for name, value in metadata.items() if name == VIOLATION}
    payload: dict[str, Any] = {
        "turn_id": turn.id,
        "role": turn.role,
        "session_id": turn.session,
        "content_preview": preview_of(turn.content),
        "tags": list(turn.tags) if _has_room(turn.tags) else [],
        "metadata": metadata,
        "tool": turn.tool,
        "speaker": turn.speaker,
        "at": turn.at,
    }
    if caused_by is not None:
        payload["caused_by"] = dict(caused_by)
    return {name: value for name, value in payload.items() if value is not None}


def _has_room(part: object) -> bool:
    return len(msgspec.json.encode(part)) <= EVENT_PART_BYTES
