"""The last visit of a key, and the gap since then."""

from contextlib import suppress

from msgspec import Struct

from almanac.content.redaction import redact
from almanac.families.context.core.context import Context
from almanac.families.context.orientation.records import KEPT_MS, VISITS, Visit
from almanac.families.memory.core.memory import digest_of
from almanac.kernel.errors import AlmanacError

_NOWHERE = "-"


class OfflineGap(Struct, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    """The time since the key's last visit. `from` and `to` are ISO 8601 text with offset. `at_least`: counting stopped
    at `memories_added`, and there are more."""

    duration_ms: int
    duration_human: str
    from_: str
    to: str
    memories_added: int
    at_least: bool = False


def last_visit(context: Context, place: str | None, now: int) -> int | None:
    """Return the last visit of this key, in milliseconds since 1970; None if there is none. It is never later than
    `now`, even if the clock was set back since."""
    visit = context.memory.rows(VISITS).get(*_of(context, place))
    return None if visit is None else min(visit.at, now)


def note_visit(context: Context, place: str | None, at: int) -> None:
    """Record a visit. A failure does not fail the call."""
    key_id, digest = _of(context, place)
    visit = Visit(key_id=key_id, place=digest, at=at, expires_at=at + KEPT_MS)
    with suppress(AlmanacError):
        context.memory.store.write([context.memory.rows(VISITS).put(visit)])


def _of(context: Context, place: str | None) -> tuple[str, str]:
    # A path may be too long for a key. It is redacted first, because a secret could be guessed from its digest.
    return context.caller.key_id or _NOWHERE, digest_of(redact(place).text) if place else _NOWHERE
