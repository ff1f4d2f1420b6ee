"""`almanac tenants`"""

from pathlib import Path

import click

from almanac.identity.records import STANDARD, TIERS, Tenant
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.clock import SystemClock
from almanac.kernel.instants import iso
from almanac.local.listings import show, show_one
from almanac.local.options import json_option, open_store, store_options


@click.group(short_help="Create and list tenants.")
def tenants() -> None:
    """Create and list tenants. A tenant's data is out of reach for every other tenant.

    On AWS the tenants of a tier share what its usage plan allows; elsewhere tiers have no effect.
    """


@tenants.command()
@click.argument("tenant")
@click.option("--name", default="", help="What people call it.")
@click.option("--project", default=DEFAULT_PROJECT, show_default=True, help="Its first project.")
@click.option("--tier", type=click.Choice(TIERS), default=STANDARD, show_default=True)
@store_options
@json_option
def create(
    tenant: str,
    name: str,
    project: str,
    tier: str,
    data: Path | None,
    table: str | None,
    region: str | None,
    as_json: bool,
) -> None:
    """Create TENANT with a first project."""
    clock = SystemClock()
    created = Tenants(open_store(data, table, region, clock), clock).create(tenant, name, project, tier)
    show_one({**_row(created), "project": project}, as_json=as_json)


@tenants.command("tier")
@click.argument("tenant")
@click.argument("tier", type=click.Choice(TIERS))
@store_options
def move_to_tier(tenant: str, tier: str, data: Path | None, table: str | None, region: str | None) -> None:
    """Move TENANT to TIER. It holds within 30 seconds."""
    clock = SystemClock()
    Tenants(open_store(data, table, region, clock), clock).move_to_tier(tenant, tier)
    click.echo(f"{tenant} is of the tier {tier}.")


@tenants.command("list")
@store_options
@json_option
def list_tenants(data: Path | None, table: str | None, region: str | None, as_json: bool) -> None:
    """List all tenants."""
    clock = SystemClock()
    found = Tenants(open_store(data, table, region, clock), clock).all()
    columns = ("tenant", "name", "tier", "created")
    none = "There are no tenants: almanac tenants create NAME"
    show([_row(one) for one in found], columns, as_json=as_json, none=none)


def _row(tenant: Tenant) -> dict[str, str | None]:
    return {"tenant": tenant.id, "name": tenant.name, "tier": tenant.tier, "created": iso(tenant.created_at)}
