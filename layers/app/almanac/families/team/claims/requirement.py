"""Claims required by a write: a live claim of a key, or of a folder or glob that covers it.

    found = require(work, Requirement("file:src/a.py", holder="claude-code@ann#7f3a"))
    store.write([..., found.condition])         where it is Covered: fails once the claim has ended or changed hands

A claim covers a key if it includes everything that the key means. A claim that only overlaps with the key does not
cover it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.team.claims import glob_register, settings
from almanac.families.team.claims.expiry import cap_deadline, is_held
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
    """A required claim, with `key` in the user's spelling. Without `holder` the claim must be the caller's own. A
    `token` must equal the claim's, which detects a late write of a former holder."""

    key: str
    holder: str | None = None
    token: int | None = None


class CoveredKey(Struct, frozen=True):
    """A met requirement. `condition` holds until the claim ends, by the clock of the caller, or changes hands."""

    claim: ClaimRecord
    condition: Check


class UncoveredKey(Struct, frozen=True):
    """A failed requirement. `claim` is held by another holder or under another token; None if no claim is held."""

    reason: Reason
    claim: ClaimRecord | None = None


def require(work: ProjectWork, requirement: Requirement) -> CoveredKey | UncoveredKey:
    """Return the claim that covers the key for this holder, or the reason why none does.

    Raises InvalidInput for a key that cannot be parsed, LimitExceeded for a key that takes too long to compare.
    """
    project = project_of(work)
    keys = settings.keys_of(settings.stored_settings(project))
    now = project.now()
    held = [claim for claim in _covering_claims(project, keys, keys.parse(requirement.key)) if is_held(claim, now)]
    matching = [claim for claim in held if _is_of(claim, requirement, project.actor)]
    for claim in matching:
        if requirement.token in (None, claim.token):
            rows = CLAIMS.within(project.store, project.scope)
            still = Equals("token", claim.token) & Greater("lapses_at", now)
            return CoveredKey(cap_deadline(claim, now), Check(rows.key(claim.id), still))
    if matching:
        return UncoveredKey("stale_token", cap_deadline(matching[0], now))
    return UncoveredKey("wrong_holder", cap_deadline(held[0], now)) if held else UncoveredKey("not_held")


class RefusedPath(Struct, frozen=True):
    """A path that the caller may not change, and the claim that blocks it. `claim` is None if the caller's token
    belongs to no claim."""

    path: str
    reason: PathReason
    claim: ClaimRecord | None = None


def check_paths(project: Project, paths: Sequence[str], holder: str | None, token: int | None) -> list[RefusedPath]:
    """Return the files that the caller may not change because other owners hold them, in the order of `paths`.

    Without `holder` the caller owns no claim. A `token` must belong to a claim on one of the paths. It also proves that
    a claim under the same holder name, made with another API key, is the caller's. Raises InvalidInput for a path that
    cannot be parsed, LimitExceeded for globs that take too long to compare.
    """
    keys = settings.keys_of(settings.stored_settings(project))
    keys_by_path = _keys_of_files(project, list(dict.fromkeys(paths)), keys)
    held = _read_held_claims(project, keys, keys_by_path)
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
        blocked_paths = {one.path for one in refused}
        stale = dict(own)
        refused += [RefusedPath(path, "stale_token", stale[path]) for path in stale if path not in blocked_paths]
        if not own:
            refused += [RefusedPath(path, "not_held") for path in keys_by_path if path not in blocked_paths]
    first = {one.path: one for one in reversed(refused)}
    return [first[path] for path in keys_by_path if path in first]


def _keys_of_files(project: Project, paths: Sequence[str], keys: Keys) -> dict[str, ClaimKey]:
    """Parse paths as keys. Brackets and braces are part of a file name; `*` and `?` make a glob. A path is a folder if
    it ends with a slash, or if claims exist below it."""
    found: dict[str, ClaimKey] = {}
    for path in paths:
        name = path.removeprefix("file:")
        if not name.strip("/"):
            raise InvalidInput("A path is empty.", "Give the paths of files, e.g. src/auth.py.", path="paths")
        is_wide = _WILD.search(name) is not None or (name.endswith("/") and _IN_NAMES.search(name) is None)
        found[path] = keys.parse(f"file:{name}") if is_wide else file_key(name, keys.rules)
    plain = {path: key for path, key in found.items() if _IN_NAMES.search(path) is None and not key.is_glob}
    marks = OCCUPIED.within(project.store, project.scope).by_id([key.id for key in plain.values()])
    for path, key in plain.items():
        folder = keys.read(f"file:{path.removeprefix('file:')}")
        found[path] = folder if key.id in marks else replace(key, former_id=folder.former_id)
    return found


def _read_held_claims(
    project: Project, keys: Keys, keys_by_path: Mapping[str, ClaimKey]
) -> dict[str, list[ClaimRecord]]:
    """Return the held claims that affect each path: claims of the path, of a folder above it, of a key below it, and
    globs that match it."""
    registers = [glob_register.read_register(project, space) for space in settings.SPACES]
    entries = [one for register in registers for one in register.entries if one.pending_until is None]
    own = {
        path: (key.id, *([key.former_id] if key.former_id else []), *key.above) for path, key in keys_by_path.items()
    }
    rows = CLAIMS.within(project.store, project.scope)
    claims = rows.by_id([*(id_ for ids in own.values() for id_ in ids), *(entry.id for entry in entries)])
    wide = [entry.id for entry in entries]
    if any(key.is_glob or key.is_absolute or _is_folder(key) for key in keys_by_path.values()):
        below = {claim.id: claim for claim in rows.every(page=1000)}
        claims, wide = {**below, **claims}, [*dict.fromkeys([*wide, *below])]
    now = project.now()
    held = {one: cap_deadline(claim, now) for one, claim in claims.items() if is_held(claim, now)}
    others = [(one, keys.read(held[one].key)) for one in wide if one in held]
    return {
        path: [
            held[one]
            for one in dict.fromkeys([*own[path], *(one for one, other in others if _is_meant(keys, other, key))])
            if one in held
        ]
        for path, key in keys_by_path.items()
    }


def _is_folder(key: ClaimKey) -> bool:
    return isinstance(key.pattern, globs.Literal) and key.pattern.is_folder


def _is_meant(keys: Keys, other: ClaimKey, key: ClaimKey) -> bool:
    if not other.is_path:
        return False
    plain = not (key.is_glob or key.is_absolute or other.is_absolute)
    # Comparing patterns costs far more than comparing their prefixes and suffixes.
    if plain and not (key.id.startswith(other.prefix) or other.id.startswith(key.prefix)):
        return False
    if plain and other.is_glob and not _is_folder(key) and not key.name.endswith(_AFTER_WILD.split(other.name)[-1]):
        return False
    return keys.overlap(other, key)


def held_claims(work: ProjectWork, keys: Sequence[str]) -> dict[str, ClaimRecord]:
    """Return the held claim of each key, or of a glob that matches it, by key. The keys must be neither paths nor
    globs, and share one scheme."""
    reader = Keys()
    parsed_keys = {key: reader.parse(key) for key in keys}
    if not parsed_keys:
        return {}
    project = project_of(work)
    entries = glob_register.read_register(project, next(iter(parsed_keys.values())).space).entries
    globs = [entry.id for entry in entries if entry.pending_until is None]
    now = work.now()
    claims = CLAIMS.within(work.store, work.scope).by_id([*(key.id for key in parsed_keys.values()), *globs])
    held = {one: cap_deadline(claim, now) for one, claim in claims.items() if is_held(claim, now)}
    wide = [(reader.read(held[one].key), held[one]) for one in globs if one in held]
    found: dict[str, ClaimRecord] = {}
    for text, key in parsed_keys.items():
        claim = held.get(key.id) or next((one for glob, one in wide if reader.overlap(glob, key)), None)
        if claim is not None:
            found[text] = claim
    return found


def _is_of(claim: ClaimRecord, requirement: Requirement, actor: str) -> bool:
    return claim.actor == actor if requirement.holder is None else claim.holder == requirement.holder


def _covering_claims(project: Project, keys: Keys, key: ClaimKey) -> Iterator[ClaimRecord]:
    """Yield the claims that cover `key`, held or not: claims of the key, of folders above it, and globs."""
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
    # A path covers everything below it; a glob of files does not.
    return keys.overlap(glob, file_key(key.name, keys.rules) if key.is_path else key)


def _is_folder_of(keys: Keys, glob: ClaimKey, key: ClaimKey) -> bool:
    """Return whether the glob covers everything in a folder, and `key` is this folder or a path inside it."""
    folder = glob.name.removesuffix("**").rstrip("/")
    if not folder:
        return not glob.name.startswith("/")
    whole = keys.read(f"file:{folder}")
    return not whole.is_glob and whole.id in (key.id, *key.above)
