"""The team settings of a project, which control how claim keys are parsed.

A change could turn two claims of different holders into claims of one file. So the change is first announced, which
makes all other claims wait. The caller then checks that every held claim keeps its id, and only then writes the change.
"""

from collections.abc import Callable, Iterable

import msgspec
from msgspec import Struct

from almanac.families.team.claims import glob_register
from almanac.families.team.claims.key_syntax import parse_key
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.paths import PathRules, read_root
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import SETTINGS, ClaimRecord, TeamSettings
from almanac.kernel.errors import Conflict, InvalidInput
from almanac.platform.store.contention import Retry
from almanac.platform.store.port import Change, ConditionFailed, Put
from almanac.platform.store.records import replace

CHANGING_MS = 2000
"""Time that others wait for a caller that is about to change the settings."""
SPACES = ("file", "file/")
_NAMED = 5


class SettingsChange(Struct, frozen=True):
    """A change of the settings. None keeps a setting; `root` "" removes it."""

    root: str | None = None
    ignore_case: bool | None = None


def stored_settings(project: Project) -> TeamSettings:
    """Return the stored settings, with version 0 if there are none."""
    return SETTINGS.within(project.store, project.scope).get() or TeamSettings(version=0)


def rules_of(settings: TeamSettings, *, spelled: bool = False) -> PathRules:
    """Return the rules for parsing paths of claims. With `spelled`, capitals of file paths count unless the project is
    configured otherwise."""
    root, ignore_case = settings.root, settings.configured_case is True if spelled else settings.ignores_case
    return PathRules(root and read_root(root, ignore_case=ignore_case), ignore_case)


def keys_of(settings: TeamSettings) -> Keys:
    return Keys(rules_of(settings), settings.epoch)


def is_changing(settings: TeamSettings, now: int) -> bool:
    """Return whether another caller is changing the settings, in which case the caller should retry in a moment."""
    until = settings.changing_until
    return until is not None and now < until <= now + 2 * CHANGING_MS


def clear_abandoned(project: Project, settings: TeamSettings) -> None:
    """Clear a change whose caller is gone, so that it can no longer be completed."""
    try:
        project.store.write([settings_write(project, msgspec.structs.replace(settings, changing_until=None))])
    except ConditionFailed:
        return


def change(project: Project, update: SettingsChange, read_held: Callable[[], Iterable[ClaimRecord]]) -> TeamSettings:
    """Change the settings and return them. `read_held` reads the held claims.

    Raises InvalidInput for an invalid root, and Conflict while a held claim would get another id.
    """

    def attempt() -> TeamSettings:
        before, now = stored_settings(project), project.now()
        if is_changing(before, now):
            raise Retry
        root, ignore_case = _apply_update(before, update)
        if (root, ignore_case) == (before.root, before.configured_case):
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

    return project.retry_on_conflict(attempt)


def _apply_update(before: TeamSettings, update: SettingsChange) -> tuple[str | None, bool | None]:
    """Return the new root and whether capitals are ignored. The root keeps its capitals, since they may count again
    later."""
    root = before.root if update.root is None else update.root or None
    ignore_case = before.configured_case if update.ignore_case is None else update.ignore_case
    return root and read_root(root, ignore_case=False), ignore_case


def _check(project: Project, announced: TeamSettings, new_rules: PathRules, read_held: Iterable[ClaimRecord]) -> None:
    conflicting: list[str] = []
    for claim in read_held:
        try:
            keeps_its_id = parse_key(claim.key, new_rules).id == parse_key(claim.key, rules_of(announced)).id
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
    """Return the changes that invalidate every claim whose key was parsed under the former settings."""
    changes: list[Change] = []
    for space in SPACES:
        register = glob_register.read_register(project, space)
        confirmed = [entry for entry in register.entries if entry.pending_until is None]
        changes.append(glob_register.register_write(project, register, confirmed))
        changes += glob_register.shard_writes(project, space, register.version + 1, epoch)
    return changes


def settings_write(project: Project, settings: TeamSettings) -> Put:
    """Return the change that writes settings, on condition that they have not changed since they were read."""
    rows = SETTINGS.within(project.store, project.scope)
    if settings.version == 0:
        return rows.insert(msgspec.structs.replace(settings, version=1))
    return replace(rows, settings)
