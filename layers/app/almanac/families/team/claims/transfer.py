"""Move claims from one owner to another in one write.

A claim that moves must not overlap with a claim that stays, and no caller may acquire an overlapping claim during the
move. So the move first registers paths and globs as pending for the new owner, like an acquisition. Other keys need
only the condition on their shard.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import msgspec
from msgspec import Struct

from almanac.families.team.claims import glob_register, settings
from almanac.families.team.claims.acquisition import above_and_below
from almanac.families.team.claims.expiry import expire, has_expired, is_held
from almanac.families.team.claims.key_syntax import ClaimKey, space_of
from almanac.families.team.claims.keys import Keys
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import CLAIMS, ClaimRecord, GlobEntry, GlobRegister
from almanac.kernel.errors import Conflict
from almanac.platform.store.contention import Retry
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

MOST_MOVED = 20


class Destination(Struct, frozen=True):
    """The new owner of moved claims. `ttl_ms` is the duration of each claim by its id; `handover` the id of the
    handover that the owner has yet to answer."""

    holder: str
    actor: str
    ttl_ms: Mapping[str, int]
    handover: str | None = None


def transfer(
    project: Project,
    claims: Sequence[ClaimRecord],
    to: Destination,
    also: Callable[[], Sequence[Change]],
) -> Sequence[ClaimRecord]:
    """Move claims together with the changes that `also` makes, and return the moved claims.

    Raises Conflict if a claim overlaps with a claim that stays, ConditionFailed and Retry after a write conflict.
    """
    current = settings.stored_settings(project)
    if current.changing_until is not None:
        if not settings.is_changing(current, project.now()):
            settings.clear_abandoned(project, current)
        raise Retry
    return _Move(project, claims, to, settings.keys_of(current)).run(also)


class _Move:
    def __init__(self, project: Project, claims: Sequence[ClaimRecord], to: Destination, keys: Keys) -> None:
        self._project, self._claims, self._to, self._keys = project, claims, to, keys
        self._rows = CLAIMS.within(project.store, project.scope)
        self._ids = {claim.id for claim in claims}
        self._owner = (to.holder, to.actor)
        self._pending: list[GlobEntry] = []

    def run(self, also: Callable[[], Sequence[Change]]) -> Sequence[ClaimRecord]:
        read = sorted(((self._keys.read(claim.key), claim) for claim in self._claims), key=_register_of)
        groups = [list(group) for _, group in groupby(read, key=_register_of)]
        guarded = [one for one in groups if any(key.is_path or key.is_glob or it.registered for key, it in one)]
        changes: dict[Key, Change] = {}
        try:
            for group in groups:
                changes |= self._announce(group) if group in guarded else self._conditions(group)
            for group in guarded:
                for key, _ in group:
                    self._check_stored(key)
                changes |= self._confirm(group)
            moved = [self._move_claim(claim) for claim in self._claims]
            writes = [replace(self._rows, one) for one in moved]
            self._project.store.write([*writes, *changes.values(), *also()])
        except BaseException:
            self._withdraw()
            raise
        return moved

    def _announce(self, group: Sequence[tuple[ClaimKey, ClaimRecord]]) -> dict[Key, Change]:
        """Register the claims as pending for the new owner, so that no other caller acquires an overlapping key."""
        registers = self._registers(group)
        entries = [
            msgspec.structs.replace(glob_register.pending_entry(self._project, key, self._owner), id=claim.id)
            for key, claim in group
        ]
        room = glob_register.MAX_GLOBS + MOST_MOVED
        self._project.store.write(glob_register.entry_writes(self._project, registers, entries, self._keys.epoch, room))
        self._pending += entries
        return {}

    def _conditions(self, group: Sequence[tuple[ClaimKey, ClaimRecord]]) -> dict[Key, Change]:
        conditions: dict[Key, Change] = {}
        for key, _ in group:
            if (condition := glob_register.shard_condition(self._project, key, self._keys.epoch)) is None:
                raise Retry
            conditions[condition.key] = condition
        self._registers(group)
        return conditions

    def _registers(self, group: Sequence[tuple[ClaimKey, ClaimRecord]]) -> list[GlobRegister]:
        """Read the registers of a group and check that no entry of another owner overlaps with it."""
        registers = glob_register.read_registers(self._project, group[0][0])
        # Read after the registers: a change of the settings writes both.
        if glob_register.shard_condition(self._project, group[0][0], self._keys.epoch) is None:
            raise Retry
        for key, _ in group:
            for entry in glob_register.overlapping_entries(registers, key, self._owner, self._keys):
                if entry.pending_until is not None:
                    if not glob_register.is_pending(entry, self._project.now()):
                        glob_register.withdraw(self._project, space_of(entry.id), [entry.nonce])
                    raise Retry
                if entry.id not in self._ids:
                    self._check(key, self._rows.get(entry.id), entry.id)
        return registers

    def _check_stored(self, key: ClaimKey) -> None:
        for claim in above_and_below(self._project, key):
            stays = claim.holder is not None and claim.id not in self._ids
            is_other = stays and (claim.holder, claim.actor) != self._owner
            if is_other and self._keys.overlap(self._keys.read(claim.key), key):
                self._check(key, claim, claim.id)

    def _check(self, key: ClaimKey, stays: ClaimRecord | None, claim_id: str) -> None:
        """Raise Conflict if the overlapping claim is held, or Retry once its end is announced."""
        if stays is None or not is_held(stays, self._project.now()):
            expire(self._project, claim_id)
            raise Retry
        raise Conflict(
            f'"{key.text[:80]}" overlaps with "{stays.key[:80]}", which {(stays.holder or "")[:80]} keeps.',
            "Move both together, or release that one first.",
            code="overlap",
            untrusted=True,
        )

    def _confirm(self, group: Sequence[tuple[ClaimKey, ClaimRecord]]) -> dict[Key, Change]:
        """Return the changes that remove the pending entries and give the registered claims their new owner."""
        changes: dict[Key, Change] = {}
        for before in glob_register.read_registers(self._project, group[0][0]):
            pending = [one for one in self._pending if space_of(one.id) == before.space]
            if not pending:
                continue
            if any(one not in before.entries for one in pending):
                raise Retry
            entries = [self._of_owner(entry) for entry in before.entries if entry not in pending]
            write = glob_register.register_write(self._project, before, entries)
            changes[write.key] = write
        return changes

    def _of_owner(self, entry: GlobEntry) -> GlobEntry:
        if entry.id not in self._ids:
            return entry
        return msgspec.structs.replace(entry, holder=self._to.holder, actor=self._to.actor)

    def _move_claim(self, claim: ClaimRecord) -> ClaimRecord:
        """Return the claim of the new owner, with a token that invalidates every write of the old one."""
        now = self._project.now()
        if has_expired(claim, now):
            raise Retry
        ttl_ms = self._to.ttl_ms[claim.id]
        return msgspec.structs.replace(
            claim,
            holder=self._to.holder,
            actor=self._to.actor,
            token=max(now, claim.token + 1),
            acquired_at=now,
            updated_at=now,
            lapses_at=now + ttl_ms,
            ttl_ms=ttl_ms,
            handover=self._to.handover,
        )

    def _withdraw(self) -> None:
        for space in dict.fromkeys(space_of(one.id) for one in self._pending):
            nonces = [one.nonce for one in self._pending if space_of(one.id) == space]
            glob_register.withdraw(self._project, space, nonces)


def _register_of(one: tuple[ClaimKey, ClaimRecord]) -> str:
    """Return the name of the register group. Absolute and relative paths are registered together."""
    return "file" if one[0].is_path else one[0].space
