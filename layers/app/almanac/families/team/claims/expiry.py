"""The end of claims, freed and announced in one write by whoever finds them expired or takes them over.

A server's clock decides. An expired claim is free at once, announced or not: whoever acquires it announces its end
first. A clock that was set back makes no claim longer than was asked for: whoever reads such a claim cuts it down to
that time from now.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from almanac.families.team.claims import glob_register
from almanac.families.team.claims.requests import Takeover
from almanac.families.team.core.project import SYSTEM_ACTOR, Project, system_project
from almanac.families.team.core.records import CLAIMS, FORGET_MS, NOTICES, ClaimRecord, Notice, NoticeKind
from almanac.kernel.caller import Scope
from almanac.kernel.ids import ulid
from almanac.platform.bus.outbox import outbox
from almanac.platform.services import Services
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.records import replace

NOTICE_MS = 7 * 86_400_000
LONGEST_MS = 86_400_000
"""As long as a claim can be asked for."""
SKEW_MS = 5000
"""Assumed maximum difference between the clocks of two servers."""
_PAGE = 100


def is_held(claim: ClaimRecord | None, now: int) -> bool:
    """Return whether an actor holds the claim at `now`."""
    return claim is not None and claim.lapses_at is not None and claim.lapses_at > now


def has_expired(claim: ClaimRecord, now: int) -> bool:
    """Return whether the claim expired by `now` and the expiry is not announced yet."""
    return claim.lapses_at is not None and claim.lapses_at <= now


def capped(claim: ClaimRecord, now: int) -> ClaimRecord:
    """The claim with at most the time left that was asked for; clocks may have been set back."""
    longest = now + (claim.ttl_ms or LONGEST_MS)
    if claim.lapses_at is None or claim.lapses_at <= longest + SKEW_MS:
        return claim
    return msgspec.structs.replace(claim, lapses_at=longest, updated_at=min(now, claim.updated_at))


def store_capped(project: Project, claim: ClaimRecord) -> ClaimRecord | None:
    """The capped form of a held claim, written where it differs. None where somebody else wrote meanwhile."""
    limited = capped(claim, project.now())
    if limited is claim:
        return claim
    try:
        project.store.write([replace(CLAIMS.within(project.store, project.scope), limited)])
    except ConditionFailed:
        return None
    return CLAIMS.within(project.store, project.scope).get(claim.id)


def freed(claim: ClaimRecord, now: int) -> ClaimRecord:
    """The record of a claim that nobody holds."""
    return msgspec.structs.replace(
        claim,
        holder=None,
        lapses_at=None,
        ttl_ms=None,
        registered=False,
        handover=None,
        updated_at=now,
        metadata={},
        forget_at=now + FORGET_MS,
    )


def released(project: Project, claim: ClaimRecord, now: int) -> tuple[ClaimRecord, list[Change]]:
    """The record of a claim that its holder gives back, and the changes to write with it."""
    event = project.event("claim_released", claim.id, claim_payload(claim) | {"released_at": now}, at=now)
    return freed(claim, now), [*glob_register.removal_writes(project, claim), *outbox([event])]


def claim_payload(claim: ClaimRecord) -> dict[str, object]:
    """The payload of events about a claim."""
    return {
        "key": claim.key,
        "holder": claim.holder,
        "actor": claim.actor,
        "token": claim.token,
        "acquired_at": claim.acquired_at,
        "expires_at": claim.lapses_at,
        "metadata": claim.metadata,
    }


def notice_of(claim: ClaimRecord, kind: NoticeKind, at: int, now: int) -> Notice:
    """The notice for the holder of a claim of what happened to it at `at`."""
    return Notice(
        holder=claim.holder or SYSTEM_ACTOR,
        id=_notice_id(claim, kind, at),
        key=claim.key,
        token=claim.token,
        expired_at=at,
        expires_at=now + NOTICE_MS,
        actor=claim.actor,
        kind=kind,
    )


def _notice_id(claim: ClaimRecord, kind: NoticeKind, at: int) -> str:
    """An id that sorts by instant, then by when the claim was acquired; the same for the same happening."""
    what = sha256(f"{kind} {claim.id}".encode()).hexdigest()[:32]
    return f"{ulid(at, bytes)}-{claim.token:015d}-{what}"


def expire(project: Project, claim_id: str) -> bool:
    """Free and announce the claim if it has expired; False where it has not, or somebody else was first."""
    rows = CLAIMS.within(project.store, project.scope)

    def attempt() -> bool:
        claim, now = rows.get(claim_id), project.now()
        if claim is None or not has_expired(claim, now):
            return False
        notice = notice_of(claim, "claim_expired", claim.lapses_at or now, now)
        _write_end(project, claim, now, kind="claim_expired", more={}, notice=notice, actor=SYSTEM_ACTOR)
        return True

    return project.retrying(attempt)


def take_over(project: Project, claim: ClaimRecord, takeover: Takeover) -> bool:
    """End a claim for `takeover`, with a notice for its holder; False where it changed meanwhile."""
    now = project.now()
    more = {"taken_by": takeover.holder, "taken_by_actor": takeover.actor, "reason": takeover.reason, "taken_at": now}
    notice = msgspec.structs.replace(
        notice_of(claim, "claim_taken", now, now), taken_by=takeover.holder, reason=takeover.reason
    )
    try:
        _write_end(project, claim, now, kind="claim_taken", more=more, notice=notice, actor=takeover.actor)
    except ConditionFailed:
        return False
    return True


def announce_expired(services: Services, scope: Scope) -> int:
    """Announce the expired claims of one project and return how many. Any number of processes may call it at once."""
    project = system_project(services, scope)
    rows = CLAIMS.within(project.store, scope)
    expired = rows.every(until=project.now() + 1, index="gsi1", page=_PAGE)
    announced = sum(expire(project, claim.id) for claim in expired)
    # A clock that was set back since may have left claims whose deadline nobody would ever come upon.
    for claim in rows.query(since=project.now() + LONGEST_MS + SKEW_MS, index="gsi1", limit=_PAGE).records:
        store_capped(project, claim)
    return announced


def _write_end(
    project: Project,
    claim: ClaimRecord,
    now: int,
    *,
    kind: str,
    more: Mapping[str, Any],
    notice: Notice,
    actor: str,
) -> None:
    event = project.event(kind, claim.id, {**claim_payload(claim), **more}, at=now, actor=actor)
    changes: Sequence[Change] = [
        replace(CLAIMS.within(project.store, project.scope), freed(claim, now)),
        NOTICES.within(project.store, project.scope).put(notice),
        *glob_register.removal_writes(project, claim),
        *outbox([event]),
    ]
    project.store.write(changes)
