"""Acquire a claim. At most one holder has a key, or any key that overlaps with it, however many callers race."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import msgspec

from almanac.families.team.claims import glob_register, settings
from almanac.families.team.claims.expiry import (
    claim_payload,
    expire,
    has_expired,
    is_held,
    store_capped_deadline,
    take_over,
)
from almanac.families.team.claims.folders import read_folders
from almanac.families.team.claims.glob_register import RELATIVE
from almanac.families.team.claims.key_syntax import ClaimKey, space_of
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.requests import (
    AcquiredClaim,
    BlockingClaim,
    ClaimRequest,
    PlaceGone,
    PlannedClaim,
    QueuePlace,
    Takeover,
)
from almanac.families.team.core.project import Project, project_of
from almanac.families.team.core.records import CLAIMS, ClaimRecord, GlobEntry, TeamSettings
from almanac.platform.bus.outbox import outbox
from almanac.platform.project import ProjectWork
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.contention import Retry
from almanac.platform.store.keys import sort_key
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.queries import every_item
from almanac.platform.store.records import replace


def acquire(
    project: Project,
    request: ClaimRequest,
    *,
    place: QueuePlace | None = None,
    prepare: Callable[[TeamSettings], object] | None = None,
) -> AcquiredClaim | BlockingClaim:
    """Acquire or refresh a claim, or return the claim of another holder that overlaps with it.

    `prepare` is called once with the settings, before the first attempt. Raises InvalidInput for a key that cannot be
    parsed, LimitExceeded for too many globs, and PlaceGone if `place` is no longer queued.
    """
    taken: list[ClaimRecord] = []
    prepared: list[object] = []

    def attempt() -> AcquiredClaim | BlockingClaim:
        current, now = settings.stored_settings(project), project.now()
        if prepare is not None and not prepared:
            prepared.append(prepare(current))
        if place is not None and not place.is_queued():
            raise PlaceGone
        if current.changing_until is not None:
            if not settings.is_changing(current, now):
                settings.clear_abandoned(project, current)
            raise Retry
        outcome = _Attempt(project, request, settings.keys_of(current), place).run()
        if isinstance(outcome, BlockingClaim) and request.reason is not None:
            takeover = Takeover(request.holder, project.actor, request.reason)
            taken.extend([outcome.claim] if take_over(project, outcome.claim, takeover) else [])
            raise Retry
        if outcome is None:
            raise Retry
        return msgspec.structs.replace(outcome, taken=taken) if isinstance(outcome, AcquiredClaim) else outcome

    return project.retry_on_conflict(attempt)


def plan_claim(work: ProjectWork, request: ClaimRequest) -> PlannedClaim | BlockingClaim | None:
    """Plan a claim as part of a larger write. The key must be neither a path nor a glob.

    Returns BlockingClaim if any actor holds the key, the caller included. Returns None if another write got in between:
    read again and retry.
    """
    project = project_of(work)
    return _Attempt(project, request, Keys(), None).plan()


class _Attempt:
    """One optimistic attempt to read, decide and write. Methods return None after a lost race, and the caller
    retries."""

    def __init__(self, project: Project, request: ClaimRequest, keys: Keys, place: QueuePlace | None) -> None:
        self._place = place
        self._project = project
        self._request = request
        self._keys = keys
        self._key = keys.parse(request.key)
        self._owner = (request.holder, project.actor)
        self._rows = CLAIMS.within(project.store, project.scope)

    def run(self) -> AcquiredClaim | BlockingClaim | None:
        own, now = stored_claim(self._project, self._key, self._owner), self._project.now()
        if own is not None and has_expired(own, now):
            expire(self._project, own.id)
            return None
        if own is None or not is_held(own, now):
            return self._acquire(own)
        own = store_capped_deadline(self._project, own)
        if own is None:
            return None
        if (own.holder, own.actor) != self._owner:
            return BlockingClaim(own)
        # Earlier versions did not register absolute paths.
        is_registered = own.registered or self._key.is_glob or not self._key.is_absolute
        return self._refresh(own, now) if is_registered else self._register(own)

    def _refresh(self, own: ClaimRecord, now: int) -> AcquiredClaim | None:
        request = self._request
        refreshed = msgspec.structs.replace(
            own,
            lapses_at=now + request.ttl_ms,
            ttl_ms=request.ttl_ms,
            updated_at=now,
            metadata=own.metadata if request.metadata is None else request.metadata,
        )
        written = self._write([replace(self._rows, refreshed)])
        return AcquiredClaim(refreshed, self._key, deduped=True) if written else None

    def _acquire(self, own: ClaimRecord | None) -> AcquiredClaim | BlockingClaim | None:
        if self._key.is_glob or self._key.is_absolute:
            return self._register(own)
        planned = self._plan_acquisition(own)
        if not isinstance(planned, PlannedClaim):
            return planned
        if planned.occupied:
            return self._register(own)
        return AcquiredClaim(planned.claim, self._key, deduped=False) if self._write([*planned.changes]) else None

    def plan(self) -> PlannedClaim | BlockingClaim | None:
        """Plan a claim of a free key. A claim that the caller holds itself also blocks."""
        own, now = self._rows.get(self._key.id), self._project.now()
        if own is not None and has_expired(own, now):
            expire(self._project, own.id)
            return None
        return BlockingClaim(own) if own is not None and is_held(own, now) else self._plan_acquisition(own)

    def _plan_acquisition(self, own: ClaimRecord | None) -> PlannedClaim | BlockingClaim | None:
        shard = glob_register.shard_condition(self._project, self._key, self._keys.epoch)
        if shard is None:
            return None
        folders = read_folders(self._project, self._key)
        registers = glob_register.read_registers(self._project, self._key)
        for entry in glob_register.overlapping_entries(registers, self._key, self._owner, self._keys):
            return self._check_entry(entry)
        if (blocker := self._first_held([*self._former_claims(), *folders.claims])) is not None:
            return BlockingClaim(blocker)
        claim = self._new_claim(own)
        changes = [self._claim_write(claim, own), shard, *folders.conditions, *self._event_writes(claim)]
        return PlannedClaim(claim, changes, occupied=folders.occupied)

    def _register(self, own: ClaimRecord | None) -> AcquiredClaim | BlockingClaim | None:
        """Register the key as pending, check for overlapping claims, then confirm. No other claim can get in
        between."""
        registers = glob_register.read_registers(self._project, self._key)
        # Read after the register: a change of the settings writes both, so this check notices it.
        if glob_register.shard_condition(self._project, self._key, self._keys.epoch) is None:
            return None
        for other in glob_register.overlapping_entries(registers, self._key, self._owner, self._keys):
            return self._check_entry(other)
        if (blocker := self._first_held(self._candidates())) is not None:
            return BlockingClaim(blocker)
        space, entry = self._key.space, glob_register.pending_entry(self._project, self._key, self._owner)
        if not self._write(glob_register.entry_writes(self._project, registers, [entry], self._keys.epoch)):
            return None
        if (blocker := self._first_held(self._candidates())) is not None:
            glob_register.withdraw(self._project, space, [entry.nonce])
            return BlockingClaim(blocker)
        return self._confirm(own, entry)

    def _confirm(self, own: ClaimRecord | None, entry: GlobEntry) -> AcquiredClaim | None:
        project = self._project
        held = msgspec.structs.replace(entry, pending_until=None)

        def attempt() -> AcquiredClaim | None:
            register = glob_register.read_register(project, self._key.space)
            if entry not in register.entries:
                return None
            entries = [held if each == entry else each for each in register.entries]
            claim = msgspec.structs.replace(self._new_claim(own), registered=True)
            changes = [self._claim_write(claim, own), glob_register.register_write(project, register, entries)]
            try:
                project.store.write([*changes, *self._event_writes(claim)])
            except ConditionFailed as failed:
                if failed.change == 0:
                    glob_register.withdraw(project, self._key.space, [entry.nonce])
                    return None
                raise
            return AcquiredClaim(claim, self._key, deduped=False)

        return project.retry_on_conflict(attempt)

    def _check_entry(self, entry: GlobEntry) -> BlockingClaim | None:
        """Return the held claim of an entry. Expires an expired claim and withdraws an abandoned pending entry."""
        project, now = self._project, self._project.now()
        if entry.pending_until is not None:
            if not glob_register.is_pending(entry, now):
                glob_register.withdraw(project, space_of(entry.id), [entry.nonce])
            return None
        claim = self._rows.get(entry.id)
        if claim is not None and is_held(claim, now):
            claim = store_capped_deadline(project, claim)
            return BlockingClaim(claim) if claim else None
        expire(project, entry.id)
        return None

    def _first_held(self, claims: Iterator[ClaimRecord] | Sequence[ClaimRecord]) -> ClaimRecord | None:
        """Return the first overlapping claim of another owner. Expires overlapping claims past their deadline."""
        for claim in claims:
            if claim.holder is None or (claim.holder, claim.actor) == self._owner:
                continue
            if not self._keys.overlap(self._keys.read(claim.key), self._key):
                continue
            latest: ClaimRecord | None = claim
            if has_expired(claim, self._project.now()):
                latest = None if expire(self._project, claim.id) else self._rows.get(claim.id)
            if latest is None or (latest.holder, latest.actor) == self._owner:
                continue
            if is_held(latest, self._project.now()):
                return store_capped_deadline(self._project, latest) or latest
        return None

    def _candidates(self) -> Iterator[ClaimRecord]:
        """Yield the unregistered claims that may overlap with the key."""
        yield from self._former_claims()
        yield from above_and_below(self._project, self._key)

    def _former_claims(self) -> Iterator[ClaimRecord]:
        """Yield the claim under the key's former id, if there is one."""
        if self._key.former_id and (former := self._rows.get(self._key.former_id)):
            yield former

    def _new_claim(self, own: ClaimRecord | None) -> ClaimRecord:
        now = self._project.now()
        return ClaimRecord(
            id=self._key.id,
            key=self._key.text,
            holder=self._owner[0],
            actor=self._owner[1],
            token=max(now, own.token + 1) if own else now,
            acquired_at=now,
            updated_at=now,
            lapses_at=now + self._request.ttl_ms,
            ttl_ms=self._request.ttl_ms,
            metadata=self._request.metadata or {},
            version=own.version if own else 1,
        )

    def _claim_write(self, claim: ClaimRecord, own: ClaimRecord | None) -> Change:
        return self._rows.insert(claim) if own is None else replace(self._rows, claim)

    def _event_writes(self, claim: ClaimRecord) -> list[Change]:
        event = self._project.event("claim_acquired", claim.id, claim_payload(claim), at=claim.acquired_at)
        changes, events = self._place.effects(claim) if self._place else ((), ())
        findings = redaction_changes(self._project, claim.id, "claim", self._request.findings, claim.acquired_at)
        return [*changes, *findings, *outbox([event, *events])]

    def _write(self, changes: list[Change]) -> bool:
        with suppress(ConditionFailed):
            self._project.store.write(changes)
            return True
        return False


def above_and_below(project: Project, key: ClaimKey) -> Iterator[ClaimRecord]:
    """Yield the claims of the folders above a key, and the claims whose ids start with the key's prefix."""
    above = CLAIMS.within(project.store, project.scope).get_many([(one,) for one in key.above])
    yield from (claim for claim in above if claim is not None)
    partition = CLAIMS.partition(project.scope, CLAIMS.own, ())
    # An absolute path may end with any relative one.
    prefix = f"{RELATIVE}:" if key.is_absolute else key.prefix
    yield from map(CLAIMS.read, every_item(project.store, partition, prefix=sort_key(prefix), page=1000))


def stored_claim(project: Project, key: ClaimKey, owner: tuple[str, str]) -> ClaimRecord | None:
    """Return the stored claim of a key. Falls back to the owner's claim from when the key's folder was a glob."""
    rows = CLAIMS.within(project.store, project.scope)
    own = rows.get(key.id)
    if key.former_id is None or (own is not None and own.holder is not None):
        return own
    former = rows.get(key.former_id)
    is_same = former is not None and (former.holder, former.actor) == owner and not former.key.endswith("*")
    return former if is_same else own
