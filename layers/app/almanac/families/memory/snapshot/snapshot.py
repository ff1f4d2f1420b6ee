"""Build a snapshot: what an agent reads about a project when it begins work, within a number of tokens."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.content import clean
from almanac.families.memory.candidates.records import is_auto_accepted
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.memories.salience import salience_at
from almanac.families.memory.memories.time_travel import CUT
from almanac.families.memory.snapshot.budget import Candidate, FilledSection, Section, fill_sections, fit_to_budget
from almanac.families.memory.snapshot.changes import Since
from almanac.families.memory.snapshot.due import Today
from almanac.families.memory.snapshot.reader import Reader
from almanac.families.memory.snapshot.rows import (
    DueToday,
    LeftOut,
    Snapshot,
    broadcast_candidate,
    current_candidates,
    group_lines,
    memory_candidate,
    statement_candidates,
    talk_by_session,
)
from almanac.families.memory.snapshot.tokens import tokens_of_json
from almanac.families.time.core.zones import find_zone

if TYPE_CHECKING:
    from almanac.families.memory.candidates.current_statements import CurrentStatement

_MOST_SEMANTIC = 20
_MOST_NAMED = 5
_MOST_PEOPLE = 8
_NAME_CHARACTERS = 60
_ROOM_FOR_REVIEWS = 1000
"""Least size of a snapshot, in tokens, at which it names the calls that review candidates."""
WAITING = "Candidates wait: list_candidates shows them, review_candidate decides."
AUTO_ACCEPTED = "review_candidate with reject takes back what the setting auto_accept pinned; see status accepted."


_SECTIONS: Mapping[str, Section] = {
    "pinned": Section(0.36, 120, is_first=True),
    "due": Section(0.15, 60),
    "changed": Section(0.12, 120),
    "broadcasts": Section(0.15, 100),
    "semantic": Section(0.09, 100),
    "standing": Section(0.6, 60),
    "turns": Section(0.08, 100),
}
"""Sections in the order of filling. Unused tokens go to the sections after, then to those before."""


class SnapshotRequest(Struct, frozen=True):
    """The options of a snapshot. `broadcasts` is false if the caller's key may not read them.

    `notes` name other parts that the key may not read."""

    max_tokens: int
    session: str | None = None
    as_of: int | None = None
    broadcasts: bool = True
    notes: tuple[str, ...] = ()


def build_snapshot(project: MemoryProject, request: SnapshotRequest, today: Today, changes: Since) -> Snapshot:
    """Return a snapshot of the project's memory. `today` and `changes` are empty if `request.as_of` is set."""
    reader, *others = (Reader(each, request.as_of, request.max_tokens) for each in project.reach)
    now = project.now()
    pinned = reader.memories("pinned", "pinned memories")
    shared = [one for other in others for one in other.memories("pinned", "pinned memories")]
    shared_ids = {one.id for one in shared}
    semantic = _by_salience(reader.memories("semantic", "semantic memories"), now)[:_MOST_SEMANTIC]
    talk = reader.talk()
    turns = reader.turns(request.session, talk)
    pending = reader.list_pending() if request.as_of is None else []
    candidates: dict[str, Sequence[Candidate]] = {
        "pinned": [memory_candidate(one, shared=one.id in shared_ids) for one in _by_salience([*pinned, *shared], now)],
        "due": today.candidates,
        "changed": changes.candidates,
        "broadcasts": [broadcast_candidate(one) for one in reader.broadcasts()] if _reads_broadcasts(request) else [],
        "semantic": [memory_candidate(one) for one in semantic],
        "standing": _standing(project, reader, talk, [*pinned, *shared, *semantic]) if talk else [],
        "turns": statement_candidates(turns),
    }
    most_left_out = LeftOut(**{name: len(some) for name, some in candidates.items()})
    more = [*(each for one in (reader, *others) for each in one.more), *(["changes"] if changes.more else [])]
    lost = sorted({name for one in (reader, *others) for name in one.ids_of_lost_texts})
    cut = any(one.cut for one in (reader, *others))
    auto_accepted = sum(is_auto_accepted(one.metadata) for one in pinned) if request.as_of is None else 0
    frame = _frame(request, today, more, most_left_out, lost, cut=cut)
    frame = replace(
        frame,
        notes=(*_review_notes(request, len(pending), auto_accepted), *frame.notes),
        changed_since=changes.since,
        candidates_waiting=len(pending),
        auto_accepted=auto_accepted,
        people=_people(talk),
    )

    def make(tokens: int) -> tuple[Snapshot, int]:
        result = _assemble(frame, today, turns, fill_sections(_SECTIONS, candidates, tokens))
        return result, result.tokens

    result = fit_to_budget(request.max_tokens, frame, make)
    if result is not None:
        return result
    return replace(frame, tokens=min(frame.tokens, request.max_tokens))


def _reads_broadcasts(request: SnapshotRequest) -> bool:
    return request.broadcasts and request.as_of is None


def _standing(
    project: MemoryProject, reader: Reader, talk: Sequence[Turn], memories: Sequence[Memory]
) -> Sequence[Candidate]:
    zone = find_zone(project.zone) if project.zone else UTC
    return current_candidates(_current_statements(reader, talk, memories), zone)


def _current_statements(reader: Reader, talk: Sequence[Turn], memories: Sequence[Memory]) -> "list[CurrentStatement]":
    """Return the current statements and the remarks of the talk, the most useful first.

    Statements that `memories` already have are left out, as are those of rejected candidates."""
    # Imported for the first turns.
    from almanac.families.memory.core.likeness import same_words  # noqa: PLC0415
    from almanac.families.memory.snapshot.ranking import ranked_statements  # noqa: PLC0415

    rejected, stored_words = reader.digests_of_rejected(), {same_words(one.content) for one in memories}

    def is_hidden(one: "CurrentStatement") -> bool:
        return one.digest in rejected or same_words(one.text) in stored_words

    return ranked_statements(talk[::-1], is_hidden)


def _people(talk: Sequence[Turn]) -> tuple[str, ...]:
    """Return the names of the speakers, latest first."""
    names = dict.fromkeys(turn.speaker for turn in talk if turn.speaker)
    return tuple(clean(one).text[:_NAME_CHARACTERS] for one in names)[:_MOST_PEOPLE]


def _by_salience(memories: Sequence[Memory], now: int) -> list[Memory]:
    return sorted(memories, key=lambda one: (-salience_at(one, now), -one.at, one.id))


def _frame(
    request: SnapshotRequest, today: Today, more: Sequence[str], left_out: LeftOut, lost: Sequence[str], *, cut: bool
) -> Snapshot:
    """Return the snapshot without its rows."""
    notes = [*today.notes, *request.notes]
    if request.as_of is not None:
        notes.append("Broadcasts and what is due are of now: not shown with as_of.")
    if lost:
        ids = ", ".join(lost[:_MOST_NAMED]) + (" and others" if len(lost) > _MOST_NAMED else "")
        notes.append(f"Left out, as they were written anew after as_of and their text of then is not kept: {ids}.")
    if cut:
        notes.append(CUT)
    notes += [f"There are more {called}." for called in dict.fromkeys(more)]
    return Snapshot(
        pinned=(),
        broadcasts=(),
        recent_turns=(),
        tokens=request.max_tokens,
        max_tokens=request.max_tokens,
        left_out=left_out,
        due_today=DueToday(today.date, today.timezone) if today.date and today.timezone else None,
        as_of=request.as_of,
        notes=tuple(notes),
        untrusted=True,
    )


def _review_notes(request: SnapshotRequest, pending: int, auto_accepted: int) -> list[str]:
    """Return notes that name the tools for reviewing candidates, if the answer has room for them."""
    notes = list[str]()
    if pending and request.max_tokens >= _ROOM_FOR_REVIEWS:
        notes.append(WAITING)
    if auto_accepted and request.max_tokens >= _ROOM_FOR_REVIEWS:
        notes.append(AUTO_ACCEPTED)
    return notes


def _assemble(frame: Snapshot, today: Today, turns: Sequence[Turn], filled: Mapping[str, FilledSection]) -> Snapshot:
    rows: dict[str, tuple[Any, ...]] = {name: one.rows for name, one in filled.items()}
    due_today = frame.due_today
    if due_today is not None:
        due = rows["due"]
        due_today = replace(due_today, items=due[: today.overdue], overdue=due[today.overdue :])
    snapshot_with_rows = replace(
        frame,
        pinned=rows["pinned"],
        broadcasts=rows["broadcasts"],
        semantic=rows["semantic"],
        changed=rows["changed"],
        standing=group_lines(rows["standing"]),
        recent_turns=talk_by_session(turns, rows["turns"]),
        due_today=due_today,
        left_out=LeftOut(**{name: one.left_out for name, one in filled.items()}),
        untrusted=any(rows.values()),
    )
    return replace(snapshot_with_rows, tokens=tokens_of_json(msgspec.to_builtins(snapshot_with_rows)))
