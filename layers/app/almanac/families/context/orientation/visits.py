"""Last visits of a key, and the gap since."""

from contextlib import suppress

from msgspec import Struct

from almanac.content.redaction import redact
from almanac.families.context.core.context import Context
from almanac.families.context.orientation.records import KEPT_MS, VISITS, Visit
from almanac.families.memory.core.memory import digest_of
from almanac.kernel.errors import AlmanacError

_NOWHERE = "-"


class OfflineGap(Struct, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    """Since the key was last here. `from` and `to` are ISO 8601 text with offset. `at_least`: more than
    `memories_added` were added, which is where counting ends."""

    duration_ms: int
    duration_human: str
    from_: str
    to: str
    memories_added: int
    at_least: bool = False


def last_visit(context: Context, place: str | None, now: int) -> int | None:
    """Return when this key was last here, in milliseconds since 1970; None if it never was. Never later than `now`,
    even if the clock was set back since."""
    visit = context.memory.rows(VISITS).get(*_of(context, place))
    return None if visit is None else min(visit.at, now)


def note_visit(context: Context, place: str | None, at: int) -> None:
    """The caller is answered all the same where that fails."""
    key_id, digest = _of(context, place)
    visit = Visit(key_id=key_id, place=digest, at=at, expires_at=at + KEPT_MS)
    with suppress(AlmanacError):
        context.memory.store.write([context.memory.rows(VISITS).put(visit)])


def _of(context: Context, place: str | None) -> tuple[str, str]:
    # A path may be longer than a key, and hold a secret, which could be guessed from a digest of it.
    return context.caller.key_id or _NOWHERE, digest_of(redact(place).text) if place else _NOWHERE
