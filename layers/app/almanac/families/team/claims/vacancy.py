"""Keep keys free until a write is made. The write fails if another caller acquires one of them meanwhile.

A plain key needs conditions only. A path or glob also covers keys that have no claim yet. So it is registered as
pending first, as for an acquisition, and the write itself removes its entry.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import groupby

from almanac.families.team.claims import glob_register, settings
from almanac.families.team.claims.acquisition import above_and_below
from almanac.families.team.claims.expiry import expire, has_expired, is_held
from almanac.families.team.claims.key_syntax import ClaimKey, space_of
from almanac.families.team.claims.keys import Keys
from almanac.families.team.core.project import SYSTEM_ACTOR, Project
from almanac.families.team.core.records import CLAIMS, ClaimRecord, GlobEntry, GlobRegister
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.contention import Retry
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change, Check

MOST_KEPT = 20
_NOBODY = ("", SYSTEM_ACTOR)
"""An owner without claims. To it, every claim is another owner's."""


@contextmanager
def keep_free(project: Project, texts: Iterable[str], own: str, holder: str) -> Generator[dict[Key, Change]]:
    """Yield the changes that keep the keys free, by their keys, to be part of the caller's write. The caller acquires
    `own` as `holder` in the same write, so that key need not be free.

    Raises Retry if a key is held, or if another caller is about to acquire an overlapping one.
    """
    current = settings.stored_settings(project)
    if current.changing_until is not None:
        if not settings.is_changing(current, project.now()):
            settings.clear_abandoned(project, current)
        raise Retry
    vacancy = _Vacancy(project, settings.keys_of(current), own, (holder, project.actor))
    try:
        yield vacancy.changes(texts)
    except BaseException:
        vacancy.withdraw()
        raise


class _Vacancy:
    def __init__(self, project: Project, keys: Keys, own: str, owner: tuple[str, str]) -> None:
        self._project, self._keys = project, keys
        self._own, self._owner = keys.parse(own), owner
        self._rows = CLAIMS.within(project.store, project.scope)
        self._pending: list[GlobEntry] = []

    def changes(self, texts: Iterable[str]) -> dict[Key, Change]:
        keys_by_id = {key.id: key for key in map(self._keys.parse, texts) if key.id != self._own.id}
        plain = [key for key in keys_by_id.values() if not (key.is_path or key.is_glob)]
        wide = sorted((key for key in keys_by_id.values() if key.is_path or key.is_glob), key=_register_of)
        groups = [list(group) for _, group in groupby(wide, key=_register_of)]
        changes: dict[Key, Change] = {}
        for group in groups:
            self._announce(group)
        for key in plain:
            changes |= self._conditions(key)
        for group in groups:
            for key in group:
                former = [one] if key.former_id and (one := self._rows.get(key.former_id)) else []
                for claim in (*former, *above_and_below(self._project, key)):
                    if claim.id != self._own.id and self._keys.overlap(self._keys.read(claim.key), key):
                        self._refuse_held(claim)
            changes |= self._removal_changes(group)
        return changes

    def _conditions(self, key: ClaimKey) -> dict[Key, Change]:
        # Read before the register: registering a glob changes the shard.
        shard = glob_register.shard_condition(self._project, key, self._keys.epoch)
        if shard is None:
            raise Retry
        self._check_entries([key])
        claim = self._rows.get(key.id)
        if claim is not None:
            self._refuse_held(claim)
        unchanged = Absent() if claim is None else Equals("version", claim.version)
        return {shard.key: shard, (stored := self._rows.key(key.id)): Check(stored, unchanged)}

    def _announce(self, group: Sequence[ClaimKey]) -> None:
        registers = self._check_entries(group)
        # Read after the registers: a change of the settings writes both.
        if glob_register.shard_condition(self._project, group[0], self._keys.epoch) is None:
            raise Retry
        entries = [glob_register.pending_entry(self._project, key, self._owner_of(key)) for key in group]
        room = glob_register.MAX_GLOBS + MOST_KEPT
        writes = glob_register.entry_writes(self._project, registers, entries, self._keys.epoch, room)
        self._project.store.write(writes)
        self._pending += entries

    def _owner_of(self, key: ClaimKey) -> tuple[str, str]:
        """Return the owner without claims, or the caller if the entry would otherwise block the claim acquired in the
        same write."""
        return self._owner if self._keys.overlap(key, self._own) else _NOBODY

    def _check_entries(self, group: Sequence[ClaimKey]) -> list[GlobRegister]:
        """Read the registers of a group and check that other callers neither hold nor are acquiring an overlapping
        key."""
        registers = glob_register.read_registers(self._project, group[0])
        for key in group:
            for entry in glob_register.overlapping_entries(registers, key, _NOBODY, self._keys):
                if entry in self._pending:
                    continue
                if entry.pending_until is not None:
                    if not glob_register.is_pending(entry, self._project.now()):
                        glob_register.withdraw(self._project, space_of(entry.id), [entry.nonce])
                    raise Retry
                claim = self._rows.get(entry.id)
                if claim is None:
                    raise Retry
                self._refuse_held(claim)
        return registers

    def _refuse_held(self, claim: ClaimRecord) -> None:
        if is_held(claim, now := self._project.now()):
            raise Retry
        if has_expired(claim, now):
            expire(self._project, claim.id)
            raise Retry

    def _removal_changes(self, group: Sequence[ClaimKey]) -> dict[Key, Change]:
        """Return the changes that remove the pending entries, on condition that they are still there."""
        changes: dict[Key, Change] = {}
        for register in glob_register.read_registers(self._project, group[0]):
            pending = [one for one in self._pending if space_of(one.id) == register.space]
            if any(one not in register.entries for one in pending):
                raise Retry
            if pending:
                left = [entry for entry in register.entries if entry not in pending]
                write = glob_register.register_write(self._project, register, left)
                changes[write.key] = write
        return changes

    def withdraw(self) -> None:
        for space in dict.fromkeys(space_of(one.id) for one in self._pending):
            nonces = [one.nonce for one in self._pending if space_of(one.id) == space]
            glob_register.withdraw(self._project, space, nonces)


def _register_of(key: ClaimKey) -> str:
    """Return the name of the register group. Absolute and relative paths are registered together."""
    return "file" if key.is_path else key.space
