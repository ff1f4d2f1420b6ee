"""The same project as the families beside code know it."""

from almanac.families.code.core.code import CodeProject
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.team.core.project import Project as TeamProject


def team_of(project: CodeProject) -> TeamProject:
    return TeamProject(
        project.store, project.scope, project.actor, project.clock, project.random_bytes, project.backoff
    )


def memory_of(project: CodeProject) -> MemoryProject:
    return MemoryProject(
        project.store,
        project.scope,
        project.actor,
        project.clock,
        project.random_bytes,
        project.backoff,
        project.zone,
        project.week_start,
    )
