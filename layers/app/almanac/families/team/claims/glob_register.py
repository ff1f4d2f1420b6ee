"""The register of globs of a space, and the shards on which all other claims of the space are conditioned. The
docstring of `core.records` explains the protocol.

Relative paths are in the space "file", absolute ones in "file/". One file may have a name in both. So every absolute
path is registered, every claim of a path reads both registers, and an entry of "file/" also changes the register and
the shards of "file".
"""

from collections.abc import Sequence
from zlib import crc32

from almanac.families.team.claims.key_syntax import ClaimKey, space_of
from almanac.families.team.claims.keys import Keys
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import GLOBS, SHARDS, ClaimRecord, GlobEntry, GlobRegister, Shard
from almanac.kernel.errors import LimitExceeded
from almanac.kernel.ids import new_reference
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change, Check, Put
from almanac.platform.store.records import replace

SHARD_COUNT = 32
"""More shards reduce contention between plain claims, but each glob writes all of them."""
MAX_GLOBS = 200
PENDING_MS = 2000
"""Time that others wait for a caller that is about to acquire a glob."""
_GLOB = frozenset("*?[{")
RELATIVE, ABSOLUTE = "file", "file/"
_SETTABLE = (RELATIVE, ABSOLUTE)
"""Spaces whose keys depend on the settings of the project."""


def read_register(project: Project, space: str) -> GlobRegister:
    """Return the register of a space, with version 0 if none is stored."""
    return GLOBS.within(project.store, project.scope).get(space) or GlobRegister(space=space, version=0)


def read_registers(project: Project, key: ClaimKey) -> list[GlobRegister]:
    """Return the registers that may have entries overlapping with `key`.

    The register of relative paths is read first. A caller that then writes it at the version read cannot have missed an
    absolute path.
    """
    return [read_register(project, space) for space in (_SETTABLE if key.is_path else (key.space,))]


def overlapping_entries(
    registers: Sequence[GlobRegister], key: ClaimKey, owner: tuple[str, str], keys: Keys
) -> list[GlobEntry]:
    """Return the entries that overlap with `key`: entries of other owners (holder and actor), and a pending entry of
    the same key."""
    return [
        entry
        for register in registers
        for entry in register.entries
        if (not _is_of(entry, owner) or (entry.id == key.id and entry.pending_until is not None))
        and keys.overlap(keys.read(entry.key or entry.id), key)
    ]


def _is_of(entry: GlobEntry, owner: tuple[str, str]) -> bool:
    return (entry.holder, entry.actor or owner[1]) == owner


def is_pending(entry: GlobEntry, now: int) -> bool:
    """Return whether the caller of the entry may still confirm it, even if clocks were set back meanwhile."""
    return entry.pending_until is not None and now < entry.pending_until <= now + 2 * PENDING_MS


def pending_entry(project: Project, key: ClaimKey, owner: tuple[str, str]) -> GlobEntry:
    """Return the register entry of an owner (holder and actor) who is about to acquire `key`."""
    return GlobEntry(
        id=key.id,
        holder=owner[0],
        nonce=new_reference(project.random_bytes),
        pending_until=project.now() + PENDING_MS,
        actor=owner[1],
        key=key.text,
    )


def register_write(project: Project, register: GlobRegister, entries: Sequence[GlobEntry]) -> Put:
    """Return the change that writes these entries, on condition that the register has not changed since it was read."""
    rows = GLOBS.within(project.store, project.scope)
    changed = GlobRegister(space=register.space, version=max(1, register.version), entries=list(entries))
    return rows.insert(changed) if register.version == 0 else replace(rows, changed)


def shard_writes(project: Project, space: str, passes: int, epoch: int) -> list[Change]:
    """Return the changes that invalidate every claim write conditioned on an earlier state of a shard."""
    rows = SHARDS.within(project.store, project.scope)
    return [rows.put(Shard(space=space, number=one, passes=passes, epoch=epoch)) for one in range(SHARD_COUNT)]


def entry_writes(
    project: Project, registers: Sequence[GlobRegister], entries: Sequence[GlobEntry], epoch: int, room: int = MAX_GLOBS
) -> list[Change]:
    """Return the changes that add `entries` to the registers of their spaces. Claims whose caller read a register
    without them can no longer be written.

    Raises LimitExceeded if a register would have more than `room` entries.
    """
    changes: list[Change] = []
    spaces = {space_of(entry.id) for entry in entries}
    for register in registers:
        added = [entry for entry in entries if space_of(entry.id) == register.space]
        if added and len(register.entries) + len(added) > room:
            raise _full_register_error(register.space)
        # An absolute path may block relative ones, which are conditioned on their own shards.
        if added or ABSOLUTE in spaces:
            changes.append(register_write(project, register, [*register.entries, *added]))
        if register.space != ABSOLUTE:
            changes += shard_writes(project, register.space, register.version + 1, epoch)
    return changes


def _full_register_error(space: str) -> LimitExceeded:
    if space == ABSOLUTE:
        return LimitExceeded(
            f"{MAX_GLOBS} absolute paths are claimed already in this project.",
            "Claim paths relative to the root, or state the root with configure_project.",
        )
    return LimitExceeded(
        f"{MAX_GLOBS} globs are claimed already in this project.", "Release some, or claim single files."
    )


def removal_writes(project: Project, claim: ClaimRecord) -> list[Change]:
    """Return the change that removes a claim's entry, to be part of the write that frees the claim."""
    if not claim.registered and not _GLOB.intersection(claim.id):
        return []
    register = read_register(project, space_of(claim.id))
    left = [entry for entry in register.entries if entry.id != claim.id]
    return [register_write(project, register, left)] if len(left) < len(register.entries) else []


def withdraw(project: Project, space: str, nonces: Sequence[str]) -> None:
    """Remove pending entries that are still in the register."""

    def attempt() -> None:
        register = read_register(project, space)
        left = [entry for entry in register.entries if entry.nonce not in nonces or entry.pending_until is None]
        if len(left) < len(register.entries):
            project.store.write([register_write(project, register, left)])

    project.retry_on_conflict(attempt)


def shard_condition(project: Project, key: ClaimKey, epoch: int) -> Check | None:
    """Return the condition that no glob is registered from now on. Call this before reading the register. Returns None
    if the epoch of the settings has changed."""
    rows = SHARDS.within(project.store, project.scope)
    number = crc32(key.id.encode()) % SHARD_COUNT
    shard = rows.get(key.space, number)
    if key.space in _SETTABLE and epoch != (shard.epoch if shard else 0):
        return None
    return Check(rows.key(key.space, number), Absent() if shard is None else Equals("passes", shard.passes))
