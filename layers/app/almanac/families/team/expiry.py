"""The end of claims that ran out: freed and announced in one write, once, by whoever finds them first.

A server's clock decides. Nobody is asked to be on time: an expired claim is free for everybody who asks for it, whether
or not its end was announced, and whoever takes it announces it first.
"""

import msgspec

from almanac.families.team import glob_register
from almanac.families.team.project import HOUSE, Project, house_project
from almanac.families.team.records import CLAIMS, FORGET_MS, NOTICES, ClaimRecord, Notice
from almanac.kernel.caller import Scope
from almanac.platform.bus.outbox import outbox
from almanac.platform.services import Services
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.records import replace

NOTICE_MS = 7 * 86_400_000
_PAGE = 100


def is_held(claim: ClaimRecord | None, now: int) -> bool:
    """Whether somebody holds it at `now`."""
    return claim is not None and claim.lapses_at is not None and claim.lapses_at > now


def has_lapsed(claim: ClaimRecord, now: int) -> bool:
    """Whether it ran out at `now` and nobody has said so yet."""
    return claim.lapses_at is not None and claim.lapses_at <= now


def freed(claim: ClaimRecord, now: int) -> ClaimRecord:
    """The claim as it is kept when nobody holds it."""
    return msgspec.structs.replace(
        claim, holder=None, lapses_at=None, updated_at=now, metadata={}, forget_at=now + FORGET_MS
    )


def told_of(claim: ClaimRecord) -> dict[str, object]:
    """What events say of a claim."""
    return {
        "key": claim.key,
        "holder": claim.holder,
        "token": claim.token,
        "acquired_at": claim.acquired_at,
        "expires_at": claim.lapses_at,
        "metadata": claim.metadata,
    }


def notice_of(claim: ClaimRecord, notice_id: str, now: int) -> Notice:
    """What the holder of a claim that has lapsed is to be told."""
    return Notice(
        holder=claim.holder or HOUSE,
        id=notice_id,
        key=claim.key,
        token=claim.token,
        expired_at=claim.lapses_at or now,
        expires_at=now + NOTICE_MS,
    )


def settle(project: Project, claim_id: str) -> bool:
    """Frees and announces the claim of that id if it has lapsed; False where it has not, or somebody else was first."""
    rows = CLAIMS.within(project.store, project.scope)
    for _ in project.pauses.attempts():
        claim, now = rows.get(claim_id), project.now()
        if claim is None or not has_lapsed(claim, now):
            return False
        try:
            project.store.write(_ended(project, claim, now))
        except ConditionFailed:
            continue
        return True
    raise AssertionError("attempts end by raising")


def announce_expired(services: Services, scope: Scope) -> int:
    """Announces every claim of one project that has run out; answers how many. To be called about once a second on a
    laptop and once a minute on AWS, by as many processes as like to."""
    project = house_project(services, scope)
    rows, announced = CLAIMS.within(project.store, scope), 0
    until = project.now() + 1
    cursor: str | None = None
    while True:
        page = rows.query(until=until, index="gsi1", limit=_PAGE, cursor=cursor)
        announced += sum(settle(project, claim.id) for claim in page.records)
        cursor = page.cursor
        if cursor is None:
            return announced


def _ended(project: Project, claim: ClaimRecord, now: int) -> list[Change]:
    event = project.event("claim_expired", claim.id, told_of(claim), at=now, actor=HOUSE)
    return [
        replace(CLAIMS.within(project.store, project.scope), freed(claim, now)),
        NOTICES.within(project.store, project.scope).put(notice_of(claim, event.id, now)),
        *glob_register.removal(project, claim),
        *outbox([event]),
    ]
