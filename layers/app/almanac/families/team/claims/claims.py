"""The claims of a project: leases on keys, with what holders do about them."""

from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Struct

from almanac.families.team.claims import glob_register, queue, settings
from almanac.families.team.claims.acquisition import acquire, standing_claim
from almanac.families.team.claims.expiry import (
    anchored,
    bounded,
    freed,
    has_lapsed,
    is_held,
    notice_of,
    settle,
    told_of,
)
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.requests import Acquired, Blocked, Wanted
from almanac.families.team.core.project import Project, check_size
from almanac.families.team.core.records import CLAIMS, NOTICES, ClaimRecord, Notice, TeamSettings, Waiting
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.contention import Retry
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

METADATA_BYTES = 8 * 1024
_TOLD_AT_ONCE = 20
_ACTORS = 5
_PAGES = 50

Reason = Literal["wrong_holder", "wrong_actor", "not_held"]


class Refused(Struct, frozen=True):
    """`claim` is what somebody else holds, with reason "wrong_holder", or "wrong_actor" where another actor uses the
    same holder's name."""

    reason: Reason
    claim: ClaimRecord | None = None


class Left(Struct, frozen=True):
    """The caller gave up its place in line."""


class Listed(Struct, frozen=True):
    """`cursor` is None where nothing follows."""

    claims: list[ClaimRecord]
    cursor: str | None


class Claims:
    """The claims of one project, on behalf of a caller."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._rows = CLAIMS.within(project.store, project.scope)

    def now(self) -> int:
        """Milliseconds since 1970."""
        return self._project.now()

    def other_actor(self, claim: ClaimRecord) -> str | None:
        """Who made a claim, unless the caller did."""
        return claim.actor if claim.actor != self._project.actor else None

    def keys(self) -> Keys:
        """What reads keys as the project spells them."""
        return settings.keys_of(settings.standing(self._project))

    def acquire(
        self,
        key: str,
        holder: str,
        ttl_ms: int,
        metadata: dict[str, object] | None = None,
        reason: str | None = None,
        *,
        wait: bool = False,
    ) -> Acquired | Blocked:
        """The claim, new or refreshed, or what stands in its way; with a `reason`, that is taken from its holder, and
        with `wait`, the caller stands in line for it. Raises InvalidInput for metadata over 8 KB."""
        if metadata is not None:
            check_size(metadata, "metadata", METADATA_BYTES)
        wanted = Wanted(key, holder, ttl_ms, metadata, reason)
        outcome = acquire(self._project, wanted, first=self._grant)
        if isinstance(outcome, Acquired) or not wait:
            return outcome
        queued = queue.line_up(self._project, wanted, self.keys())
        if queue.grant_due(self._project):
            outcome = acquire(self._project, wanted)
        return outcome if isinstance(outcome, Acquired) else Blocked(outcome.claim, queued.place, queued.position)

    def release(self, key: str, holder: str) -> ClaimRecord | Left | Refused:
        """The claim that was released, or that the caller no longer stands in line for it."""

        def change(claim: ClaimRecord, now: int) -> tuple[ClaimRecord, list[Change]]:
            told = told_of(claim) | {"released_at": now}
            event = self._project.event("claim_released", claim.id, told, at=now)
            return freed(claim, now), [*glob_register.removal(self._project, claim), *outbox([event])]

        outcome = self._by_its_holder(key, holder, change)
        standing = settings.standing(self._project)
        if not queue.is_used(standing, self.now()):
            return outcome
        keys = settings.keys_of(standing)
        has_left = queue.leave(self._project, keys.given(key), holder, keys)
        queue.grant_due(self._project)
        return Left() if has_left and isinstance(outcome, Refused) else outcome

    def waiting(self, overlapping: str | None, holder: str | None) -> list[Waiting]:
        """Who stands in line, the first first. Changes nothing."""
        standing = settings.standing(self._project)
        if not queue.is_used(standing, self.now()):
            return []
        keys = settings.keys_of(standing)
        wanted = None if overlapping is None else keys.given(overlapping)
        return [
            one
            for one in queue.in_line(self._project)
            if (holder is None or one.holder == holder) and (wanted is None or keys.overlap(keys.read(one.key), wanted))
        ]

    def _grant(self, standing: TeamSettings) -> None:
        if queue.is_used(standing, self.now()):
            queue.grant_due(self._project)

    def extend(self, key: str, holder: str, ttl_ms: int) -> ClaimRecord | Refused:
        """The claim with its new deadline, which takes the place of the former one."""

        def change(claim: ClaimRecord, now: int) -> tuple[ClaimRecord, list[Change]]:
            return msgspec.structs.replace(claim, lapses_at=now + ttl_ms, ttl_ms=ttl_ms, updated_at=now), []

        return self._by_its_holder(key, holder, change)

    def listed(
        self, *, overlapping: str | None = None, holder: str | None = None, limit: int, cursor: str | None = None
    ) -> Listed:
        """What is held now, by key. Changes nothing."""
        found: list[ClaimRecord] = []
        keys = self.keys()
        wanted = None if overlapping is None else keys.given(overlapping)
        for _ in range(_PAGES):
            page = self._rows.query(limit=limit - len(found), cursor=cursor)
            now = self.now()
            found += [
                bounded(claim, now)
                for claim in page.records
                if is_held(claim, now)
                and (holder is None or claim.holder == holder)
                and (wanted is None or keys.overlap(keys.read(claim.key), wanted))
            ]
            cursor = page.cursor
            if cursor is None or len(found) == limit:
                break
        return Listed(found, cursor)

    def everything(self) -> list[ClaimRecord]:
        """All that is held now, by key."""
        found: list[ClaimRecord] = []
        cursor: str | None = None
        while True:
            listed = self.listed(limit=1000, cursor=cursor)
            found += listed.claims
            if (cursor := listed.cursor) is None:
                return found

    def notices(self, holder: str) -> list[Notice]:
        """What `holder` is to be told of what happened since its last call, at most 20. Each is told once, and only to
        the actor whose claim it was."""
        for claim in self._lapsed(holder):
            settle(self._project, claim.id)
        told = self._untold(holder)
        if told:
            rows = NOTICES.within(self._project.store, self._project.scope)
            self._project.store.write([rows.delete(holder, notice.id) for notice in told])
        return told

    def pending_notices(self, holder: str) -> list[Notice]:
        """The same, which is still to be told afterwards. Changes nothing."""
        now, untold = self.now(), self._untold(holder)
        lapsed = [notice_of(claim, "claim_expired", claim.lapses_at or now, now) for claim in self._lapsed(holder)]
        return sorted([*untold, *lapsed], key=lambda notice: notice.id)[:_TOLD_AT_ONCE]

    def _lapsed(self, holder: str) -> list[ClaimRecord]:
        """Claims of `holder` that ran out and whose end nobody has announced yet."""
        found = self._rows.query(until=self.now() + 1, index="gsi1").records
        return [claim for claim in found if (claim.holder, claim.actor) == (holder, self._project.actor)]

    def _untold(self, holder: str) -> list[Notice]:
        rows = NOTICES.within(self._project.store, self._project.scope)
        found = rows.query(holder, limit=_TOLD_AT_ONCE * _ACTORS).records
        return [one for one in found if one.actor in (None, self._project.actor)][:_TOLD_AT_ONCE]

    def _by_its_holder(
        self,
        key: str,
        holder: str,
        change: Callable[[ClaimRecord, int], tuple[ClaimRecord, list[Change]]],
    ) -> ClaimRecord | Refused:
        """The claim before it was freed or after it was changed, as `change` says."""
        asked = self.keys().given(key)
        owner = (holder, self._project.actor)

        def attempt() -> ClaimRecord | Refused:
            claim, now = standing_claim(self._project, asked, owner), self.now()
            if claim is not None and has_lapsed(claim, now):
                settle(self._project, claim.id)
                raise Retry
            if claim is None or claim.holder is None:
                return Refused("not_held")
            if (claim.holder, claim.actor) != owner:
                standing = anchored(self._project, claim)
                if standing is None:
                    raise Retry
                return Refused("wrong_actor" if claim.holder == holder else "wrong_holder", standing)
            changed, more = change(claim, now)
            self._project.store.write([replace(self._rows, changed), *more])
            return changed

        return self._project.retrying(attempt)
