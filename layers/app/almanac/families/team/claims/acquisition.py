"""Acquiring a claim: exactly one holder of a key and of all that overlaps with it, whoever asks at the same time."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from almanac.families.team.claims import glob_register, settings
from almanac.families.team.claims.expiry import anchored, ended, has_lapsed, is_held, settle, told_of
from almanac.families.team.claims.folders import look_around
from almanac.families.team.claims.glob_register import PENDING_MS
from almanac.families.team.claims.key_syntax import ClaimKey
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.requests import Acquired, Blocked, Gone, Place, Wanted
from almanac.families.team.claims.taking import Taking
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import CLAIMS, ClaimRecord, GlobEntry, TeamSettings
from almanac.kernel.ids import new_reference
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.contention import Retry
from almanac.platform.store.keys import sort_key
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.queries import every_item
from almanac.platform.store.records import replace

_PAGE = 1000


def acquire(
    project: Project,
    wanted: Wanted,
    *,
    place: Place | None = None,
    first: Callable[[TeamSettings], object] | None = None,
) -> Acquired | Blocked:
    """The claim, new or refreshed, or what stands in its way. `first` is called once with the settings, before the
    first look. Raises InvalidInput for a key that cannot be read, LimitExceeded for too many globs, Gone for a place
    that is no longer there."""
    taken: list[ClaimRecord] = []
    begun: list[object] = []

    def attempt() -> Acquired | Blocked:
        standing, now = settings.standing(project), project.now()
        if first is not None and not begun:
            begun.append(first(standing))
        if place is not None and not place.stands():
            raise Gone
        if standing.changing_until is not None:
            if not settings.is_changing(standing, now):
                settings.cleared(project, standing)
            raise Retry
        outcome = _Attempt(project, wanted, settings.keys_of(standing), place).made()
        if isinstance(outcome, Blocked) and wanted.reason is not None:
            taking = Taking(wanted.holder, project.actor, wanted.reason)
            taken.extend([outcome.claim] if ended(project, outcome.claim, taking) else [])
            raise Retry
        if outcome is None:
            raise Retry
        return msgspec.structs.replace(outcome, taken=taken) if isinstance(outcome, Acquired) else outcome

    return project.retrying(attempt)


class _Attempt:
    """One look at what stands, and the write that follows from it. None, in what its methods answer: somebody else was
    first, so look again."""

    def __init__(self, project: Project, wanted: Wanted, keys: Keys, place: Place | None) -> None:
        self._place = place
        self._project = project
        self._wanted = wanted
        self._keys = keys
        self._key = keys.given(wanted.key)
        self._owner = (wanted.holder, project.actor)
        self._rows = CLAIMS.within(project.store, project.scope)

    def made(self) -> Acquired | Blocked | None:
        own, now = standing_claim(self._project, self._key, self._owner), self._project.now()
        if own is not None and has_lapsed(own, now):
            settle(self._project, own.id)
            return None
        if own is None or not is_held(own, now):
            return self._take(own)
        own = anchored(self._project, own)
        if own is None:
            return None
        return self._refresh(own, now) if (own.holder, own.actor) == self._owner else Blocked(own)

    def _refresh(self, own: ClaimRecord, now: int) -> Acquired | None:
        wanted = self._wanted
        refreshed = msgspec.structs.replace(
            own,
            lapses_at=now + wanted.ttl_ms,
            ttl_ms=wanted.ttl_ms,
            updated_at=now,
            metadata=own.metadata if wanted.metadata is None else wanted.metadata,
        )
        written = self._try([replace(self._rows, refreshed)])
        return Acquired(refreshed, deduped=True) if written else None

    def _take(self, own: ClaimRecord | None) -> Acquired | Blocked | None:
        if self._key.is_glob:
            return self._register(own)
        gate = glob_register.passing(self._project, self._key, self._keys.epoch)
        if gate is None:
            return None
        around = look_around(self._project, self._key)
        register = glob_register.read_register(self._project, self._key.space)
        for entry in glob_register.in_the_way(register, self._key, self._owner, self._keys):
            return self._look_at(entry)
        if (blocker := self._first_held(around.claims)) is not None:
            return Blocked(blocker)
        if around.occupied:
            return self._register(own)
        claim = self._new(own)
        written = self._try([self._putting(claim, own), gate, *around.conditions, *self._announced(claim)])
        return Acquired(claim, deduped=False) if written else None

    def _register(self, own: ClaimRecord | None) -> Acquired | Blocked | None:
        """Announced as pending first, then made sure of, then made: in between no other claim of the space slips in."""
        register = glob_register.read_register(self._project, self._key.space)
        # After the register, which whoever changes how keys are read writes too: from here on it would be noticed.
        if glob_register.passing(self._project, self._key, self._keys.epoch) is None:
            return None
        for entry in glob_register.in_the_way(register, self._key, self._owner, self._keys):
            return self._look_at(entry)
        if (blocker := self._first_held(self._in_reach())) is not None:
            return Blocked(blocker)
        entry = self._entry()
        if not self._try(glob_register.entering(self._project, register, entry, self._keys.epoch)):
            return None
        if (blocker := self._first_held(self._in_reach())) is not None:
            glob_register.withdraw(self._project, self._key.space, entry.nonce)
            return Blocked(blocker)
        return self._confirm(own, entry)

    def _entry(self) -> GlobEntry:
        return GlobEntry(
            id=self._key.id,
            holder=self._owner[0],
            nonce=new_reference(self._project.random_bytes),
            pending_until=self._project.now() + PENDING_MS,
            actor=self._owner[1],
            key=self._key.text,
        )

    def _confirm(self, own: ClaimRecord | None, entry: GlobEntry) -> Acquired | None:
        project = self._project
        held = msgspec.structs.replace(entry, pending_until=None)

        def attempt() -> Acquired | None:
            register = glob_register.read_register(project, self._key.space)
            if entry not in register.entries:
                return None
            entries = [held if each == entry else each for each in register.entries]
            claim = msgspec.structs.replace(self._new(own), registered=True)
            changes = [self._putting(claim, own), glob_register.written(project, register, entries)]
            try:
                project.store.write([*changes, *self._announced(claim)])
            except ConditionFailed as failed:
                if failed.change == 0:
                    glob_register.withdraw(project, self._key.space, entry.nonce)
                    return None
                raise
            return Acquired(claim, deduped=False)

        return project.retrying(attempt)

    def _look_at(self, entry: GlobEntry) -> Blocked | None:
        """Whether the glob of an entry is held; if it has lapsed, or who was about to acquire it is gone, no longer."""
        project, now = self._project, self._project.now()
        if entry.pending_until is not None:
            if not glob_register.is_pending(entry, now):
                glob_register.withdraw(project, self._key.space, entry.nonce)
            return None
        claim = self._rows.get(entry.id)
        if claim is not None and is_held(claim, now):
            claim = anchored(project, claim)
            return Blocked(claim) if claim else None
        settle(project, entry.id)
        return None

    def _first_held(self, claims: Iterator[ClaimRecord] | Sequence[ClaimRecord]) -> ClaimRecord | None:
        """The first claim of somebody else that overlaps; those that have lapsed are settled on the way."""
        for claim in claims:
            if claim.holder is None or (claim.holder, claim.actor) == self._owner:
                continue
            if not self._keys.overlap(self._keys.read(claim.key), self._key):
                continue
            found: ClaimRecord | None = claim
            if has_lapsed(claim, self._project.now()):
                found = None if settle(self._project, claim.id) else self._rows.get(claim.id)
            is_others = found is not None and (found.holder, found.actor) != self._owner
            if found is not None and is_others and is_held(found, self._project.now()):
                return anchored(self._project, found) or found
        return None

    def _in_reach(self) -> Iterator[ClaimRecord]:
        """Claims that may overlap with the key, but for registered ones."""
        for claim in self._rows.get_many([(one,) for one in self._key.above]):
            if claim is not None:
                yield claim
        partition = CLAIMS.partition(self._project.scope, CLAIMS.own, ())
        items = every_item(self._project.store, partition, prefix=sort_key(self._key.prefix), page=_PAGE)
        yield from map(CLAIMS.read, items)

    def _new(self, own: ClaimRecord | None) -> ClaimRecord:
        now = self._project.now()
        return ClaimRecord(
            id=self._key.id,
            key=self._key.text,
            holder=self._owner[0],
            actor=self._owner[1],
            token=max(now, own.token + 1) if own else now,
            acquired_at=now,
            updated_at=now,
            lapses_at=now + self._wanted.ttl_ms,
            ttl_ms=self._wanted.ttl_ms,
            metadata=self._wanted.metadata or {},
            version=own.version if own else 1,
        )

    def _putting(self, claim: ClaimRecord, own: ClaimRecord | None) -> Change:
        return self._rows.insert(claim) if own is None else replace(self._rows, claim)

    def _announced(self, claim: ClaimRecord) -> list[Change]:
        told = self._project.event("claim_acquired", claim.id, told_of(claim), at=claim.acquired_at)
        changes, events = self._place.along(claim) if self._place else ((), ())
        return [*changes, *outbox([told, *events])]

    def _try(self, changes: list[Change]) -> bool:
        try:
            self._project.store.write(changes)
        except ConditionFailed:
            return False
        return True


def standing_claim(project: Project, key: ClaimKey, owner: tuple[str, str]) -> ClaimRecord | None:
    """The claim of a key as it stands. A claim of the same owner that was made when the folder was a glob counts."""
    rows = CLAIMS.within(project.store, project.scope)
    own = rows.get(key.id)
    if key.former_id is None or (own is not None and own.holder is not None):
        return own
    former = rows.get(key.former_id)
    is_same = former is not None and (former.holder, former.actor) == owner and not former.key.endswith("*")
    return former if is_same else own
