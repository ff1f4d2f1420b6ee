"""Read the turns that a summary is made from, and prepare them as its input."""

from collections.abc import Sequence

from almanac.families.memory.candidates.finder import find_statements
from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import TURNS, Session, Turn, is_remembered
from almanac.families.memory.sessions.records import WINDOWS, Window
from almanac.families.memory.statements.passages import SpokenTurn, spoken_turn
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.kernel.ids import ulid

TURNS_OF_A_WINDOW = 60
DUE_TURNS = 20
DUE_MS = 10 * 60_000
_PAGE_TURNS = 16
"""Turns that one read of the store returns. They fit even with contents of 64 KB each."""
_SETTLING_MS = 60_000
_TURNS_BEFORE = 3
"""Number of turns before an answer that are searched for a proposal, which the answer may accept."""
_UNQUOTED_ROLES = frozenset({"system"})
"""Roles that summaries never quote, because their turns configure an agent at the start of each session."""


def is_due(session: Session, now: int) -> bool:
    """Return whether the clock or the number of unsummarised turns calls for a summary."""
    waiting_count = session.turns - session.summarised
    return waiting_count >= DUE_TURNS or (waiting_count > 0 and session.due_at is not None and session.due_at <= now)


def read_unsummarised_turns(project: MemoryProject, session: Session) -> list[Turn]:
    """Return the first turns that no summary covers, at most 60, including forgotten ones.

    The index may lag a moment behind the store. If a turn was recorded within the last minute, a gap in the positions
    may be such a delay, so the result ends before the gap. Otherwise the missing turn was deleted.
    """
    turns = turns_between(project, session.id, session.summarised, session.summarised + TURNS_OF_A_WINDOW - 1)
    if not turns or max(turn.recorded_at for turn in turns) <= project.now() - _SETTLING_MS:
        return turns
    expected = range(session.summarised, session.summarised + len(turns))
    return [turn for turn, position in zip(turns, expected, strict=True) if turn.position == position]


def turns_between(project: MemoryProject, session: str, first: int, last: int) -> list[Turn]:
    """Return the stored turns from position `first` to `last`, both included, with forgotten ones."""
    rows = project.rows(TURNS)
    return list(rows.every(session, since=first, until=last + 1, index="gsi2", page=_PAGE_TURNS))


def window_of(turns: Sequence[Turn], session: str) -> Window:
    """Return the window of these turns. Its memory is not written yet; every process derives the same id for it."""
    first, last = turns[0], turns[-1]
    start = first.position or 0
    digest = bytes.fromhex(digest_of("consolidated", session, str(start)))
    memory = ulid(first.recorded_at, lambda count: digest[:count])
    return Window(session=session, first=start, last=last.position or 0, memory=memory, written=False)


def window_around(project: MemoryProject, session: str, position: int) -> Window | None:
    """Return the window that covers the turn at `position`, or None."""
    windows = project.rows(WINDOWS).query(session, until=position + 1, reverse=True, limit=1).records
    return windows[0] if windows and windows[0].last >= position else None


def quotable_turns(turns: Sequence[Turn], now: int) -> list[Turn]:
    """Return the remembered turns that a summary may quote, without system turns and answers read from memory."""
    return [
        turn
        for turn in turns
        if is_remembered(turn, now) and turn.role not in _UNQUOTED_ROLES and not is_recalled(turn)
    ]


def summary_inputs(turns: Sequence[Turn]) -> list[SpokenTurn]:
    """Return the turns, in the order of their session, as input of a summary."""
    return [
        _with_statements(turn, turns[max(0, place - _TURNS_BEFORE) : place][::-1]) for place, turn in enumerate(turns)
    ]


def _with_statements(turn: Turn, before: Sequence[Turn]) -> SpokenTurn:
    statements = tuple(one.content for one in find_statements(turn, lambda: before)) if turn.role == "user" else ()
    return spoken_turn(turn, statements)
