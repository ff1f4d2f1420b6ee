"""The collaborator of every tool of the skills family: one project, for one caller and one call."""

import os

from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.project import ProjectWork, patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store


class SkillProject(ProjectWork, frozen=True):
    """One project as one caller uses its skills. The project trusts skills installed by the actors in `trusted`."""

    trusted: frozenset[str] = frozenset()

    contended = "this skill"

    def trusts(self, installer: str) -> bool:
        return installer in self.trusted


def open_skills(services: Services, caller: Caller, clock: Clock) -> SkillProject:
    """Open the skills of a project for one call, over the store of `services`."""
    return SkillProject(
        services.get(Store),
        caller.scope,
        caller.actor,
        clock,
        os.urandom,
        patient_backoff(),
        caller.trusted_installers,
    )
