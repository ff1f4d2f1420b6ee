"""The end of claims. The caller that finds a claim expired, or takes it over, frees and announces it in one write.

The server's clock decides. An expired claim is free at once, even before its end is announced; the next caller to
acquire it announces the end first. After a clock was set back, a stored deadline may lie further ahead than the
requested time. The next caller to read such a claim caps it to the requested time from now.
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
"""Longest time for which a claim can be requested."""
SKEW_MS = 5000
"""Assumed maximum difference between the clocks of two servers."""
_PAGE = 100


def is_held(claim: ClaimRecord | None, now: int) -> bool:
    """Return whether an actor holds the claim at `now`."""
    return claim is not None and claim.lapses_at is not None and claim.lapses_at > now


def has_expired(claim: ClaimRecord, now: int) -> bool:
    """Return whether the claim expired by `now` and the expiry is not announced yet."""
    return claim.lapses_at is not None and claim.lapses_at <= now


def cap_deadline(claim: ClaimRecord, now: int) -> ClaimRecord:
    """Return the claim with at most its requested time left. A clock that was set back may have lengthened it."""
    longest = now + (claim.ttl_ms or LONGEST_MS)
    if claim.lapses_at is None or claim.lapses_at <= longest + SKEW_MS:
        return claim
    return msgspec.structs.replace(claim, lapses_at=longest, updated_at=min(now, claim.updated_at))


def store_capped_deadline(project: Project, claim: ClaimRecord) -> ClaimRecord | None:
    """Cap the deadline of a held claim, store the claim if it changed, and return it. Returns None after a write
    conflict."""
    limited = cap_deadline(claim, project.now())
    if limited is claim:
        return claim
    try:
        project.store.write([replace(CLAIMS.within(project.store, project.scope), limited)])
    except ConditionFailed:
        return None
    return CLAIMS.within(project.store, project.scope).get(claim.id)


def free_record(claim: ClaimRecord, now: int) -> ClaimRecord:
    """Return the record of a claim without a holder."""
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


def release_record(project: Project, claim: ClaimRecord, now: int) -> tuple[ClaimRecord, list[Change]]:
    """Return the record of a claim that its holder gives back, and the changes to write with it."""
    event = project.event("claim_released", claim.id, claim_payload(claim) | {"released_at": now}, at=now)
    return free_record(claim, now), [*glob_register.removal_writes(project, claim), *outbox([event])]


def claim_payload(claim: ClaimRecord) -> dict[str, object]:
    """Return the payload of events about a claim."""
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
    """Return the notice that tells the holder of a claim about an event of `kind` at the instant `at`."""
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
    """Return an id that sorts by instant, then by acquisition. The same event always gets the same id."""
    what = sha256(f"{kind} {claim.id}".encode()).hexdigest()[:32]
    return f"{ulid(at, bytes)}-{claim.token:015d}-{what}"


def expire(project: Project, claim_id: str) -> bool:
    """Free and announce the claim if it has expired. Returns False if it has not, or if another caller was first."""
    rows = CLAIMS.within(project.store, project.scope)

    def attempt() -> bool:
        claim, now = rows.get(claim_id), project.now()
        if claim is None or not has_expired(claim, now):
            return False
        notice = notice_of(claim, "claim_expired", claim.lapses_at or now, now)
        _write_end(project, claim, now, kind="claim_expired", more={}, notice=notice, actor=SYSTEM_ACTOR)
        return True

    return project.retry_on_conflict(attempt)


def take_over(project: Project, claim: ClaimRecord, takeover: Takeover) -> bool:
    """End a claim in favour of `takeover` and leave a notice for its holder. Returns False if the claim changed
    meanwhile."""
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
    """Announce the expired claims of one project and return their number. Any number of processes may call this at
    once."""
    project = system_project(services, scope)
    rows = CLAIMS.within(project.store, scope)
    expired = rows.every(until=project.now() + 1, index="gsi1", page=_PAGE)
    announced = sum(expire(project, claim.id) for claim in expired)
    # If a clock was set back, a claim may have a deadline so far ahead that no job would ever reach it.
    for claim in rows.query(since=project.now() + LONGEST_MS + SKEW_MS, index="gsi1", limit=_PAGE).records:
        store_capped_deadline(project, claim)
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
        replace(CLAIMS.within(project.store, project.scope), free_record(claim, now)),
        NOTICES.within(project.store, project.scope).put(notice),
        *glob_register.removal_writes(project, claim),
        *outbox([event]),
    ]
    project.store.write(changes)
