"""The register of globs, by space, and the gates that every other claim of the space passes: see `records`."""

from collections.abc import Sequence
from zlib import crc32

from almanac.families.team.claims.key_syntax import ClaimKey, space_of
from almanac.families.team.claims.keys import Keys
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import GATES, GLOBS, ClaimRecord, Gate, GlobEntry, GlobRegister
from almanac.kernel.errors import LimitExceeded
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change, Check, Put
from almanac.platform.store.records import replace

GATE_COUNT = 32
"""More gates: fewer claims that meet at one; but who claims a glob writes them all."""
MAX_GLOBS = 200
PENDING_MS = 2000
"""How long others wait for somebody who is about to acquire a glob."""
_GLOB = frozenset("*?[{")
_SETTABLE = ("file", "file/")
"""The spaces whose keys are read by the settings of the project."""


def read_register(project: Project, space: str) -> GlobRegister:
    """As it stands; of version 0 where there is none yet."""
    return GLOBS.within(project.store, project.scope).get(space) or GlobRegister(space=space, version=0)


def in_the_way(register: GlobRegister, key: ClaimKey, owner: tuple[str, str], keys: Keys) -> list[GlobEntry]:
    """The entries of other owners, each a holder and its actor, that overlap with `key`, and a pending one of the same
    key, whosesoever it is."""
    return [
        entry
        for entry in register.entries
        if (not _is_of(entry, owner) or (entry.id == key.id and entry.pending_until is not None))
        and keys.overlap(keys.read(entry.key or entry.id), key)
    ]


def _is_of(entry: GlobEntry, owner: tuple[str, str]) -> bool:
    return (entry.holder, entry.actor or owner[1]) == owner


def is_pending(entry: GlobEntry, now: int) -> bool:
    """Whether somebody may be about to acquire it, and not gone; however clocks were set meanwhile."""
    return entry.pending_until is not None and now < entry.pending_until <= now + 2 * PENDING_MS


def written(project: Project, register: GlobRegister, entries: Sequence[GlobEntry]) -> Put:
    """The change that gives the register these entries, unless somebody changed it since it was read."""
    rows = GLOBS.within(project.store, project.scope)
    changed = GlobRegister(space=register.space, version=max(1, register.version), entries=list(entries))
    return rows.insert(changed) if register.version == 0 else replace(rows, changed)


def gates(project: Project, space: str, passes: int, epoch: int) -> list[Change]:
    """The changes after which nobody passes a gate who looked at it before."""
    rows = GATES.within(project.store, project.scope)
    return [rows.put(Gate(space=space, number=one, passes=passes, epoch=epoch)) for one in range(GATE_COUNT)]


def entering(project: Project, register: GlobRegister, entry: GlobEntry, epoch: int) -> list[Change]:
    """The changes that put `entry` into the register: whoever read it without this entry can no longer pass a gate.

    Raises LimitExceeded where it is full.
    """
    if len(register.entries) >= MAX_GLOBS:
        raise LimitExceeded(
            f"{MAX_GLOBS} globs are claimed already in this project.", "Release some, or claim single files."
        )
    entries = [*register.entries, entry]
    return [
        written(project, register, entries),
        *gates(project, register.space, register.version + 1, epoch),
    ]


def removal(project: Project, claim: ClaimRecord) -> list[Change]:
    """The change that takes a claim's entry out of the register, for the write that frees it."""
    if not claim.registered and not _GLOB.intersection(claim.id):
        return []
    register = read_register(project, space_of(claim.id))
    left = [entry for entry in register.entries if entry.id != claim.id]
    return [written(project, register, left)] if len(left) < len(register.entries) else []


def withdraw(project: Project, space: str, nonce: str) -> None:
    """Takes a pending entry out again, if it is still there."""

    def attempt() -> None:
        register = read_register(project, space)
        left = [entry for entry in register.entries if entry.nonce != nonce or entry.pending_until is None]
        if len(left) < len(register.entries):
            project.store.write([written(project, register, left)])

    project.retrying(attempt)


def passing(project: Project, key: ClaimKey, epoch: int) -> Check | None:
    """The condition that no glob was put into the register since now: to be read before the register is. None where
    keys are read otherwise meanwhile."""
    rows = GATES.within(project.store, project.scope)
    number = crc32(key.id.encode()) % GATE_COUNT
    gate = rows.get(key.space, number)
    if key.space in _SETTABLE and epoch != (gate.epoch if gate else 0):
        return None
    return Check(rows.key(key.space, number), Absent() if gate is None else Equals("passes", gate.passes))
