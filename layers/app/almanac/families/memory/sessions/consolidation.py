"""Summarise the turns of a session that no summary covers yet, as one memory of kind consolidated.

Events, the clock and callers may start this at the same time. One write replaces the session under its version and
inserts the memory, so only one attempt succeeds. The write fails as well if a quoted turn has changed since it was
read.
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
    comparable_sentences,
    earlier_summaries,
)
from almanac.families.memory.sessions.records import WINDOWS, Window
from almanac.families.memory.sessions.summary import Summary, summarise
from almanac.families.memory.sessions.windows import (
    DUE_MS,
    DUE_TURNS,
    is_due,
    quotable_turns,
    read_unsummarised_turns,
    summary_inputs,
    window_of,
)
from almanac.families.memory.turns.replays import drop_unrepeatable
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event
from almanac.platform.store.conditions import Equals
from almanac.platform.store.contention import Retry
from almanac.platform.store.port import Change, Check
from almanac.platform.store.records import replace


class Consolidation(Struct, frozen=True):
    """A new summary, and the number of turns that it summarises. `left` turns of the session still wait."""

    memory: Memory
    turns: int
    left: int
    near_duplicates: list[tuple[str, str]]


class SkippedConsolidation(Struct, frozen=True):
    """A consolidation that made no summary, with the current session.

    `passed_over` counts turns with nothing worth a summary. They are not read again."""

    session: Session
    passed_over: int = 0


def consolidate(
    project: MemoryProject, session_id: str, *, force: bool = False
) -> Consolidation | SkippedConsolidation:
    """Summarise the first waiting turns of a session if that is due or forced.

    Raises NotFound if the project has no such session."""
    return project.retry_on_conflict(lambda: _attempt(project, session_id, force=force))


def summary_of(project: MemoryProject, turns: Sequence[Turn], window: Window) -> Summary:
    """Return the summary of a window of a session. `turns` are the turns of the window that it may quote."""
    earlier = earlier_summaries(project, window.session, window.first)
    known_sentences = comparable_sentences([*newest(project, "pinned", PINS), *earlier])
    return summarise(summary_inputs(turns), known_sentences, "\n".join(memory.content for memory in earlier))


def version_checks(project: MemoryProject, turns: Sequence[Turn], quoted: Sequence[str]) -> list[Change]:
    """Return conditions of a write: the quoted turns are unchanged since they were read.

    Another call may forget one of them at the same moment."""
    rows = project.rows(TURNS)
    return [Check(rows.key(turn.id), Equals("version", turn.version)) for turn in turns if turn.id in quoted]


def memory_of_window(project: MemoryProject, window: Window, turns: Sequence[Turn], summary: Summary) -> Memory:
    """Return the memory of a window without writing it. `turns` are the turns that the summary may quote."""
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


def completion_event(project: MemoryProject, memory: Memory, turns: int, doubles: list[tuple[str, str]]) -> Event:
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
    session = _get_session(project, session_id)
    if not (session.turns > session.summarised and (force or is_due(session, project.now()))):
        return SkippedConsolidation(session)
    turns = read_unsummarised_turns(project, session)
    if not turns:
        return SkippedConsolidation(_postpone(project, session))
    window = window_of(turns, session.id)
    quotable = quotable_turns(turns, project.now())
    summary = summary_of(project, quotable, window)
    # Read the session again, because new turns may have arrived. This makes conflicts with recording calls rarer.
    advanced = _advance(project, session, window)
    if not summary.text:
        window_row = project.rows(WINDOWS).insert(window)
        project.store.write([replace(project.rows(SESSIONS), advanced), window_row])
        return SkippedConsolidation(advanced, passed_over=len(turns))
    memory = memory_of_window(project, window, quotable, summary)
    doubles = near_duplicates_among_newest(project, memory)
    _write(project, advanced, altered(window, written=True, open_at=memory.to_at), memory, quotable, doubles)
    return Consolidation(memory, len(quotable), advanced.turns - advanced.summarised, doubles)


def _write(
    project: MemoryProject,
    session: Session,
    window: Window,
    memory: Memory,
    turns: Sequence[Turn],
    doubles: list[tuple[str, str]],
) -> None:
    completion = completion_event(project, memory, len(turns), doubles)
    project.store.write(
        [
            replace(project.rows(SESSIONS), session),
            project.rows(WINDOWS).insert(window),
            *project.put(memory, is_new=True, events=[completion]),
            *source_changes(project, memory),
            *version_checks(project, turns, memory.derived_from),
        ]
    )


def _get_session(project: MemoryProject, session_id: str) -> Session:
    session = project.rows(SESSIONS).get(session_id)
    if session is None:
        raise NotFound(
            f"There is no session {session_id[:80]!r} in this project.",
            "Use the session_id that its turns were recorded with; list_recent_turns shows it.",
        )
    return session


def _advance(project: MemoryProject, as_read: Session, window: Window) -> Session:
    """Return the current session with the window counted as summarised. Raises Retry if another writer has summarised
    turns of it since it was read."""
    session = _get_session(project, as_read.id)
    if session.summarised != as_read.summarised:
        raise Retry
    recent = drop_unrepeatable(session.recent, project.now()) if session.recent is not None else None
    due_at = _due_at(session, window.last + 1, project.now())
    return altered(session, summarised=window.last + 1, due_at=due_at, recent=recent)


def _due_at(session: Session, summarised: int, now: int) -> int | None:
    waiting_count = session.turns - summarised
    if waiting_count <= 0:
        return None
    return now if waiting_count >= DUE_TURNS else now + DUE_MS


def _postpone(project: MemoryProject, session: Session) -> Session:
    """Postpone the summary of a session whose waiting turns are not found, and return the stored session.

    The index may lag behind the store, or the turns were deleted. Once the summary has been due for ten minutes, the
    turns count as summarised."""
    now = project.now()
    if session.due_at is None or session.due_at > now - DUE_MS:
        later = altered(session, due_at=session.due_at or now + DUE_MS)
    else:
        later = altered(session, summarised=session.turns, due_at=None)
    if later != session:
        project.store.write([replace(project.rows(SESSIONS), later)])
    return later
