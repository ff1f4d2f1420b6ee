"""`almanac roles`"""

from typing import Any

import click

from almanac.families.team.core.roles import ROLES, ActorRoles, actor_roles
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.local.hints import in_use
from almanac.local.listings import show, show_one
from almanac.local.options import json_option, open_store, store_options, tenant_option
from almanac.local.tenants.edit_options import clerk, place
from almanac.platform.store.port import Store

_CLOCK = SystemClock()
_COLUMNS = ("actor", "roles", "project", "tenant")

_project = click.option("--project", required=True, callback=in_use("--project"), help="The project they work in.")


@click.group(short_help="Set and list the roles of agents and people.")
def roles() -> None:
    """Set and list the roles of agents and people in a project.

    Mail to role:reviewer reaches every actor with the role reviewer.
    """


@roles.command("set")
@click.argument("actor")
@click.argument("names", metavar="ROLES")
@tenant_option
@_project
@store_options
@json_option
def set_roles(actor: str, names: str, tenant: str, project: str, as_json: bool, **where: Any) -> None:
    """Give ACTOR exactly these ROLES, separated by commas; `none` removes all."""
    store, scope = _open_project(where, tenant, project)
    roles = [] if names == "none" else names.split(",")
    found = actor_roles(actor, roles)
    noted = clerk(store, _CLOCK).entry(tenant, "roles set", project=project, subject=found.actor)
    store.write([ROLES.within(store, scope).put(found), noted])
    show_one(_row(found, scope), as_json=as_json)


@roles.command("list")
@tenant_option
@_project
@store_options
@json_option
def list_roles(tenant: str, project: str, as_json: bool, **where: Any) -> None:
    """List the actors of a project that have roles."""
    store, scope = _open_project(where, tenant, project)
    rows = [_row(one, scope) for one in ROLES.within(store, scope).every() if one.roles]
    show(rows, _COLUMNS, as_json=as_json, none="No actor has a role: almanac roles set ACTOR ROLES")


def _open_project(where: dict[str, Any], tenant: str, project: str) -> tuple[Store, Scope]:
    """Return the store and the scope of a project. Raises NotFound for an unknown tenant or project."""
    store = open_store(*place(where), _CLOCK)
    Tenants(store, _CLOCK).find_project(tenant, project)
    return store, Scope(tenant, project)


def _row(one: ActorRoles, scope: Scope) -> dict[str, Any]:
    return {"actor": one.actor, "roles": one.roles, "project": scope.project, "tenant": scope.tenant}
