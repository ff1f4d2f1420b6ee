"""`almanac projects`"""

from pathlib import Path

import click

from almanac.identity.tenants import Tenants
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso
from almanac.local.first_key import FIRST_TENANT
from almanac.local.listings import show, show_one
from almanac.local.options import json_option, open_store, store_options

_tenant = click.option("--tenant", default=FIRST_TENANT, show_default=True)


@click.group(short_help="Create and list a tenant's projects.")
def projects() -> None:
    """Create and list a tenant's projects. Projects of one tenant do not see each other's data."""


@projects.command()
@click.argument("project")
@_tenant
@store_options
@json_option
def create(project: str, tenant: str, data: Path | None, table: str | None, region: str | None, as_json: bool) -> None:
    """Create PROJECT."""
    clock = SystemClock()
    created = Tenants(open_store(data, table, region, clock), clock).create_project(tenant, project)
    row = {"project": created.id, "tenant": tenant, "created": iso(created.created_at)}
    show_one(row, as_json=as_json)


@projects.command("list")
@_tenant
@store_options
@json_option
def list_projects(tenant: str, data: Path | None, table: str | None, region: str | None, as_json: bool) -> None:
    """List a tenant's projects."""
    clock = SystemClock()
    tenants = Tenants(open_store(data, table, region, clock), clock)
    if not tenants.exists(tenant):
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    rows = [{"project": one.id, "tenant": tenant, "created": iso(one.created_at)} for one in tenants.projects(tenant)]
    show(rows, ("project", "tenant", "created"), as_json=as_json, none="It has no projects.")
