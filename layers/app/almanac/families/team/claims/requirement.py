"""Whether somebody holds what a write requires: a live claim of a key, or of a folder or glob that covers it.

    found = require(work, Requirement("file:src/a.py", holder="claude-code@ann#7f3a"))
    store.write([..., found.condition])         where it is Covered: fails once the claim has ended or changed hands

A claim covers a key where all that the key means is claimed; one that only overlaps with it does not.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.team.claims import glob_register, settings
from almanac.families.team.claims.expiry import capped, is_held
from almanac.families.team.claims.key_syntax import ClaimKey, file_key
from almanac.families.team.claims.keys import Keys
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import CLAIMS, ClaimRecord
from almanac.platform.project import ProjectWork
from almanac.platform.store.conditions import Equals, Greater
from almanac.platform.store.port import Check

_INSIDE = "/**"

Reason = Literal["not_held", "wrong_holder", "stale_token"]


class Requirement(Struct, frozen=True):
    """`key` as users write it. `holder` None: the claim must be the caller's own. `token`, where it is given, is that
    of the claim, so that a late write of a former holder is noticed."""

    key: str
    holder: str | None = None
    token: int | None = None


class Covered(Struct, frozen=True):
    """`condition` holds as long as nobody else has acquired the claim, and it did not end, by the clock of the
    caller."""

    claim: ClaimRecord
    condition: Check


class Uncovered(Struct, frozen=True):
    """`claim` is the one that is held instead: by another holder, or under another token; None where none is."""

    reason: Reason
    claim: ClaimRecord | None = None


def require(work: ProjectWork, requirement: Requirement) -> Covered | Uncovered:
    """The claim that covers the key for this holder; otherwise why there is none.

    Raises InvalidInput for a key that cannot be read, LimitExceeded for one that takes too long to compare.
    """
    project = Project(work.store, work.scope, work.actor, work.clock, work.random_bytes, work.backoff)
    keys = settings.keys_of(settings.stored_settings(project))
    now = project.now()
    held = [claim for claim in _covering(project, keys, keys.given(requirement.key)) if is_held(claim, now)]
    matching = [claim for claim in held if _is_of(claim, requirement, project.actor)]
    for claim in matching:
        if requirement.token in (None, claim.token):
            rows = CLAIMS.within(project.store, project.scope)
            still = Equals("token", claim.token) & Greater("lapses_at", now)
            return Covered(capped(claim, now), Check(rows.key(claim.id), still))
    if matching:
        return Uncovered("stale_token", capped(matching[0], now))
    return Uncovered("wrong_holder", capped(held[0], now)) if held else Uncovered("not_held")


def held_claims(work: ProjectWork, keys: Sequence[str]) -> dict[str, ClaimRecord]:
    """The claims that are held of these keys, or of globs that mean them, by key. The keys are neither paths nor
    globs, and all of one scheme."""
    reader = Keys()
    given = {key: reader.given(key) for key in keys}
    if not given:
        return {}
    project = Project(work.store, work.scope, work.actor, work.clock, work.random_bytes, work.backoff)
    entries = glob_register.read_register(project, next(iter(given.values())).space).entries
    globs = [entry.id for entry in entries if entry.pending_until is None]
    now = work.now()
    claims = CLAIMS.within(work.store, work.scope).by_id([*(key.id for key in given.values()), *globs])
    held = {one: capped(claim, now) for one, claim in claims.items() if is_held(claim, now)}
    wide = [(reader.read(held[one].key), held[one]) for one in globs if one in held]
    found: dict[str, ClaimRecord] = {}
    for text, key in given.items():
        claim = held.get(key.id) or next((one for glob, one in wide if reader.overlap(glob, key)), None)
        if claim is not None:
            found[text] = claim
    return found


def _is_of(claim: ClaimRecord, requirement: Requirement, actor: str) -> bool:
    return claim.actor == actor if requirement.holder is None else claim.holder == requirement.holder


def _covering(project: Project, keys: Keys, key: ClaimKey) -> Iterator[ClaimRecord]:
    """Claims that cover `key`, held or not: those of the key, of the folders above it, of globs."""
    register = glob_register.read_register(project, key.space)
    globs = [
        entry.id
        for entry in register.entries
        if entry.pending_until is None and _covers(keys, keys.read(entry.key or entry.id), key)
    ]
    former = [key.former_id] if key.former_id else []
    found = CLAIMS.within(project.store, project.scope).by_id([key.id, *former, *reversed(key.above), *globs])
    yield from found.values()


def _covers(keys: Keys, glob: ClaimKey, key: ClaimKey) -> bool:
    if glob.id == key.id:
        return True
    if glob.is_absolute != key.is_absolute:
        return False
    if glob.is_path and f"/{glob.name}".endswith(_INSIDE) and _is_folder_of(keys, glob, key):
        return True
    if key.is_glob:
        return False
    # A path is also what lies below it, which a glob of files does not mean.
    return keys.overlap(glob, file_key(key.name, keys.rules) if key.is_path else key)


def _is_folder_of(keys: Keys, glob: ClaimKey, key: ClaimKey) -> bool:
    """Whether `glob`, which is all that lies in a folder, means the folder `key` or something in it."""
    folder = glob.name.removesuffix("**").rstrip("/")
    if not folder:
        return not glob.name.startswith("/")
    whole = keys.read(f"file:{folder}")
    return not whole.is_glob and whole.id in (key.id, *key.above)
