"""Rolling summaries: turns of a session that no summary covers yet become one memory of kind consolidated.

Events, the clock and callers may start this at the same time. The session is replaced under its version in the same
write as the memory, so only one attempt succeeds. The quoted turns must still be as they were read.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.event_kinds import CONSOLIDATION_COMPLETED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import SESSIONS, TURNS, Memory, Session, Step, Turn
from almanac.families.memory.edges.sources import source_changes
from almanac.families.memory.memories.near_duplicates import near_duplicates_among_newest, newest
from almanac.families.memory.memories.salience import FIRST
from almanac.families.memory.sessions.known_text import (
    PINS,
    earlier_summaries,
    known_sentences,
)
from almanac.families.memory.sessions.records import WINDOWS, Window
from almanac.families.memory.sessions.summary import Summary, summarise
from almanac.families.memory.sessions.windows import (
    DUE_MS,
    DUE_TURNS,
    is_due,
    spoken,
    summary_inputs,
    waiting_turns,
    window_of,
)
from almanac.families.memory.turns.replays import still_repeatable
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event
from almanac.platform.store.conditions import Equals
from almanac.platform.store.contention import Retry
from almanac.platform.store.port import Change, Check
from almanac.platform.store.records import replace


class Consolidation(Struct, frozen=True):
    """A summary that was made, and the number of turns it was made of. `left` turns of the session still wait."""

    memory: Memory
    turns: int
    left: int
    near_duplicates: list[tuple[str, str]]


class SkippedConsolidation(Struct, frozen=True):
    """A consolidation that made no summary, with the current session.

    `passed_over` turns had nothing to say and will not be read again."""

    session: Session
    passed_over: int = 0


def consolidate(
    project: MemoryProject, session_id: str, *, force: bool = False
) -> Consolidation | SkippedConsolidation:
    """Summarise the first waiting turns of a session if that is due or forced.

    Raises NotFound if the project has no such session."""
    return project.retry_on_conflict(lambda: _attempt(project, session_id, force=force))


def summary_of(project: MemoryProject, turns: Sequence[Turn], window: Window) -> Summary:
    """Return the summary of a window of a session, made from those `turns` of it that may be quoted."""
    earlier = earlier_summaries(project, window.session, window.first)
    known = known_sentences([*newest(project, "pinned", PINS), *earlier])
    return summarise(summary_inputs(turns), known, "\n".join(memory.content for memory in earlier))


def unchanged(project: MemoryProject, turns: Sequence[Turn], quoted: Sequence[str]) -> list[Change]:
    """Return checks that the quoted turns are unchanged since they were read.

    Another call may forget one of them at the same moment."""
    rows = project.rows(TURNS)
    return [Check(rows.key(turn.id), Equals("version", turn.version)) for turn in turns if turn.id in quoted]


def consolidated_memory(project: MemoryProject, window: Window, turns: Sequence[Turn], summary: Summary) -> Memory:
    """Return the memory of a window without writing it. `turns` are the turns that the summary was made from."""
    now = project.now()
    quoted = [turn for turn in turns if turn.id in summary.sources]
    return Memory(
        id=window.memory,
        kind="consolidated",
        content=summary.text,
        at=turns[-1].at,
        recorded_at=now,
        salience=FIRST["consolidated"],
        used_at=now,
        actor=project.actor,
        session=window.session,
        metadata={"positions": [window.first, window.last], "turns": len(turns)},
        redacted=tuple(dict.fromkeys(kind for turn in quoted for kind in turn.redacted)),
        derived_from=summary.sources,
        from_at=min(turn.at for turn in turns),
        to_at=max(turn.at for turn in turns),
        history=(Step(now, "recorded", project.actor),),
    )


def completed(project: MemoryProject, memory: Memory, turns: int, doubles: list[tuple[str, str]]) -> Event:
    """Return the event that announces a new summary or reflection."""
    payload = {
        "memory_id": memory.id,
        "kind": memory.kind,
        "session_id": memory.session,
        "turns_compressed": turns,
        "from_at": memory.from_at,
        "to_at": memory.to_at,
        "near_duplicates": doubles,
    }
    return project.event(CONSOLIDATION_COMPLETED, memory.id, payload, at=memory.recorded_at)


def _attempt(project: MemoryProject, session_id: str, *, force: bool) -> Consolidation | SkippedConsolidation:
    session = _session(project, session_id)
    if not (session.turns > session.summarised and (force or is_due(session, project.now()))):
        return SkippedConsolidation(session)
    turns = waiting_turns(project, session)
    if not turns:
        return SkippedConsolidation(_without_turns(project, session))
    window = window_of(turns, session.id)
    quotable = spoken(turns, project.now())
    summary = summary_of(project, quotable, window)
    # Read the session again, since turns may have come meanwhile. This makes conflicts with recording calls rarer.
    moved = _moved_on(project, session, window)
    if not summary.text:
        empty = project.rows(WINDOWS).insert(window)
        project.store.write([replace(project.rows(SESSIONS), moved), empty])
        return SkippedConsolidation(moved, passed_over=len(turns))
    memory = consolidated_memory(project, window, quotable, summary)
    doubles = near_duplicates_among_newest(project, memory)
    _write(project, moved, altered(window, written=True, open_at=memory.to_at), memory, quotable, doubles)
    return Consolidation(memory, len(quotable), moved.turns - moved.summarised, doubles)


def _write(
    project: MemoryProject,
    session: Session,
    window: Window,
    memory: Memory,
    turns: Sequence[Turn],
    doubles: list[tuple[str, str]],
) -> None:
    told = completed(project, memory, len(turns), doubles)
    project.store.write(
        [
            replace(project.rows(SESSIONS), session),
            project.rows(WINDOWS).insert(window),
            *project.put(memory, is_new=True, events=[told]),
            *source_changes(project, memory),
            *unchanged(project, turns, memory.derived_from),
        ]
    )


def _session(project: MemoryProject, session_id: str) -> Session:
    session = project.rows(SESSIONS).get(session_id)
    if session is None:
        raise NotFound(
            f"There is no session {session_id[:80]!r} in this project.",
            "Use the session_id that its turns were recorded with; list_recent_turns shows it.",
        )
    return session


def _moved_on(project: MemoryProject, read: Session, window: Window) -> Session:
    """Return the current session with the window counted as summarised. Raises Retry if another writer has summarised
    it meanwhile."""
    session = _session(project, read.id)
    if session.summarised != read.summarised:
        raise Retry
    recent = still_repeatable(session.recent, project.now()) if session.recent is not None else None
    due_at = _due_at(session, window.last + 1, project.now())
    return altered(session, summarised=window.last + 1, due_at=due_at, recent=recent)


def _due_at(session: Session, summarised: int, now: int) -> int | None:
    left = session.turns - summarised
    if left <= 0:
        return None
    return now if left >= DUE_TURNS else now + DUE_MS


def _without_turns(project: MemoryProject, session: Session) -> Session:
    """Return a session whose waiting turns are not found, with its summary put off.

    An index may be behind, or the turns were deleted. Once the summary has been due for ten minutes, the turns count as
    summarised."""
    now = project.now()
    if session.due_at is None or session.due_at > now - DUE_MS:
        later = altered(session, due_at=session.due_at or now + DUE_MS)
    else:
        later = altered(session, summarised=session.turns, due_at=None)
    if later != session:
        project.store.write([replace(project.rows(SESSIONS), later)])
    return later
