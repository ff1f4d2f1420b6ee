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
"""How long others wait for somebody who is about to change the settings."""
SPACES = ("file", "file/")
_NAMED = 5


class Wished(Struct, frozen=True):
    """What is to change; None leaves it. `root` "" takes it away."""

    root: str | None = None
    ignore_case: bool | None = None


def standing(project: Project) -> TeamSettings:
    """As they are; of version 0 where nobody has set any."""
    return SETTINGS.within(project.store, project.scope).get() or TeamSettings(version=0)


def rules_of(settings: TeamSettings) -> PathRules:
    root = settings.root
    return PathRules(root and read_root(root, ignore_case=settings.ignore_case), settings.ignore_case)


def keys_of(settings: TeamSettings) -> Keys:
    return Keys(rules_of(settings), settings.epoch)


def is_changing(settings: TeamSettings, now: int) -> bool:
    """Whether somebody is about to change them: look again in a moment."""
    until = settings.changing_until
    return until is not None and now < until <= now + 2 * CHANGING_MS


def cleared(project: Project, settings: TeamSettings) -> None:
    """Ends a change whose maker is gone, which can then not be made any more."""
    try:
        project.store.write([putting(project, msgspec.structs.replace(settings, changing_until=None))])
    except ConditionFailed:
        return


def change(project: Project, wished: Wished, held: Callable[[], Iterable[ClaimRecord]]) -> TeamSettings:
    """The settings as they now are. `held` reads what is claimed, once it is asked for.

    Raises InvalidInput for what is no root, Conflict while something is held that would be read as another key.
    """

    def attempt() -> TeamSettings:
        before, now = standing(project), project.now()
        if is_changing(before, now):
            raise Retry
        wanted = _wanted(before, wished)
        if (wanted.root, wanted.ignore_case) == (before.root, before.ignore_case):
            return before
        announced = msgspec.structs.replace(before, epoch=before.epoch + 1, changing_until=now + CHANGING_MS)
        project.store.write([putting(project, announced), *_closed_gates(project, announced.epoch)])
        announced = standing(project)
        if announced.epoch != before.epoch + 1:
            raise Retry
        made = msgspec.structs.replace(
            announced,
            root=wanted.root,
            ignore_case=wanted.ignore_case,
            changing_until=None,
            updated_at=now,
            updated_by=project.actor,
        )
        _check(project, announced, rules_of(made), held())
        project.store.write([putting(project, made)])
        return made

    return project.retrying(attempt)


def _wanted(before: TeamSettings, wished: Wished) -> PathRules:
    """The root with its own capitals, since these may count again one day."""
    ignore_case = before.ignore_case if wished.ignore_case is None else wished.ignore_case
    root = before.root if wished.root is None else wished.root or None
    return PathRules(root and read_root(root, ignore_case=False), ignore_case)


def _check(project: Project, announced: TeamSettings, wanted: PathRules, held: Iterable[ClaimRecord]) -> None:
    other: list[str] = []
    for claim in held:
        try:
            stays = read_key(claim.key, wanted).id == read_key(claim.key, rules_of(announced)).id
        except InvalidInput:
            stays = False
        if not stays:
            other.append(claim.key)
    if other:
        cleared(project, announced)
        raise Conflict(
            f"{len(other)} claims would get other keys: {', '.join(other[:_NAMED])}.",
            "Wait until they are released, then repeat the call.",
        )


def _closed_gates(project: Project, epoch: int) -> list[Change]:
    """What makes sure that nobody who reads keys as before gets a claim any more: who is about to acquire a glob must
    begin anew."""
    changes: list[Change] = []
    for space in SPACES:
        register = glob_register.read_register(project, space)
        made = [entry for entry in register.entries if entry.pending_until is None]
        changes.append(glob_register.written(project, register, made))
        changes += glob_register.gates(project, space, register.version + 1, epoch)
    return changes


def putting(project: Project, settings: TeamSettings) -> Put:
    """The change that writes settings, as read and then altered, unless somebody else wrote meanwhile."""
    rows = SETTINGS.within(project.store, project.scope)
    if settings.version == 0:
        return rows.insert(msgspec.structs.replace(settings, version=1))
    return replace(rows, settings)
