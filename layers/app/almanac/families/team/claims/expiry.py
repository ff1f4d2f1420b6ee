"""The end of claims: freed and announced in one write, once, by whoever finds that they ran out or takes them.

A server's clock decides. Nobody is asked to be on time: an expired claim is free for everybody who asks for it, whether
or not its end was announced, and whoever takes it announces it first. A clock that was set back makes no claim longer
than it was asked for: whoever comes upon one that would be has it end after that time from now.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from almanac.families.team.claims import glob_register
from almanac.families.team.claims.taking import Taking
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
"""How far the clocks of two servers may be apart: no more than that is made of it."""
_PAGE = 100


def is_held(claim: ClaimRecord | None, now: int) -> bool:
    """Whether somebody holds it at `now`."""
    return claim is not None and claim.lapses_at is not None and claim.lapses_at > now


def has_lapsed(claim: ClaimRecord, now: int) -> bool:
    """Whether it ran out at `now` and nobody has said so yet."""
    return claim.lapses_at is not None and claim.lapses_at <= now


def bounded(claim: ClaimRecord, now: int) -> ClaimRecord:
    """The claim with no more time left than was asked for, as it is where clocks were set back."""
    longest = now + (claim.ttl_ms or LONGEST_MS)
    if claim.lapses_at is None or claim.lapses_at <= longest + SKEW_MS:
        return claim
    return msgspec.structs.replace(claim, lapses_at=longest, updated_at=min(now, claim.updated_at))


def anchored(project: Project, claim: ClaimRecord) -> ClaimRecord | None:
    """A claim that is held, as `bounded`, which is written where it differs. None where somebody else wrote
    meanwhile."""
    fixed = bounded(claim, project.now())
    if fixed is claim:
        return claim
    try:
        project.store.write([replace(CLAIMS.within(project.store, project.scope), fixed)])
    except ConditionFailed:
        return None
    return CLAIMS.within(project.store, project.scope).get(claim.id)


def freed(claim: ClaimRecord, now: int) -> ClaimRecord:
    """The claim as it is kept when nobody holds it."""
    return msgspec.structs.replace(
        claim,
        holder=None,
        lapses_at=None,
        ttl_ms=None,
        registered=False,
        updated_at=now,
        metadata={},
        forget_at=now + FORGET_MS,
    )


def told_of(claim: ClaimRecord) -> dict[str, object]:
    """What events say of a claim."""
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
    """What the holder of a claim is to be told of what happened to it at `at`."""
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
    """Notices are told in the order in which things happened, those of one instant by when their claims were acquired:
    nothing of it is left to chance, and what happened once is told once."""
    what = sha256(f"{kind} {claim.id}".encode()).hexdigest()[:32]
    return f"{ulid(at, bytes)}-{claim.token:015d}-{what}"


def settle(project: Project, claim_id: str) -> bool:
    """Frees and announces the claim of that id if it has lapsed; False where it has not, or somebody else was first."""
    rows = CLAIMS.within(project.store, project.scope)

    def attempt() -> bool:
        claim, now = rows.get(claim_id), project.now()
        if claim is None or not has_lapsed(claim, now):
            return False
        notice = notice_of(claim, "claim_expired", claim.lapses_at or now, now)
        _write_end(project, claim, now, kind="claim_expired", more={}, notice=notice, actor=SYSTEM_ACTOR)
        return True

    return project.retrying(attempt)


def ended(project: Project, claim: ClaimRecord, taking: Taking) -> bool:
    """Frees a claim that somebody takes, and tells its holder; False where it changed meanwhile."""
    now = project.now()
    more = {"taken_by": taking.holder, "taken_by_actor": taking.actor, "reason": taking.reason, "taken_at": now}
    notice = msgspec.structs.replace(
        notice_of(claim, "claim_taken", now, now), taken_by=taking.holder, reason=taking.reason
    )
    try:
        _write_end(project, claim, now, kind="claim_taken", more=more, notice=notice, actor=taking.actor)
    except ConditionFailed:
        return False
    return True


def announce_expired(services: Services, scope: Scope) -> int:
    """Announces every claim of one project that has run out; answers how many. To be called about once a second on a
    laptop and once a minute on AWS, by as many processes as like to."""
    project = system_project(services, scope)
    rows = CLAIMS.within(project.store, scope)
    lapsed = rows.every(until=project.now() + 1, index="gsi1", page=_PAGE)
    announced = sum(settle(project, claim.id) for claim in lapsed)
    # Nobody may ever come upon a claim that a clock, since set back, has put off for longer than claims can last.
    for claim in rows.query(since=project.now() + LONGEST_MS + SKEW_MS, index="gsi1", limit=_PAGE).records:
        anchored(project, claim)
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
    event = project.event(kind, claim.id, {**told_of(claim), **more}, at=now, actor=actor)
    changes: Sequence[Change] = [
        replace(CLAIMS.within(project.store, project.scope), freed(claim, now)),
        NOTICES.within(project.store, project.scope).put(notice),
        *glob_register.removal(project, claim),
        *outbox([event]),
    ]
    project.store.write(changes)
