"""Claims required by a write: a live claim of a key, or of a folder or glob that covers it.

    found = require(work, Requirement("file:src/a.py", holder="claude-code@ann#7f3a"))
    store.write([..., found.condition])         where it is Covered: fails once the claim has ended or changed hands

A claim covers a key where all that the key means is claimed; one that only overlaps with it does not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.team.claims import glob_register, settings
from almanac.families.team.claims.expiry import capped, is_held
from almanac.families.team.claims.key_syntax import ClaimKey, file_key
from almanac.families.team.claims.keys import Keys
from almanac.families.team.core.project import Project, project_of
from almanac.families.team.core.records import CLAIMS, OCCUPIED, ClaimRecord
from almanac.families.team.globs import overlap as globs
from almanac.kernel.errors import InvalidInput
from almanac.platform.project import ProjectWork
from almanac.platform.store.conditions import Equals, Greater
from almanac.platform.store.port import Check

_INSIDE = "/**"
_IN_NAMES = re.compile(r"[\[{]")
_WILD = re.compile(r"[*?]")
_AFTER_WILD = re.compile(r"[*?\]}]")

Reason = Literal["not_held", "wrong_holder", "stale_token"]
PathReason = Literal["not_held", "wrong_holder", "wrong_actor", "stale_token"]


class Requirement(Struct, frozen=True):
    """`key` as users write it. `holder` None: the claim must be the caller's own. `token`, where it is given, is that
    of the claim, so that a late write of a former holder is noticed."""

    key: str
    holder: str | None = None
    token: int | None = None


class CoveredKey(Struct, frozen=True):
    """`condition` holds as long as nobody else has acquired the claim, and it did not end, by the clock of the
    caller."""

    claim: ClaimRecord
    condition: Check


class UncoveredKey(Struct, frozen=True):
    """`claim` is the one that is held instead: by another holder, or under another token; None where none is."""

    reason: Reason
    claim: ClaimRecord | None = None


def require(work: ProjectWork, requirement: Requirement) -> CoveredKey | UncoveredKey:
    """The claim that covers the key for this holder; otherwise why there is none.

    Raises InvalidInput for a key that cannot be read, LimitExceeded for one that takes too long to compare.
    """
    project = project_of(work)
    keys = settings.keys_of(settings.stored_settings(project))
    now = project.now()
    held = [claim for claim in _covering(project, keys, keys.given(requirement.key)) if is_held(claim, now)]
    matching = [claim for claim in held if _is_of(claim, requirement, project.actor)]
    for claim in matching:
        if requirement.token in (None, claim.token):
            rows = CLAIMS.within(project.store, project.scope)
            still = Equals("token", claim.token) & Greater("lapses_at", now)
            return CoveredKey(capped(claim, now), Check(rows.key(claim.id), still))
    if matching:
        return UncoveredKey("stale_token", capped(matching[0], now))
    return UncoveredKey("wrong_holder", capped(held[0], now)) if held else UncoveredKey("not_held")


class RefusedPath(Struct, frozen=True):
    """A path that the caller may not change. `claim` is the one that stands in the way; None where the caller has
    none that its token could be of."""

    path: str
    reason: PathReason
    claim: ClaimRecord | None = None


def check_paths(project: Project, paths: Sequence[str], holder: str | None, token: int | None) -> list[RefusedPath]:
    """Return the files that the caller may not change, in their order: those that other owners hold. Without `holder`
    the caller owns no claim. A `token` has to be that of a claim on one of the paths; it also proves that a claim
    which another key made under the same holder is the caller's.

    Raises InvalidInput for a path that cannot be read, LimitExceeded for globs that take too long to compare.
    """
    keys = settings.keys_of(settings.stored_settings(project))
    given = _keys_of_files(project, list(dict.fromkeys(paths)), keys)
    held = _held_on(project, keys, given)
    refused: list[RefusedPath] = []
    own: list[tuple[str, ClaimRecord]] = []
    for path, claims in held.items():
        for claim in claims:
            if claim.holder != holder:
                refused.append(RefusedPath(path, "wrong_holder", claim))
            elif claim.actor != project.actor and claim.token != token:
                refused.append(RefusedPath(path, "wrong_actor", claim))
            else:
                own.append((path, claim))
    if token is not None and all(claim.token != token for _, claim in own):
        taken = {one.path for one in refused}
        stale = dict(own)
        refused += [RefusedPath(path, "stale_token", stale[path]) for path in stale if path not in taken]
        if not own:
            refused += [RefusedPath(path, "not_held") for path in given if path not in taken]
    first = {one.path: one for one in reversed(refused)}
    return [first[path] for path in given if path in first]


def _keys_of_files(project: Project, paths: Sequence[str], keys: Keys) -> dict[str, ClaimKey]:
    """The keys by path. Brackets and braces are part of a file's name; with * or ? it is a glob. What ends with a slash
    is a folder, and so is what others hold something below."""
    found: dict[str, ClaimKey] = {}
    for path in paths:
        name = path.removeprefix("file:")
        if not name.strip("/"):
            raise InvalidInput("A path is empty.", "Give the paths of files, e.g. src/auth.py.", path="paths")
        is_wide = _WILD.search(name) is not None or (name.endswith("/") and _IN_NAMES.search(name) is None)
        found[path] = keys.given(f"file:{name}") if is_wide else file_key(name, keys.rules)
    plain = {path: key for path, key in found.items() if _IN_NAMES.search(path) is None and not key.is_glob}
    marks = OCCUPIED.within(project.store, project.scope).by_id([key.id for key in plain.values()])
    for path, key in plain.items():
        folder = keys.read(f"file:{path.removeprefix('file:')}")
        found[path] = folder if key.id in marks else replace(key, former_id=folder.former_id)
    return found


def _held_on(project: Project, keys: Keys, given: Mapping[str, ClaimKey]) -> dict[str, list[ClaimRecord]]:
    """The claims that are held on each path, on a folder above it or something below it, or by a glob that means it."""
    registers = [glob_register.read_register(project, space) for space in settings.SPACES]
    entries = [one for register in registers for one in register.entries if one.pending_until is None]
    own = {path: (key.id, *([key.former_id] if key.former_id else []), *key.above) for path, key in given.items()}
    rows = CLAIMS.within(project.store, project.scope)
    claims = rows.by_id([*(one for ids in own.values() for one in ids), *(entry.id for entry in entries)])
    wide = [entry.id for entry in entries]
    if any(key.is_glob or key.is_absolute or _is_folder(key) for key in given.values()):
        below = {claim.id: claim for claim in rows.every(page=1000)}
        claims, wide = {**below, **claims}, [*dict.fromkeys([*wide, *below])]
    now = project.now()
    held = {one: capped(claim, now) for one, claim in claims.items() if is_held(claim, now)}
    others = [(one, keys.read(held[one].key)) for one in wide if one in held]
    return {
        path: [
            held[one]
            for one in dict.fromkeys([*own[path], *(one for one, other in others if _is_meant(keys, other, key))])
            if one in held
        ]
        for path, key in given.items()
    }


def _is_folder(key: ClaimKey) -> bool:
    return isinstance(key.pattern, globs.Literal) and key.pattern.is_folder


def _is_meant(keys: Keys, other: ClaimKey, key: ClaimKey) -> bool:
    if not other.is_path:
        return False
    plain = not (key.is_glob or key.is_absolute or other.is_absolute)
    # Comparing patterns costs far more than comparing what they begin and end with.
    if plain and not (key.id.startswith(other.prefix) or other.id.startswith(key.prefix)):
        return False
    if plain and other.is_glob and not _is_folder(key) and not key.name.endswith(_AFTER_WILD.split(other.name)[-1]):
        return False
    return keys.overlap(other, key)


def held_claims(work: ProjectWork, keys: Sequence[str]) -> dict[str, ClaimRecord]:
    """The claims that are held of these keys, or of globs that mean them, by key. The keys are neither paths nor
    globs, and all of one scheme."""
    reader = Keys()
    given = {key: reader.given(key) for key in keys}
    if not given:
        return {}
    project = project_of(work)
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
    """Return whether `key` is the folder whose whole content `glob` means, or lies in it."""
    folder = glob.name.removesuffix("**").rstrip("/")
    if not folder:
        return not glob.name.startswith("/")
    whole = keys.read(f"file:{folder}")
    return not whole.is_glob and whole.id in (key.id, *key.above)
