"""An actor's last turns in a session, kept in the session's record. A call that repeats them is a replay."""

from collections.abc import Iterable, Mapping, Sequence

from almanac.families.memory.core.records import SentTurn, Session
from almanac.kernel.ids import milliseconds_of

REPEATED_MS = 600_000
"""Time after recording in which the same call without ids counts as a replay."""
KEPT = 10
_DIGEST = 16


def brief(digest: str) -> str:
    """Return the beginning of a digest, enough to tell an actor's last turns apart. Short digests keep the record
    small, because the store bills by the kilobyte."""
    return digest[:_DIGEST]


def sent_turn(digest: str, turn_id: str) -> SentTurn:
    return SentTurn(turn_id, brief(digest))


def repeatable_turns(session: Session | None, actor: str, now: int) -> list[SentTurn]:
    """Return the actor's last turns that a call may repeat."""
    turns = session.recent.get(actor, ()) if session is not None and session.recent is not None else ()
    return _lately(turns, now)


def still_repeatable(
    recent: Mapping[str, Sequence[SentTurn]] | None, now: int, at_least: int = KEPT
) -> dict[str, tuple[SentTurn, ...]]:
    """Return the turns that a later call may repeat: of each actor the last ten, or the last `at_least`."""
    kept = {actor: tuple(_lately(turns, now)[-at_least:]) for actor, turns in (recent or {}).items()}
    return {actor: turns for actor, turns in kept.items() if turns}


def _lately(turns: Iterable[SentTurn], now: int) -> list[SentTurn]:
    return [one for one in turns if now - milliseconds_of(one.turn) <= REPEATED_MS]
