"""The claims of a project: leases on keys, acquired, extended and released by their holders."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from almanac.content.redaction import redact_value
from almanac.families.team.claims import queue, settings
from almanac.families.team.claims.acquisition import acquire, stored_claim
from almanac.families.team.claims.expiry import (
    cap_deadline,
    expire,
    has_expired,
    is_held,
    notice_of,
    release_record,
    store_capped_deadline,
)
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.requests import AcquiredClaim, BlockingClaim, ClaimRequest
from almanac.families.team.claims.requirement import RefusedPath, check_paths
from almanac.families.team.core.project import Project, check_size
from almanac.families.team.core.records import (
    CLAIMS,
    NO_SESSION,
    NOTICES,
    PRESENCE,
    ClaimQueueEntry,
    ClaimRecord,
    Notice,
    Presence,
    TeamSettings,
)
from almanac.platform.store.contention import Retry
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

METADATA_BYTES = 8 * 1024
_NOTICES_AT_ONCE = 20
_ACTORS = 5
_SESSIONS = 100
_PAGES = 50

Reason = Literal["wrong_holder", "wrong_actor", "not_held"]


class ClaimRefusal(Struct, frozen=True):
    """A refused release or extension. The reason is "wrong_holder" if another holder has `claim`, "wrong_actor" if
    another actor has it under the same holder name, and "not_held" if it is free."""

    reason: Reason
    claim: ClaimRecord | None = None


class LeftQueue(Struct, frozen=True):
    """Result of a release that gave up the caller's place in the queue."""


class HeldPage(Struct, frozen=True):
    """A page of held claims. `cursor` is None on the last page."""

    claims: list[ClaimRecord]
    cursor: str | None


class Claims:
    """The claims of one project, on behalf of a caller."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._rows = CLAIMS.within(project.store, project.scope)

    def now(self) -> int:
        """Return the current time in milliseconds since 1970."""
        return self._project.now()

    def other_actor(self, claim: ClaimRecord) -> str | None:
        """Return the actor of a claim, or None if it is the caller."""
        return claim.actor if claim.actor != self._project.actor else None

    def last_of_owner(self, claim: ClaimRecord) -> Presence | None:
        """Return the latest heartbeat, at most a day old, of the actor who holds a claim. Prefers a session whose name
        is part of the holder's name."""
        presence = PRESENCE.within(self._project.store, self._project.scope)
        sessions = presence.query(claim.actor, limit=_SESSIONS).records
        holder = claim.holder or ""
        named = [session for session in sessions if session.session != NO_SESSION and session.session in holder]
        return max(named or sessions, key=lambda one: one.seen_at, default=None)

    def keys(self) -> Keys:
        """Return a key parser with the settings of the project."""
        return settings.keys_of(settings.stored_settings(self._project))

    def acquire(
        self,
        key: str,
        holder: str,
        ttl_ms: int,
        metadata: dict[str, object] | None = None,
        reason: str | None = None,
        *,
        wait: bool = False,
    ) -> AcquiredClaim | BlockingClaim:
        """Acquire or refresh a claim, or return the overlapping claim that blocks it.

        With a `reason` the blocking claim is taken from its holder. With `wait` the caller joins the queue. Raises
        InvalidInput for metadata over 8 KB.
        """
        redacted = redact_value({"metadata": metadata, "reason": reason})
        redacted_input = cast("dict[str, Any]", redacted.value)
        if metadata is not None:
            check_size(redacted_input["metadata"], "metadata", METADATA_BYTES)
        request = ClaimRequest(
            key, holder, ttl_ms, redacted_input["metadata"], redacted_input["reason"], redacted.findings
        )
        outcome = acquire(self._project, request, prepare=self._grant)
        if isinstance(outcome, AcquiredClaim) or not wait:
            return outcome
        queued = queue.join(self._project, request, self.keys())
        if queue.grant_due(self._project):
            outcome = acquire(self._project, request)
        return (
            outcome
            if isinstance(outcome, AcquiredClaim)
            else BlockingClaim(outcome.claim, queued.place, queued.position)
        )

    def release(self, key: str, holder: str) -> ClaimRecord | LeftQueue | ClaimRefusal:
        """Release a claim, or leave the queue for it."""

        def change(claim: ClaimRecord, now: int) -> tuple[ClaimRecord, list[Change]]:
            return release_record(self._project, claim, now)

        outcome = self._change_held(key, holder, change)
        current = settings.stored_settings(self._project)
        if not queue.may_have_waiters(current, self.now()):
            return outcome
        keys = settings.keys_of(current)
        has_left = queue.leave(self._project, keys.parse(key), holder, keys)
        queue.grant_due(self._project)
        return LeftQueue() if has_left and isinstance(outcome, ClaimRefusal) else outcome

    def list_waiting(self, overlapping: str | None, holder: str | None) -> list[ClaimQueueEntry]:
        """Return the queue, first place first, without changing anything."""
        current = settings.stored_settings(self._project)
        if not queue.may_have_waiters(current, self.now()):
            return []
        keys = settings.keys_of(current)
        wanted_key = None if overlapping is None else keys.parse(overlapping)
        return [
            one
            for one in queue.waiting_places(self._project)
            if (holder is None or one.holder == holder)
            and (wanted_key is None or keys.overlap(keys.read(one.key), wanted_key))
        ]

    def _grant(self, current: TeamSettings) -> None:
        if queue.may_have_waiters(current, self.now()):
            queue.grant_due(self._project)

    def extend(self, key: str, holder: str, ttl_ms: int) -> ClaimRecord | ClaimRefusal:
        """Give a claim a new deadline in place of the old one."""

        def change(claim: ClaimRecord, now: int) -> tuple[ClaimRecord, list[Change]]:
            return msgspec.structs.replace(claim, lapses_at=now + ttl_ms, ttl_ms=ttl_ms, updated_at=now), []

        return self._change_held(key, holder, change)

    def list_held(
        self, *, overlapping: str | None = None, holder: str | None = None, limit: int, cursor: str | None = None
    ) -> HeldPage:
        """Return a page of the claims that are held now, by key, without changing anything."""
        matches: list[ClaimRecord] = []
        keys = self.keys()
        wanted_key = None if overlapping is None else keys.parse(overlapping)
        for _ in range(_PAGES):
            page = self._rows.query(limit=limit - len(matches), cursor=cursor)
            now = self.now()
            matches += [
                cap_deadline(claim, now)
                for claim in page.records
                if is_held(claim, now)
                and (holder is None or claim.holder == holder)
                and (wanted_key is None or keys.overlap(keys.read(claim.key), wanted_key))
            ]
            cursor = page.cursor
            if cursor is None or len(matches) == limit:
                break
        return HeldPage(matches, cursor)

    def check(self, paths: Sequence[str], holder: str | None, token: int | None) -> list[RefusedPath]:
        """Return the files that the caller may not change; see `check_paths`. Changes nothing."""
        return check_paths(self._project, paths, holder, token)

    def all_held(self) -> list[ClaimRecord]:
        """Return all claims that are held now, by key."""
        matches: list[ClaimRecord] = []
        cursor: str | None = None
        while True:
            page = self.list_held(limit=1000, cursor=cursor)
            matches += page.claims
            if (cursor := page.cursor) is None:
                return matches

    def deliver_notices(self, holder: str) -> list[Notice]:
        """Deliver at most 20 notices about the claims of `holder` since its last call. Each notice is delivered once,
        and only to the actor who had the claim."""
        for claim in self._expired_claims(holder):
            expire(self._project, claim.id)
        delivered = self._undelivered_notices(holder)
        if delivered:
            rows = NOTICES.within(self._project.store, self._project.scope)
            self._project.store.write([rows.delete(holder, notice.id) for notice in delivered])
        return delivered

    def pending_notices(self, holder: str) -> list[Notice]:
        """Return the same notices without delivering them."""
        now, undelivered = self.now(), self._undelivered_notices(holder)
        expired = [
            notice_of(claim, "claim_expired", claim.lapses_at or now, now) for claim in self._expired_claims(holder)
        ]
        return sorted([*undelivered, *expired], key=lambda notice: notice.id)[:_NOTICES_AT_ONCE]

    def _expired_claims(self, holder: str) -> list[ClaimRecord]:
        """Return expired claims of `holder` whose expiry is not announced yet."""
        matches = self._rows.query(until=self.now() + 1, index="gsi1").records
        return [claim for claim in matches if (claim.holder, claim.actor) == (holder, self._project.actor)]

    def _undelivered_notices(self, holder: str) -> list[Notice]:
        rows = NOTICES.within(self._project.store, self._project.scope)
        matches = rows.query(holder, limit=_NOTICES_AT_ONCE * _ACTORS).records
        return [match for match in matches if match.actor in (None, self._project.actor)][:_NOTICES_AT_ONCE]

    def _change_held(
        self,
        key: str,
        holder: str,
        change: Callable[[ClaimRecord, int], tuple[ClaimRecord, list[Change]]],
    ) -> ClaimRecord | ClaimRefusal:
        """Apply `change` to a claim of the caller, write the result and return it."""
        claim_key = self.keys().parse(key)
        owner = (holder, self._project.actor)

        def attempt() -> ClaimRecord | ClaimRefusal:
            claim, now = stored_claim(self._project, claim_key, owner), self.now()
            if claim is not None and has_expired(claim, now):
                expire(self._project, claim.id)
                raise Retry
            if claim is None or claim.holder is None:
                return ClaimRefusal("not_held")
            if (claim.holder, claim.actor) != owner:
                current = store_capped_deadline(self._project, claim)
                if current is None:
                    raise Retry
                return ClaimRefusal("wrong_actor" if claim.holder == holder else "wrong_holder", current)
            changed, more = change(claim, now)
            self._project.store.write([replace(self._rows, changed), *more])
            return changed

        return self._project.retry_on_conflict(attempt)
