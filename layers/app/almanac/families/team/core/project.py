"""One project, as one caller works in it: the store, clock and actor of every part of the family."""

import os

import msgspec

from almanac.families.team.core.rule_sources import NOTHING, Installation
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.platform.project import SYSTEM_ACTOR, ProjectWork, event_key, patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store

__all__ = ["SYSTEM_ACTOR", "Project", "check_size", "event_key", "open_project", "project_of", "system_project"]


class Project(ProjectWork, frozen=True):
    """One project as one caller works in it. `here` has the event kinds and actions that rules can use. `zone` is the
    IANA name of the caller's time zone, None if it has none."""

    here: Installation = NOTHING
    zone: str | None = None

    contended = "the team's state"


def open_project(
    services: Services,
    scope: Scope,
    actor: str,
    clock: Clock,
    here: Installation = NOTHING,
    zone: str | None = None,
) -> Project:
    """Open a project for one call, over the store of `services`."""
    return Project(services.get(Store), scope, actor, clock, os.urandom, patient_backoff(), here, zone)


def project_of(work: ProjectWork) -> Project:
    """Return the project for one part of another family's write."""
    return Project(work.store, work.scope, work.actor, work.clock, work.random_bytes, work.backoff)


def system_project(services: Services, scope: Scope) -> Project:
    """Open a project for scheduled jobs."""
    return open_project(services, scope, SYSTEM_ACTOR, services.get(Clock))


def check_size(value: object, path: str, limit: int) -> None:
    """Raise InvalidInput if `value` takes more than `limit` bytes as JSON. Events carry the value, so it must be
    small."""
    size = len(msgspec.json.encode(value))
    if size > limit:
        raise InvalidInput(
            f'"{path}" has {size} bytes as JSON, over {limit}.',
            "Store it elsewhere and put only its name here.",
            path=path,
        )
