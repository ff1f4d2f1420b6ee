"""Team news for a caller: the caller's claims, and broadcasts of others since the last visit."""

import msgspec
from msgspec import Struct

from almanac.content import clean
from almanac.families.team.claims.claims import Claims
from almanac.families.team.core.project import open_project
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.core.records import Broadcast, ClaimRecord
from almanac.families.team.messages.broadcasts import page
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.services import Services

SHOWN = 10
_LOOKED_AT = 300
_CHARACTERS = 300


class HeldClaim(Struct, frozen=True, rename="camel", kw_only=True):
    """Instants are milliseconds since 1970."""

    key: str
    holder: str
    expires_at: int


class UnreadBroadcast(Struct, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    """`value` is the text, or the beginning of another value as JSON. `cut`: get_broadcast returns all of it. `notes`
    name parts that look like instructions."""

    key: str
    value: str
    updated_at: int
    updated_by: str
    cut: bool = False
    notes: tuple[str, ...] = ()


class Teamwork(Struct, frozen=True):
    """Claims, the first to end first, and broadcasts, the newest first, at most 10 each. The counts cover all that were
    read. `more_claims` and `more_broadcasts`: there are others."""

    claims: tuple[HeldClaim, ...] = ()
    claim_count: int = 0
    more_claims: bool = False
    broadcasts: tuple[UnreadBroadcast, ...] = ()
    broadcast_count: int = 0
    more_broadcasts: bool = False


def teamwork(services: Services, caller: Caller, clock: Clock, since: int | None) -> Teamwork:
    """Return the caller's claims and new broadcasts. `since` is the last visit, in milliseconds since 1970; with None
    all broadcasts are new."""
    project = open_project(services, caller.scope, caller.actor, clock)
    looked_at = Claims(project).list_held(limit=_LOOKED_AT)
    held = sorted(
        (claim for claim in looked_at.claims if claim.actor == caller.actor), key=lambda one: one.lapses_at or 0
    )
    current, following = page(project.store, project.scope, None, project.now())
    unread = [one for one in current if one.updated_by != caller.actor and one.updated_at >= (since or 0)]
    unread.sort(key=lambda one: (-one.updated_at, one.key))
    return Teamwork(
        claims=tuple(map(_claim, held[:SHOWN])),
        claim_count=len(held),
        more_claims=looked_at.cursor is not None,
        broadcasts=tuple(map(_broadcast, unread[:SHOWN])),
        broadcast_count=len(unread),
        more_broadcasts=following is not None,
    )


def _claim(claim: ClaimRecord) -> HeldClaim:
    return HeldClaim(
        key=clean(claim.key).text, holder=clean(claim.holder or "").text, expires_at=claim.lapses_at or claim.updated_at
    )


def _broadcast(broadcast: Broadcast) -> UnreadBroadcast:
    quoting, value = TextQuoter(), broadcast.value
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    shown = quoting.text("value", text)
    return UnreadBroadcast(
        key=quoting.text("key", broadcast.key),
        value=shown[:_CHARACTERS],
        updated_at=broadcast.updated_at,
        updated_by=clean(broadcast.updated_by).text,
        cut=len(shown) > _CHARACTERS,
        notes=quoting.notes,
    )
