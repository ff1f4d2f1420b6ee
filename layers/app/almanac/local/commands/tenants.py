"""`almanac tenants`"""

from pathlib import Path

import click

from almanac.identity.instants import iso
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.clock import SystemClock
from almanac.local.listings import show, show_one
from almanac.local.options import json_option, open_store, store_options


@click.group(short_help="Create and list tenants.")
def tenants() -> None:
    """Create and list tenants. A tenant's data is out of reach for every other tenant."""


@tenants.command()
@click.argument("tenant")
@click.option("--name", default="", help="What people call it.")
@click.option("--project", default=DEFAULT_PROJECT, show_default=True, help="Its first project.")
@store_options
@json_option
def create(
    tenant: str, name: str, project: str, data: Path | None, table: str | None, region: str | None, as_json: bool
) -> None:
    """Create TENANT with a first project."""
    clock = SystemClock()
    created = Tenants(open_store(data, table, region, clock), clock).create(tenant, name, project)
    row = {"tenant": created.id, "name": created.name, "created": iso(created.created_at), "project": project}
    show_one(row, as_json=as_json)


@tenants.command("list")
@store_options
@json_option
def list_tenants(data: Path | None, table: str | None, region: str | None, as_json: bool) -> None:
    """List all tenants."""
    clock = SystemClock()
    found = Tenants(open_store(data, table, region, clock), clock).all()
    rows = [{"tenant": one.id, "name": one.name, "created": iso(one.created_at)} for one in found]
    show(rows, ("tenant", "name", "created"), as_json=as_json, none="There are no tenants: almanac tenants create NAME")
