"""The queue for claims. A waiting caller gets a key, in order of arrival, as soon as no held claim overlaps with it.

Every call that frees or acquires a claim first grants whatever is due to the queue, so no caller overtakes it by
retrying. A grant is short. Its holder gets a notice at its next call and claims again for as long as it needs;
otherwise the next caller in the queue gets the key. A place expires some minutes after its last renewal.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from almanac.families.team.claims import settings
from almanac.families.team.claims.acquisition import acquire
from almanac.families.team.claims.expiry import SKEW_MS, claim_payload, is_held, notice_of
from almanac.families.team.claims.key_syntax import ClaimKey
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.requests import AcquiredClaim, ClaimRequest, PlaceGone, QueuePlace
from almanac.families.team.core.project import Project, system_project
from almanac.families.team.core.records import (
    CLAIMS,
    NOTICES,
    QUEUE_KEPT_MS,
    WAITING,
    ClaimQueueEntry,
    ClaimRecord,
    TeamSettings,
)
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput, LimitExceeded
from almanac.kernel.events import Event
from almanac.kernel.ids import RandomBytes, new_reference
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.services import Services
from almanac.platform.store.conditions import Present
from almanac.platform.store.port import Change

KEPT_MS = QUEUE_KEPT_MS
GRACE_MS = 30_000
MAX_WAITING = 100


class QueuePosition(Struct, frozen=True):
    """A place in the queue. `position` 1 is the first among the places whose keys overlap."""

    place: ClaimQueueEntry
    position: int


def may_have_waiters(current: TeamSettings, now: int) -> bool:
    """Return whether a caller may be waiting. If not, the queue need not be read."""
    return current.queued_until > now


def waiting_places(project: Project) -> list[ClaimQueueEntry]:
    """Return the queue, first place first."""
    now = project.now()
    rows = WAITING.within(project.store, project.scope).query(limit=2 * MAX_WAITING).records
    return [row for row in rows if now < row.expires_at <= now + KEPT_MS + SKEW_MS]


def join(project: Project, request: ClaimRequest, keys: Keys) -> QueuePosition:
    """Queue the caller, or renew the place that it has. Raises LimitExceeded if too many callers wait."""
    key = keys.parse(request.key)

    def attempt() -> QueuePosition:
        current, waiting, now = settings.stored_settings(project), waiting_places(project), project.now()
        own = next((one for one in waiting if _is_of(one, request.holder, project.actor, key, keys)), None)
        if own is None and len(waiting) >= MAX_WAITING:
            raise LimitExceeded(
                f"{MAX_WAITING} callers wait for claims in this project already.",
                "Repeat the call later, or claim without wait.",
            )
        place = ClaimQueueEntry(
            id=own.id if own else _next_id(waiting, now, project.random_bytes),
            key=key.text,
            holder=request.holder,
            actor=project.actor,
            ttl_ms=request.ttl_ms,
            metadata=request.metadata or {},
            queued_at=own.queued_at if own else now,
            expires_at=now + KEPT_MS,
        )
        rows = WAITING.within(project.store, project.scope)
        changes: list[Change] = [rows.put(place, Present()) if own else rows.insert(place)]
        changes += [] if own else redaction_changes(project, place.key, "claim", request.findings, now)
        if current.queued_until < now + KEPT_MS:
            payload = msgspec.structs.replace(current, queued_until=now + 2 * KEPT_MS)
            changes.append(settings.settings_write(project, payload))
        project.store.write(changes)
        ahead = [one for one in waiting if one.id < place.id and keys.overlap(keys.read(one.key), key)]
        return QueuePosition(place, len(ahead) + 1)

    return project.retry_on_conflict(attempt)


def leave(project: Project, key: ClaimKey, holder: str, keys: Keys) -> bool:
    """Remove the caller's place in the queue for a key. Returns False if it had none."""
    rows = WAITING.within(project.store, project.scope)
    own = [one for one in waiting_places(project) if _is_of(one, holder, project.actor, key, keys)]
    for one in own:
        project.store.write([rows.delete(one.id)])
    return bool(own)


def grant_due(project: Project) -> int:
    """Grant every key that the queue can have now, and return the number of grants."""
    keys = settings.keys_of(settings.stored_settings(project))
    keys_ahead: list[ClaimKey] = []
    granted = 0
    for place in waiting_places(project):
        try:
            key = keys.parse(place.key)
            waits = any(keys.overlap(one, key) for one in keys_ahead)
        except (InvalidInput, LimitExceeded):
            # A key that can no longer be parsed or compared keeps its place until it expires, and blocks no other
            # place.
            continue
        if not waits and _grant(project, place, key):
            granted += 1
        else:
            keys_ahead.append(key)
    return granted


def grant_waiting(services: Services, scope: Scope) -> None:
    """Run `grant_due` as a scheduled job of one project."""
    project = system_project(services, scope)
    if may_have_waiters(settings.stored_settings(project), project.now()):
        grant_due(project)


def _grant(project: Project, place: ClaimQueueEntry, key: ClaimKey) -> bool:
    """Grant a claim to a place in the queue, and return whether the place is settled. Another caller may have settled
    it."""
    waiting = WAITING.within(project.store, project.scope)
    own = CLAIMS.within(project.store, project.scope).get(key.id)
    if own is not None and is_held(own, project.now()) and (own.holder, own.actor) == (place.holder, place.actor):
        project.store.write([waiting.delete(place.id)])
        return True
    as_waiter = msgspec.structs.replace(project, actor=place.actor)

    def effects(claim: ClaimRecord) -> tuple[Sequence[Change], Sequence[Event]]:
        payload = {**claim_payload(claim), "queued_at": place.queued_at}
        event = as_waiter.event("claim_granted", claim.id, payload, at=claim.acquired_at)
        granted_at = claim.acquired_at
        notice = notice_of(claim, "claim_granted", granted_at, granted_at)
        notice = msgspec.structs.replace(notice, until=claim.lapses_at)
        notices = NOTICES.within(project.store, project.scope)
        return [
            waiting.delete(place.id, condition=Present()),
            notices.put(notice),
        ], [event]

    request = ClaimRequest(place.key, place.holder, min(place.ttl_ms, GRACE_MS), place.metadata)
    try:
        return isinstance(
            acquire(as_waiter, request, place=QueuePlace(lambda: waiting.get(place.id) is not None, effects)),
            AcquiredClaim,
        )
    except PlaceGone:
        return True
    except LimitExceeded:
        return False


def _next_id(waiting: Sequence[ClaimQueueEntry], now: int, random_bytes: RandomBytes) -> str:
    """Return an id that sorts after all others, even within a millisecond or after a clock was set back."""
    number = max([now, *(int(one.id.partition("-")[0]) + 1 for one in waiting)])
    return f"{number:015d}-{new_reference(random_bytes)}"


def _is_of(place: ClaimQueueEntry, holder: str, actor: str, key: ClaimKey, keys: Keys) -> bool:
    return (place.holder, place.actor) == (holder, actor) and keys.read(place.key).id == key.id
