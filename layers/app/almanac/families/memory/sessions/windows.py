"""Read the turns that a summary is made from, and prepare them as its input."""

from collections.abc import Sequence

from almanac.families.memory.candidates.finder import found_in
from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import TURNS, Session, Turn, is_remembered
from almanac.families.memory.sessions.passages import SummaryInput
from almanac.families.memory.sessions.records import WINDOWS, Window
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.kernel.ids import ulid

TURNS_OF_A_WINDOW = 60
DUE_TURNS = 20
DUE_MS = 10 * 60_000
_AT_ONCE = 16
"""Turns on a page. Even with contents of 64 KB each, they fit into one read of the store."""
_SETTLING_MS = 60_000
_BEFORE = 3
"""Turns before an answer that are searched for the proposal that it accepts."""
_WEIGHTS = {"tool": 0.2, "event": 0.5, "assistant": 0.8, "agent": 0.8}
_SILENT = frozenset({"system"})
"""Roles whose turns are left out, because they configure an agent anew in each session."""


def is_due(session: Session, now: int) -> bool:
    """Return whether the clock or the number of unsummarised turns calls for a summary."""
    waiting = session.turns - session.summarised
    return waiting >= DUE_TURNS or (waiting > 0 and session.due_at is not None and session.due_at <= now)


def waiting_turns(project: MemoryProject, session: Session) -> list[Turn]:
    """Return the first turns that no summary covers, at most 60, forgotten ones included.

    An index may be a moment behind the store. So if some turns were recorded within the last minute, the turns behind a
    missing one are left for the next time. If nothing was recorded lately, a missing turn was deleted.
    """
    found = turns_between(project, session.id, session.summarised, session.summarised + TURNS_OF_A_WINDOW - 1)
    if not found or max(turn.recorded_at for turn in found) <= project.now() - _SETTLING_MS:
        return found
    expected = range(session.summarised, session.summarised + len(found))
    return [turn for turn, position in zip(found, expected, strict=True) if turn.position == position]


def turns_between(project: MemoryProject, session: str, first: int, last: int) -> list[Turn]:
    """Return the stored turns at these positions, forgotten ones included."""
    rows = project.rows(TURNS)
    return list(rows.every(session, since=first, until=last + 1, index="gsi2", page=_AT_ONCE))


def window_of(turns: Sequence[Turn], session: str) -> Window:
    """Return the window of these turns, without a memory yet. Every process gives its memory the same id."""
    first, last = turns[0], turns[-1]
    start = first.position or 0
    digest = bytes.fromhex(digest_of("consolidated", session, str(start)))
    memory = ulid(first.recorded_at, lambda count: digest[:count])
    return Window(session=session, first=start, last=last.position or 0, memory=memory, written=False)


def window_around(project: MemoryProject, session: str, position: int) -> Window | None:
    """Return the window that covers the turn at `position`; None if there is none."""
    found = project.rows(WINDOWS).query(session, until=position + 1, reverse=True, limit=1).records
    return found[0] if found and found[0].last >= position else None


def spoken(turns: Sequence[Turn], now: int) -> list[Turn]:
    """Return the turns that a summary may quote: remembered ones, none of the system, none that repeats memory."""
    return [turn for turn in turns if is_remembered(turn, now) and turn.role not in _SILENT and not is_recalled(turn)]


def summary_inputs(turns: Sequence[Turn]) -> list[SummaryInput]:
    """Return the turns, in the order of their session, as input of a summary."""
    return [_said_by(turn, turns[max(0, place - _BEFORE) : place][::-1]) for place, turn in enumerate(turns)]


def _said_by(turn: Turn, before: Sequence[Turn]) -> SummaryInput:
    stated = tuple(one.content for one in found_in(turn, lambda: before)) if turn.role == "user" else ()
    return as_input(turn, stated)


def as_input(turn: Turn, stated: tuple[str, ...] = ()) -> SummaryInput:
    """Return a turn as input of a summary. `stated` has its binding statements."""
    name = turn.speaker or turn.role.capitalize()
    return SummaryInput(turn.id, name, turn.content, _WEIGHTS.get(turn.role, 1.0), turn.role == "user", stated)
