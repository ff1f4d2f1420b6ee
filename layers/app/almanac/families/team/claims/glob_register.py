"""The register of globs of a space, and the shards that all other claims of the space are conditioned on: see
`records`.

Relative paths are in the space "file", absolute ones in "file/". One file may have names in both, so every absolute
path is registered, whoever claims a path reads both registers, and an entry of "file/" changes the register and the
shards of "file" too.
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
"""More shards spread plain claims wider; but a glob writes them all."""
MAX_GLOBS = 200
PENDING_MS = 2000
"""Time for which others wait for a caller that is about to acquire a glob."""
_GLOB = frozenset("*?[{")
RELATIVE, ABSOLUTE = "file", "file/"
_SETTABLE = (RELATIVE, ABSOLUTE)
"""The spaces whose keys are read by the settings of the project."""


def read_register(project: Project, space: str) -> GlobRegister:
    """The register of a space; of version 0 where none is stored."""
    return GLOBS.within(project.store, project.scope).get(space) or GlobRegister(space=space, version=0)


def read_registers(project: Project, key: ClaimKey) -> list[GlobRegister]:
    """The registers that may have entries which overlap with `key`.

    That of relative paths is read first: whoever writes it under the version that was read has missed no absolute path.
    """
    return [read_register(project, space) for space in (_SETTABLE if key.is_path else (key.space,))]


def overlapping(
    registers: Sequence[GlobRegister], key: ClaimKey, owner: tuple[str, str], keys: Keys
) -> list[GlobEntry]:
    """Entries that overlap with `key`: those of other owners (holder and actor), and a pending one of the same key."""
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
    """Return whether its caller may still confirm the entry, however clocks were set meanwhile."""
    return entry.pending_until is not None and now < entry.pending_until <= now + 2 * PENDING_MS


def pending_entry(project: Project, key: ClaimKey, owner: tuple[str, str]) -> GlobEntry:
    """The entry of an owner (holder and actor) who is about to acquire `key`."""
    return GlobEntry(
        id=key.id,
        holder=owner[0],
        nonce=new_reference(project.random_bytes),
        pending_until=project.now() + PENDING_MS,
        actor=owner[1],
        key=key.text,
    )


def register_write(project: Project, register: GlobRegister, entries: Sequence[GlobEntry]) -> Put:
    """The change that writes these entries, unless the register changed since it was read."""
    rows = GLOBS.within(project.store, project.scope)
    changed = GlobRegister(space=register.space, version=max(1, register.version), entries=list(entries))
    return rows.insert(changed) if register.version == 0 else replace(rows, changed)


def shard_writes(project: Project, space: str, passes: int, epoch: int) -> list[Change]:
    """The changes after which no claim that read a shard before can be written."""
    rows = SHARDS.within(project.store, project.scope)
    return [rows.put(Shard(space=space, number=one, passes=passes, epoch=epoch)) for one in range(SHARD_COUNT)]


def entry_writes(
    project: Project, registers: Sequence[GlobRegister], entries: Sequence[GlobEntry], epoch: int, room: int = MAX_GLOBS
) -> list[Change]:
    """The changes that add `entries` to the registers of their spaces; claims that read a register without them can no
    longer be written.

    Raises LimitExceeded where one would have over `room`.
    """
    changes: list[Change] = []
    spaces = {space_of(entry.id) for entry in entries}
    for register in registers:
        added = [entry for entry in entries if space_of(entry.id) == register.space]
        if added and len(register.entries) + len(added) > room:
            raise _full(register.space)
        # An absolute path is in the way of relative ones, which are conditioned on their own shards.
        if added or ABSOLUTE in spaces:
            changes.append(register_write(project, register, [*register.entries, *added]))
        if register.space != ABSOLUTE:
            changes += shard_writes(project, register.space, register.version + 1, epoch)
    return changes


def _full(space: str) -> LimitExceeded:
    if space == ABSOLUTE:
        return LimitExceeded(
            f"{MAX_GLOBS} absolute paths are claimed already in this project.",
            "Claim paths relative to the root, or state the root with configure_project.",
        )
    return LimitExceeded(
        f"{MAX_GLOBS} globs are claimed already in this project.", "Release some, or claim single files."
    )


def removal_writes(project: Project, claim: ClaimRecord) -> list[Change]:
    """The change that removes a claim's entry, for the write that frees it."""
    if not claim.registered and not _GLOB.intersection(claim.id):
        return []
    register = read_register(project, space_of(claim.id))
    left = [entry for entry in register.entries if entry.id != claim.id]
    return [register_write(project, register, left)] if len(left) < len(register.entries) else []


def withdraw(project: Project, space: str, nonces: Sequence[str]) -> None:
    """Remove pending entries, if they are still there."""

    def attempt() -> None:
        register = read_register(project, space)
        left = [entry for entry in register.entries if entry.nonce not in nonces or entry.pending_until is None]
        if len(left) < len(register.entries):
            project.store.write([register_write(project, register, left)])

    project.retrying(attempt)


def shard_condition(project: Project, key: ClaimKey, epoch: int) -> Check | None:
    """The condition that no glob is registered from now on; to be called before the register is read. None where the
    epoch of the settings has changed."""
    rows = SHARDS.within(project.store, project.scope)
    number = crc32(key.id.encode()) % SHARD_COUNT
    shard = rows.get(key.space, number)
    if key.space in _SETTABLE and epoch != (shard.epoch if shard else 0):
        return None
    return Check(rows.key(key.space, number), Absent() if shard is None else Equals("passes", shard.passes))
