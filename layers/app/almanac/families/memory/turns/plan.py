"""One write of turns: each turn is recorded, or found to be recorded already, on top of what is known."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from almanac.families.memory.core.event_kinds import TURN_RECORDED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import DIGESTS, REPLAYS, SESSIONS, Session, Step, Turn, TurnDigest, TurnReplay
from almanac.families.memory.memories.telling import preview_of
from almanac.families.memory.turns.gates import Gates
from almanac.families.memory.turns.given import Ready
from almanac.families.memory.turns.known import Known
from almanac.kernel.errors import Conflict
from almanac.kernel.ids import ulid
from almanac.platform.redactions.keeping import redaction_changes
from almanac.platform.store.conditions import Absent, Condition, Equals
from almanac.platform.store.port import Change, Put

VIOLATION = "claim_violation"
EVENT_PART_BYTES = 4 * 1024
"""Of metadata, and of tags: an event has room for 16 KB."""
DUE_MS = 600_000
"""From the first turn that is not summarised."""


class Recorded(Struct, frozen=True):
    """`deduped`: it was recorded before, as `turn_id`. `forgotten`: that one was forgotten since. `notes` tell how it
    was read."""

    turn_id: str
    deduped: bool
    violation: Mapping[str, Any] | None = None
    redacted: tuple[str, ...] = ()
    forgotten: bool = False
    notes: tuple[str, ...] = ()


class SessionWrite(Struct):
    """A session with the turns of this write, and under which condition it is written."""

    session: Session
    condition: Condition | None


class Plan:
    """`caused_by` is why a rule records these turns; its events tell it. `made` are changes of the same write that
    earlier actions of that rule have made."""

    def __init__(
        self,
        project: MemoryProject,
        known: Known,
        *,
        caused_by: Mapping[str, Any] | None = None,
        made: Sequence[Change] = (),
    ) -> None:
        self._project = project
        self._known = known
        self._now = project.now()
        self._gates = Gates(project)
        self._caused_by = caused_by
        self._changes: list[Change] = []
        self._same: dict[str, str] = {}
        self._replays: dict[str, TurnReplay] = {}
        self._sessions: dict[str, SessionWrite] = {}
        self._count = 0
        self._take_over(made)

    @property
    def changes(self) -> list[Change]:
        """None where all turns are recorded already."""
        if not self._changes:
            return []
        sessions = self._project.rows(SESSIONS)
        writes = [sessions.put(each.session, each.condition) for each in self._sessions.values()]
        return [*self._changes, *writes, *self._gates.checks]

    def add(self, turn: Ready) -> Recorded:
        """Raises Conflict for an id of the caller's under which he sent another turn, and as `Gates.violation`."""
        if (replayed := self._replayed(turn)) is not None:
            return replayed
        violation = self._gates.violation(turn.gate)
        same = self._same.get(turn.digest) or self._recorded_before(turn.digest)
        turn_id = same or self._record(turn, violation)
        if turn.client_turn_id is not None:
            self._remember_replay(turn, turn.client_turn_id, turn_id)
        return Recorded(turn_id, same is not None, violation, turn.redacted, notes=turn.notes)

    def _replayed(self, turn: Ready) -> Recorded | None:
        """What the caller's id of the turn already stands for; None where it is new, or its turn is gone for good."""
        if turn.client_turn_id is None:
            return None
        before, stored = self._replays.get(turn.client_turn_id), None
        if before is None:
            before = self._known.replays.get(turn.client_turn_id)
            stored = self._known.turns.get(before.turn) if before else None
            if before is None or stored is None:
                return None
        if before.digest != turn.digest:
            raise Conflict(
                f'You recorded another turn under the client_turn_id "{turn.client_turn_id[:80]}".',
                "Use a new client_turn_id for each turn, and the same content to repeat a call.",
                code="client_turn_id_reused",
            )
        violation = stored.metadata.get(VIOLATION) if stored else None
        forgotten = stored is not None and stored.forgotten_at is not None
        return Recorded(before.turn, True, violation, turn.redacted, forgotten, turn.notes)

    def _recorded_before(self, digest: str) -> str | None:
        """The turn of that digest, if it is still remembered."""
        known = self._known.digests.get(digest)
        turn = self._known.turns.get(known.turn) if known else None
        return turn.id if turn and turn.forgotten_at is None else None

    def _record(self, turn: Ready, violation: Mapping[str, Any] | None) -> str:
        project, at = self._project, self._now if turn.at is None else turn.at
        position = self._next_position(turn.session, at)
        record = Turn(
            id=self._new_id(position),
            content=turn.kept.content,
            at=at,
            recorded_at=self._now,
            actor=project.actor,
            tool=turn.tool,
            session=turn.session,
            tags=turn.kept.tags,
            metadata=turn.kept.metadata | ({VIOLATION: dict(violation)} if violation else {}),
            redacted=turn.redacted,
            history=(Step(self._now, "recorded", project.actor),),
            role=turn.role,
            speaker=turn.speaker,
            position=position,
        )
        payload = turn_payload(record, self._caused_by)
        key = f"session/{record.session}" if record.session else record.id
        event = project.event(TURN_RECORDED, key, payload, at=self._now)
        lost = redaction_changes(
            project, record.id, "turn", turn.findings, self._now, tool=turn.tool, session=turn.session
        )
        written = project.put(record, is_new=True, events=[event])
        self._changes += [*written, *lost, self._digest_put(turn.digest, record.id)]
        self._same[turn.digest] = record.id
        self._count += 1
        return record.id

    def _new_id(self, position: int | None) -> str:
        """Of turns of one millisecond, those of a session and those of one write sort as they were recorded."""
        number = self._count if position is None else position

        def numbered(count: int) -> bytes:
            return number.to_bytes(4, "big") + self._project.random_bytes(count - 4)

        return ulid(self._now, numbered)

    def _digest_put(self, digest: str, turn_id: str) -> Put:
        known = self._known.digests.get(digest)
        condition = Absent() if known is None else Equals("turn", known.turn)
        return self._project.rows(DIGESTS).put(TurnDigest(digest=digest, turn=turn_id), condition)

    def _remember_replay(self, turn: Ready, client_turn_id: str, turn_id: str) -> None:
        replay = TurnReplay(actor=self._project.actor, client_turn_id=client_turn_id, turn=turn_id, digest=turn.digest)
        self._replays[client_turn_id] = replay
        gone = self._known.replays.get(client_turn_id)
        condition = Absent() if gone is None else Equals("turn", gone.turn)
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
        stored = self._known.sessions.get(session_id)
        if stored is None:
            return SessionWrite(Session(id=session_id, turns=0, first_at=at, last_at=at), Absent())
        following = msgspec.structs.replace(stored, version=stored.version + 1)
        return SessionWrite(following, Equals("version", stored.version))

    def _take_over(self, made: Sequence[Change]) -> None:
        """What earlier actions of a rule write counts as known; their write of a session is replaced by ours, which
        holds it too."""
        project = self._project
        partitions = {
            table.partition(project.scope, table.own, names): table
            for table, names in ((DIGESTS, ()), (REPLAYS, (project.actor,)), (SESSIONS, ()))
        }
        for change in made:
            table = partitions.get(change.key.partition)
            if table is None or not isinstance(change, Put):
                continue
            record = msgspec.convert(dict(change.attributes), table.record)
            if isinstance(record, Session):
                self._sessions[record.id] = SessionWrite(record, change.condition)
            elif isinstance(record, TurnDigest):
                self._same[record.digest] = record.turn
            else:
                self._replays[record.client_turn_id] = record


def turn_payload(turn: Turn, caused_by: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The payload of turn_recorded; see `event_kinds`."""
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
