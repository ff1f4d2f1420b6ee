"""The line for claims: who waits for a key has it as soon as nothing stands in its way, the first in line first.

Whoever frees a claim, and whoever asks for one, grants first what is due to those who wait; so a third who asks again
and again does not come before them. What is granted lasts for a short while: its holder hears of it at its next call,
and claims it again for as long as it needs, or the next in line has it. Places end some minutes after they were last
asked for.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from almanac.families.team.claims import settings
from almanac.families.team.claims.acquisition import acquire
from almanac.families.team.claims.expiry import SKEW_MS, is_held, notice_of, told_of
from almanac.families.team.claims.key_syntax import ClaimKey
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.requests import Acquired, Gone, Place, Wanted
from almanac.families.team.core.project import Project, system_project
from almanac.families.team.core.records import CLAIMS, NOTICES, WAITING, ClaimRecord, TeamSettings, Waiting
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput, LimitExceeded
from almanac.kernel.events import Event
from almanac.kernel.ids import RandomBytes, new_reference
from almanac.platform.services import Services
from almanac.platform.store.conditions import Present
from almanac.platform.store.port import Change

KEPT_MS = 600_000
GRACE_MS = 30_000
MAX_WAITING = 100


class Queued(Struct, frozen=True):
    """`position` 1 is the first of those whose keys overlap."""

    place: Waiting
    position: int


def is_used(standing: TeamSettings, now: int) -> bool:
    """Whether anybody may stand in line: else nobody needs to look."""
    return standing.queued_until > now


def in_line(project: Project) -> list[Waiting]:
    """Who waits, the first first."""
    now = project.now()
    rows = WAITING.within(project.store, project.scope).query(limit=2 * MAX_WAITING).records
    return [one for one in rows if now < one.expires_at <= now + KEPT_MS + SKEW_MS]


def line_up(project: Project, wanted: Wanted, keys: Keys) -> Queued:
    """The place of the caller, who keeps the one that it has. Raises LimitExceeded where too many wait."""
    key = keys.given(wanted.key)

    def attempt() -> Queued:
        standing, waiting, now = settings.standing(project), in_line(project), project.now()
        own = next((one for one in waiting if _is_of(one, wanted.holder, project.actor, key, keys)), None)
        if own is None and len(waiting) >= MAX_WAITING:
            raise LimitExceeded(
                f"{MAX_WAITING} callers wait for claims in this project already.",
                "Repeat the call later, or claim without wait.",
            )
        place = Waiting(
            id=own.id if own else _next_id(waiting, now, project.random_bytes),
            key=key.text,
            holder=wanted.holder,
            actor=project.actor,
            ttl_ms=wanted.ttl_ms,
            metadata=wanted.metadata or {},
            queued_at=own.queued_at if own else now,
            expires_at=now + KEPT_MS,
        )
        rows = WAITING.within(project.store, project.scope)
        changes: list[Change] = [rows.put(place, Present()) if own else rows.insert(place)]
        if standing.queued_until < now + KEPT_MS:
            told = msgspec.structs.replace(standing, queued_until=now + 2 * KEPT_MS)
            changes.append(settings.putting(project, told))
        project.store.write(changes)
        before = [one for one in waiting if one.id < place.id and keys.overlap(keys.read(one.key), key)]
        return Queued(place, len(before) + 1)

    return project.retrying(attempt)


def leave(project: Project, key: ClaimKey, holder: str, keys: Keys) -> bool:
    """Gives up the caller's place in line for a key; False where it had none."""
    rows = WAITING.within(project.store, project.scope)
    own = [one for one in in_line(project) if _is_of(one, holder, project.actor, key, keys)]
    for one in own:
        project.store.write([rows.delete(one.id)])
    return bool(own)


def grant_due(project: Project) -> int:
    """Grants what those in line can have now; answers how many were granted something."""
    keys = settings.keys_of(settings.standing(project))
    ahead: list[ClaimKey] = []
    granted = 0
    for place in in_line(project):
        try:
            key = keys.given(place.key)
            waits = any(keys.overlap(one, key) for one in ahead)
        except (InvalidInput, LimitExceeded):
            # A key that cannot be read or compared any more keeps its place until that ends, and holds up nobody.
            continue
        if not waits and _granted(project, place, key):
            granted += 1
        else:
            ahead.append(key)
    return granted


def grant_waiting(services: Services, scope: Scope) -> None:
    """The same for one project, of which nobody may have asked for anything."""
    project = system_project(services, scope)
    if is_used(settings.standing(project), project.now()):
        grant_due(project)


def _granted(project: Project, place: Waiting, key: ClaimKey) -> bool:
    """Whether the place is done with: somebody may also have granted it meanwhile."""
    waiting = WAITING.within(project.store, project.scope)
    own = CLAIMS.within(project.store, project.scope).get(key.id)
    if own is not None and is_held(own, project.now()) and (own.holder, own.actor) == (place.holder, place.actor):
        project.store.write([waiting.delete(place.id)])
        return True
    theirs = msgspec.structs.replace(project, actor=place.actor)

    def along(claim: ClaimRecord) -> tuple[Sequence[Change], Sequence[Event]]:
        told = {**told_of(claim), "queued_at": place.queued_at}
        event = theirs.event("claim_granted", claim.id, told, at=claim.acquired_at)
        told_at = claim.acquired_at
        notice = msgspec.structs.replace(notice_of(claim, "claim_granted", told_at, told_at), until=claim.lapses_at)
        notices = NOTICES.within(project.store, project.scope)
        return [waiting.delete(place.id, condition=Present()), notices.put(notice)], [event]

    wanted = Wanted(place.key, place.holder, min(place.ttl_ms, GRACE_MS), place.metadata)
    try:
        return isinstance(
            acquire(theirs, wanted, place=Place(lambda: waiting.get(place.id) is not None, along)), Acquired
        )
    except Gone:
        return True
    except LimitExceeded:
        return False


def _next_id(waiting: Sequence[Waiting], now: int, random_bytes: RandomBytes) -> str:
    """One that sorts after those who wait, also within a millisecond and after a clock was set back."""
    number = max([now, *(int(one.id.partition("-")[0]) + 1 for one in waiting)])
    return f"{number:015d}-{new_reference(random_bytes)}"


def _is_of(place: Waiting, holder: str, actor: str, key: ClaimKey, keys: Keys) -> bool:
    return (place.holder, place.actor) == (holder, actor) and keys.read(place.key).id == key.id
