"""The claims of a project: leases on keys, with what holders do about them."""

from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Struct

from almanac.families.team import glob_register
from almanac.families.team.claim_keys import ClaimKey, given_key, read_key
from almanac.families.team.claiming import Acquired, Blocked, Wanted, acquire
from almanac.families.team.expiry import freed, has_lapsed, is_held, notice_of, settle, told_of
from almanac.families.team.project import Project, check_size
from almanac.families.team.records import CLAIMS, NOTICES, ClaimRecord, Notice
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.records import replace

METADATA_BYTES = 8 * 1024
_TOLD_AT_ONCE = 20
_PAGES = 50

Reason = Literal["wrong_holder", "not_held"]


class Refused(Struct, frozen=True):
    """`claim` is what somebody else holds, with reason "wrong_holder"."""

    reason: Reason
    claim: ClaimRecord | None = None


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

    def acquire(
        self, key: str, holder: str, ttl_ms: int, metadata: dict[str, object] | None = None
    ) -> Acquired | Blocked:
        """The claim, new or refreshed, or what stands in its way. Raises InvalidInput for metadata over 8 KB."""
        if metadata is not None:
            check_size(metadata, "metadata", METADATA_BYTES)
        return acquire(self._project, Wanted(given_key(key), holder, ttl_ms, metadata))

    def release(self, key: str, holder: str) -> ClaimRecord | Refused:
        """The claim that was released."""

        def change(claim: ClaimRecord, now: int) -> tuple[ClaimRecord, list[Change]]:
            told = told_of(claim) | {"released_at": now}
            event = self._project.event("claim_released", claim.id, told, at=now)
            return freed(claim, now), [*glob_register.removal(self._project, claim), *outbox([event])]

        return self._by_its_holder(key, holder, change)

    def extend(self, key: str, holder: str, ttl_ms: int) -> ClaimRecord | Refused:
        """The claim with its new deadline, which takes the place of the former one."""

        def change(claim: ClaimRecord, now: int) -> tuple[ClaimRecord, list[Change]]:
            return msgspec.structs.replace(claim, lapses_at=now + ttl_ms, updated_at=now), []

        return self._by_its_holder(key, holder, change)

    def listed(
        self, *, overlapping: ClaimKey | None = None, holder: str | None = None, limit: int, cursor: str | None = None
    ) -> Listed:
        """What is held now, by key. Changes nothing."""
        found: list[ClaimRecord] = []
        for _ in range(_PAGES):
            page = self._rows.query(limit=limit - len(found), cursor=cursor)
            now = self.now()
            found += [
                claim
                for claim in page.records
                if is_held(claim, now)
                and (holder is None or claim.holder == holder)
                and (overlapping is None or read_key(claim.key).overlaps(overlapping))
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
        """What `holder` is to be told: claims that ran out since its last call, at most 20. Each is told once."""
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
        return [*untold, *(notice_of(claim, "", now) for claim in self._lapsed(holder))][:_TOLD_AT_ONCE]

    def _lapsed(self, holder: str) -> list[ClaimRecord]:
        """Claims of `holder` that ran out and whose end nobody has announced yet."""
        found = self._rows.query(until=self.now() + 1, index="gsi1").records
        return [claim for claim in found if claim.holder == holder]

    def _untold(self, holder: str) -> list[Notice]:
        rows = NOTICES.within(self._project.store, self._project.scope)
        return list(rows.query(holder, limit=_TOLD_AT_ONCE).records)

    def _by_its_holder(
        self,
        key: str,
        holder: str,
        change: Callable[[ClaimRecord, int], tuple[ClaimRecord, list[Change]]],
    ) -> ClaimRecord | Refused:
        """The claim before it was freed or after it was changed, as `change` says."""
        asked = given_key(key)
        for _ in self._project.pauses.attempts():
            claim, now = self._rows.get(asked.id), self.now()
            if claim is not None and has_lapsed(claim, now):
                settle(self._project, claim.id)
                continue
            if claim is None or claim.holder is None:
                return Refused("not_held")
            if claim.holder != holder:
                return Refused("wrong_holder", claim)
            changed, more = change(claim, now)
            try:
                self._project.store.write([replace(self._rows, changed), *more])
            except ConditionFailed:
                continue
            return changed
        raise AssertionError("attempts end by raising")
