"""The register of globs, by space, and the gates that every other claim of the space passes: see `records`."""

from zlib import crc32

from almanac.families.team.claim_keys import ClaimKey, read_key
from almanac.families.team.project import Project
from almanac.families.team.records import GATES, GLOBS, ClaimRecord, Gate, GlobEntry, GlobRegister
from almanac.kernel.errors import LimitExceeded
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change, Check, ConditionFailed, Put
from almanac.platform.store.records import replace

GATE_COUNT = 32
"""More gates: fewer claims that meet at one; but who claims a glob writes them all."""
MAX_GLOBS = 200


def read_register(project: Project, space: str) -> GlobRegister:
    """As it stands; of version 0 where there is none yet."""
    return GLOBS.within(project.store, project.scope).get(space) or GlobRegister(space=space, version=0)


def in_the_way(register: GlobRegister, key: ClaimKey, holder: str) -> list[GlobEntry]:
    """The entries of other holders that overlap with `key`, and a pending one of the same glob, whosesoever it is."""
    return [
        entry
        for entry in register.entries
        if (entry.holder != holder or (entry.id == key.id and entry.pending_until is not None))
        and read_key(entry.id).overlaps(key)
    ]


def written(project: Project, register: GlobRegister, entries: list[GlobEntry]) -> Put:
    """The change that gives the register these entries, unless somebody changed it since it was read."""
    rows = GLOBS.within(project.store, project.scope)
    changed = GlobRegister(space=register.space, version=max(1, register.version), entries=entries)
    return rows.insert(changed) if register.version == 0 else replace(rows, changed)


def entering(project: Project, register: GlobRegister, entry: GlobEntry) -> list[Change]:
    """The changes that put `entry` into the register: whoever read it without this entry can no longer pass a gate.

    Raises LimitExceeded where it is full.
    """
    if len(register.entries) >= MAX_GLOBS:
        raise LimitExceeded(
            f"{MAX_GLOBS} globs are claimed already in this project.", "Release some, or claim single files."
        )
    gates = GATES.within(project.store, project.scope)
    passes = register.version + 1
    opened = [gates.put(Gate(space=register.space, number=number, passes=passes)) for number in range(GATE_COUNT)]
    return [written(project, register, [*register.entries, entry]), *opened]


def removal(project: Project, claim: ClaimRecord) -> list[Change]:
    """The change that takes a glob's entry out of the register, for the write that frees its claim."""
    key = read_key(claim.key)
    if not key.is_glob:
        return []
    register = read_register(project, key.space)
    return [written(project, register, [entry for entry in register.entries if entry.id != key.id])]


def withdraw(project: Project, space: str, nonce: str) -> None:
    """Takes a pending entry out again, if it is still there."""
    for _ in project.pauses.attempts():
        register = read_register(project, space)
        left = [entry for entry in register.entries if entry.nonce != nonce or entry.pending_until is None]
        if len(left) == len(register.entries):
            return
        try:
            project.store.write([written(project, register, left)])
        except ConditionFailed:
            continue
        return


def passing(project: Project, key: ClaimKey) -> Check:
    """The condition that no glob was put into the register since now: to be read before the register is."""
    gates = GATES.within(project.store, project.scope)
    number = crc32(key.id.encode()) % GATE_COUNT
    gate = gates.get(key.space, number)
    return Check(gates.key(key.space, number), Absent() if gate is None else Equals("passes", gate.passes))
