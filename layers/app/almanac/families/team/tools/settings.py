"""Settings of the project's team, which control how claim keys are parsed."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.team.claims import settings
from almanac.families.team.claims.claims import Claims
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import TeamSettings
from almanac.protocol.tool import Effect, tool


class ProjectSettings(msgspec.Struct, frozen=True):
    """`root` null: none is set. `updated_at` is milliseconds since 1970, null if nothing was ever set."""

    root: str | None
    case_insensitive: bool
    updated_at: int | None
    updated_by: str | None


class SettingsAnswer(msgspec.Struct, frozen=True):
    ok: bool
    settings: ProjectSettings


@tool(title="Configure the project", effect=Effect.SETS)
def configure_project(
    root: Annotated[
        str,
        Meta(
            description="Absolute path of the repository. Empty: none.",
            max_length=512,
            examples=["/home/ann/project"],
        ),
    ]
    | None = None,
    case_insensitive: Annotated[
        bool | None,
        Meta(description="Whether paths ignore case. Default: true."),
    ] = None,
    *,
    project: Project,
    claims: Claims,
) -> SettingsAnswer:
    """Change the settings of the project for everybody: the root directory of the repository, and whether paths ignore
    upper and lower case. For a client's configuration use context_setup.
    """
    update = settings.SettingsChange(root, case_insensitive)
    return SettingsAnswer(True, _settings_view(settings.change(project, update, claims.all_held)))


@tool(title="Project settings", effect=Effect.READS)
def get_project_settings(*, project: Project) -> ProjectSettings:
    """Show the settings of this project: how its configuration is set, the root folder of the repository, and whether
    paths are case sensitive. configure_project changes them.
    """
    return _settings_view(settings.stored_settings(project))


def _settings_view(stored: TeamSettings) -> ProjectSettings:
    return ProjectSettings(stored.root, stored.ignores_case, stored.updated_at or None, stored.updated_by)
