"""Settings of the project's team: how the keys of claims are read."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.team.claims import settings
from almanac.families.team.claims.claims import Claims
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import TeamSettings
from almanac.protocol.tool import Effect, tool


class ProjectSettings(msgspec.Struct, frozen=True):
    """`root` null: none is set. `updated_at` is milliseconds since 1970, null where nobody has set anything."""

    root: str | None
    case_insensitive: bool
    updated_at: int | None
    updated_by: str | None


class Configured(msgspec.Struct, frozen=True):
    ok: bool
    settings: ProjectSettings


@tool(title="Configure the project", effect=Effect.SETS)
def configure_project(
    root: Annotated[
        str,
        Meta(
            description="Absolute path of the project's folder: paths in it are the same as from there. Empty: none.",
            max_length=512,
            examples=["/home/ann/project"],
        ),
    ]
    | None = None,
    case_insensitive: Annotated[
        bool | None, Meta(description="Paths that differ in capitals only are one file, as on Windows and macOS.")
    ] = None,
    *,
    project: Project,
    claims: Claims,
) -> Configured:
    """Set how paths in claims are read, for everybody in the project. What is left out stays as it is.

    Refused while claims are held that would become other keys. get_project_settings reads the settings.
    """
    wished = settings.Wished(root, case_insensitive)
    return Configured(True, _told(settings.change(project, wished, claims.everything)))


@tool(title="Get the project's settings", effect=Effect.READS)
def get_project_settings(*, project: Project) -> ProjectSettings:
    """Read how paths in claims are read in this project: its root folder, and whether capitals count."""
    return _told(settings.standing(project))


def _told(kept: TeamSettings) -> ProjectSettings:
    return ProjectSettings(kept.root, kept.ignore_case, kept.updated_at or None, kept.updated_by)
