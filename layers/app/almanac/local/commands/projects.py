"""`almanac projects`"""

from typing import Any

import click

from almanac.identity.records import ACCEPTABLE, Project
from almanac.identity.tenants import Tenants
from almanac.identity.transfer.deletion import ProjectDeletion
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso
from almanac.local.listings import show, show_one
from almanac.local.options import json_option, open_store, store_options, tenant_option
from almanac.local.tenants.deletion import delete_all
from almanac.local.tenants.edit_options import (
    WEEK_STARTS,
    Zone,
    changes,
    clerk,
    confirm_deletion,
    note_delay,
    place,
    zone_options,
)
from almanac.local.tenants.progress import bucket_option

_CLOCK = SystemClock()
_SETTINGS = ("project", "tenant", "name", "timezone", "week_start", "shared_memory", "trusts_skills_of", "auto_accept")
_COLUMNS = (*_SETTINGS, "created", "state")


@click.group(short_help="Create, list, edit and delete a tenant's projects.")
def projects() -> None:
    """Create, list, edit and delete a tenant's projects.

    Projects of one tenant do not see each other's data, except the memory they share (layer 3 of the context tools).
    `edit --shared-memory off` excludes a project from it.
    """


@projects.command()
@click.argument("project")
@tenant_option
@click.option("--name", default="", help="Name that people see.")
@click.option("--timezone", type=Zone(), help="Its IANA time zone; by default the tenant's.")
@click.option("--week-start", type=click.Choice(WEEK_STARTS), help="By default the tenant's.")
@store_options
@json_option
def create(
    project: str,
    tenant: str,
    name: str,
    timezone: str | None,
    week_start: str | None,
    as_json: bool,
    **where: Any,
) -> None:
    """Create PROJECT."""
    created = _tenants(where).create_project(tenant, project, name, timezone, week_start)
    show_one(_row(created, tenant), as_json=as_json)


@projects.command("list")
@tenant_option
@store_options
@json_option
def list_projects(tenant: str, as_json: bool, **where: Any) -> None:
    """List a tenant's projects."""
    tenants = _tenants(where)
    if not tenants.exists(tenant):
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    rows = [_row(one, tenant) for one in tenants.projects(tenant)]
    show(rows, _COLUMNS, as_json=as_json, none="It has no projects: almanac projects create NAME")


@projects.command()
@click.argument("project")
@tenant_option
@click.option("--name", help="Name that people see.")
@zone_options
@click.option(
    "--shared-memory",
    type=click.Choice(("on", "off")),
    help="Whether it reads and adds to the memory that the tenant's projects share.",
)
@click.option(
    "--trust-skills-of",
    metavar="ACTORS",
    help="Actors, separated by commas, whose skills agents may follow as instructions; `none` for no one.",
)
@click.option(
    "--auto-accept",
    metavar="KINDS",
    help=f"Kinds of memory candidates, with commas between them, that are pinned without a review when a person states "
    f"one ({', '.join(ACCEPTABLE)}); `none` for none.",
)
@store_options
@json_option
def edit(
    project: str,
    tenant: str,
    name: str | None,
    timezone: Any,
    week_start: Any,
    shared_memory: str | None,
    trust_skills_of: str | None,
    auto_accept: str | None,
    as_json: bool,
    **where: Any,
) -> None:
    """Change PROJECT. Options that you leave out stay unchanged; `none` removes a setting.

    A running server follows at once, on AWS within 30 seconds.
    """
    shares = None if shared_memory is None else shared_memory == "on"
    settings = changes(
        {
            "name": name,
            "default_timezone": timezone,
            "week_start": week_start,
            "shared_memory": shares,
            "trusted_installers": _names(trust_skills_of),
            "auto_accept": _names(auto_accept),
        }
    )
    show_one(_row(_tenants(where).edit_project(tenant, project, **settings), tenant), as_json=as_json)
    note_delay(where["table"])


@projects.command()
@click.argument("project")
@tenant_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@store_options
@bucket_option
@json_option
def delete(project: str, tenant: str, yes: bool, as_json: bool, bucket: str | None, **where: Any) -> None:
    """Delete PROJECT with everything in it, and the keys that belong to it alone. This cannot be undone. Its keys stop
    working first. If the command is interrupted, repeat it to continue.
    """
    _tenants(where).find_project(tenant, project)
    confirm_deletion(f"the project {project} of the tenant {tenant}", project, yes=yes)
    result = delete_all(
        lambda installation, clerk: ProjectDeletion(*installation, _CLOCK, clerk, tenant, project),
        f"{tenant} {project}",
        place(where),
        bucket,
        _CLOCK,
        [Scope(tenant, project)],
    )
    show_one({"project": project, "tenant": tenant, **result}, as_json=as_json)


def _names(text: str | None) -> list[str] | None:
    """Return the names between commas, None if the option is missing, or an empty list for the word `none`."""
    if text is None:
        return None
    return [] if text == "none" else sorted({each.strip() for each in text.split(",")})


def _tenants(where: dict[str, Any]) -> Tenants:
    store = open_store(*place(where), _CLOCK)
    return Tenants(store, _CLOCK, clerk(store, _CLOCK))


def _row(project: Project, tenant: str) -> dict[str, Any]:
    return {
        "project": project.id,
        "tenant": tenant,
        "name": project.name,
        "timezone": project.default_timezone,
        "week_start": project.week_start,
        "shared_memory": "on" if project.shared_memory else "off",
        "trusts_skills_of": ", ".join(project.trusted_installers) or None,
        "auto_accept": ", ".join(project.auto_accept) or None,
        "created": iso(project.created_at),
        "state": "being deleted" if project.deleting_at is not None else "works",
    }
