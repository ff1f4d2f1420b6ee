"""The settings of a project's team: how keys of claims are read.

Changing them could make one file of two claims that different holders have. So it is announced first, which has every
other claim wait; then it is made sure that all that is held is read as before; then it is made.
"""

from collections.abc import Callable, Iterable

import msgspec
from msgspec import Struct

from almanac.families.team.claims import glob_register
from almanac.families.team.claims.key_syntax import read_key
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.paths import PathRules, read_root
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import SETTINGS, ClaimRecord, TeamSettings
from almanac.kernel.errors import Conflict, InvalidInput
from almanac.platform.store.contention import Retry
from almanac.platform.store.port import Change, ConditionFailed, Put
from almanac.platform.store.records import replace

CHANGING_MS = 2000
"""Time for which others wait for a caller that is about to change the settings."""
SPACES = ("file", "file/")
_NAMED = 5


class SettingsChange(Struct, frozen=True):
    """None keeps a setting; `root` "" removes it."""

    root: str | None = None
    ignore_case: bool | None = None


def stored_settings(project: Project) -> TeamSettings:
    """The stored settings; of version 0 where there are none."""
    return SETTINGS.within(project.store, project.scope).get() or TeamSettings(version=0)


def rules_of(settings: TeamSettings, *, spelled: bool = False) -> PathRules:
    """Return the rules for reading paths of claims; with `spelled`, capitals of file paths count until the project says
    otherwise."""
    root, ignore_case = settings.root, settings.said_case is True if spelled else settings.ignores_case
    return PathRules(root and read_root(root, ignore_case=ignore_case), ignore_case)


def keys_of(settings: TeamSettings) -> Keys:
    return Keys(rules_of(settings), settings.epoch)


def is_changing(settings: TeamSettings, now: int) -> bool:
    """Return whether a change is under way; if so, retry in a moment."""
    until = settings.changing_until
    return until is not None and now < until <= now + 2 * CHANGING_MS


def clear_abandoned(project: Project, settings: TeamSettings) -> None:
    """End a change whose caller is gone; it cannot be completed any more."""
    try:
        project.store.write([settings_write(project, msgspec.structs.replace(settings, changing_until=None))])
    except ConditionFailed:
        return


def change(project: Project, update: SettingsChange, read_held: Callable[[], Iterable[ClaimRecord]]) -> TeamSettings:
    """Change the settings and return them; `read_held` reads the claims that are held.

    Raises InvalidInput for what is no root, Conflict while something is held that would be read as another key.
    """

    def attempt() -> TeamSettings:
        before, now = stored_settings(project), project.now()
        if is_changing(before, now):
            raise Retry
        root, ignore_case = _wanted(before, update)
        if (root, ignore_case) == (before.root, before.said_case):
            return before
        announced = msgspec.structs.replace(before, epoch=before.epoch + 1, changing_until=now + CHANGING_MS)
        project.store.write([settings_write(project, announced), *_new_epoch_writes(project, announced.epoch)])
        announced = stored_settings(project)
        if announced.epoch != before.epoch + 1:
            raise Retry
        changed = msgspec.structs.replace(
            announced,
            root=root,
            ignore_case=ignore_case,
            changing_until=None,
            updated_at=now,
            updated_by=project.actor,
        )
        _check(project, announced, rules_of(changed), read_held())
        project.store.write([settings_write(project, changed)])
        return changed

    return project.retrying(attempt)


def _wanted(before: TeamSettings, update: SettingsChange) -> tuple[str | None, bool | None]:
    """The root, with its own capitals, since these may count again one day; and whether capitals are ignored."""
    root = before.root if update.root is None else update.root or None
    ignore_case = before.said_case if update.ignore_case is None else update.ignore_case
    return root and read_root(root, ignore_case=False), ignore_case


def _check(project: Project, announced: TeamSettings, wanted: PathRules, read_held: Iterable[ClaimRecord]) -> None:
    conflicting: list[str] = []
    for claim in read_held:
        try:
            keeps_its_id = read_key(claim.key, wanted).id == read_key(claim.key, rules_of(announced)).id
        except InvalidInput:
            keeps_its_id = False
        if not keeps_its_id:
            conflicting.append(claim.key)
    if conflicting:
        clear_abandoned(project, announced)
        raise Conflict(
            f"{len(conflicting)} claims would change their keys: {', '.join(conflicting[:_NAMED])}.",
            "Wait until they are released, then repeat the call.",
            untrusted=True,
        )


def _new_epoch_writes(project: Project, epoch: int) -> list[Change]:
    """The changes after which no claim can be written whose key was read by the former settings."""
    changes: list[Change] = []
    for space in SPACES:
        register = glob_register.read_register(project, space)
        confirmed = [entry for entry in register.entries if entry.pending_until is None]
        changes.append(glob_register.register_write(project, register, confirmed))
        changes += glob_register.shard_writes(project, space, register.version + 1, epoch)
    return changes


def settings_write(project: Project, settings: TeamSettings) -> Put:
    """The change that writes settings, unless somebody else wrote since they were read."""
    rows = SETTINGS.within(project.store, project.scope)
    if settings.version == 0:
        return rows.insert(msgspec.structs.replace(settings, version=1))
    return replace(rows, settings)
