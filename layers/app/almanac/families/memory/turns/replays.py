"""The last turns of each actor in a session, kept in the session's record: a call that repeats them is a replay."""

from collections.abc import Iterable, Mapping, Sequence

from almanac.families.memory.core.records import SentTurn, Session
from almanac.kernel.ids import milliseconds_of

REPEATED_MS = 600_000
"""Time after recording in which the same call without ids counts as a repetition."""
KEPT = 10
_DIGEST = 16


def brief(digest: str) -> str:
    """Return as much of a digest as tells an actor's last turns apart: records are paid for by the kilobyte."""
    return digest[:_DIGEST]


def sent_turn(digest: str, turn_id: str) -> SentTurn:
    return SentTurn(turn_id, brief(digest))


def sent_by(session: Session | None, actor: str, now: int) -> list[SentTurn]:
    """Return the actor's last turns that a call may repeat."""
    turns = session.recent.get(actor, ()) if session is not None and session.recent is not None else ()
    return _lately(turns, now)


def still_repeatable(
    recent: Mapping[str, Sequence[SentTurn]] | None, now: int, at_least: int = KEPT
) -> dict[str, tuple[SentTurn, ...]]:
    """Return the turns that a later call may still repeat: of each actor the last ten, or `at_least` so many."""
    kept = {actor: tuple(_lately(turns, now)[-at_least:]) for actor, turns in (recent or {}).items()}
    return {actor: turns for actor, turns in kept.items() if turns}


def _lately(turns: Iterable[SentTurn], now: int) -> list[SentTurn]:
    return [one for one in turns if now - milliseconds_of(one.turn) <= REPEATED_MS]
