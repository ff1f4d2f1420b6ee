"""Detect replays: calls that repeat an actor's last turns, which the session's record keeps."""

from collections.abc import Iterable, Mapping, Sequence

from almanac.families.memory.core.records import SentTurn, Session
from almanac.kernel.ids import milliseconds_of

REPEATED_MS = 600_000
"""Time after recording within which the same call without ids counts as a replay."""
KEPT = 10
_DIGEST = 16


def shorten_digest(digest: str) -> str:
    """Shorten a digest to a length that still tells an actor's last turns apart.

    Short digests keep the record small, because the store bills by the kilobyte."""
    return digest[:_DIGEST]


def make_sent_turn(digest: str, turn_id: str) -> SentTurn:
    return SentTurn(turn_id, shorten_digest(digest))


def repeatable_turns(session: Session | None, actor: str, now: int) -> list[SentTurn]:
    """Return the actor's last turns that a call may repeat."""
    turns = session.recent.get(actor, ()) if session is not None and session.recent is not None else ()
    return _within_repeat_time(turns, now)


def drop_unrepeatable(
    recent: Mapping[str, Sequence[SentTurn]] | None, now: int, at_least: int = KEPT
) -> dict[str, tuple[SentTurn, ...]]:
    """Keep only turns that a later call may repeat: the last `at_least` of each actor, if they are recent enough."""
    repeatable = {actor: tuple(_within_repeat_time(turns, now)[-at_least:]) for actor, turns in (recent or {}).items()}
    return {actor: turns for actor, turns in repeatable.items() if turns}


def _within_repeat_time(turns: Iterable[SentTurn], now: int) -> list[SentTurn]:
    return [turn for turn in turns if now - milliseconds_of(turn.turn) <= REPEATED_MS]
