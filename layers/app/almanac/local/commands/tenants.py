"""`almanac tenants`"""

from typing import Any

import click

from almanac.identity.records import STANDARD, TIERS, Tenant
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.identity.transfer.deletion import TenantDeletion
from almanac.kernel.clock import SystemClock
from almanac.kernel.instants import iso
from almanac.local.listings import show, show_one
from almanac.local.options import json_option, open_store, store_options
from almanac.local.tenants.deleting import delete_all
from almanac.local.tenants.editing import (
    WEEK_STARTS,
    Zone,
    changes,
    clerk,
    confirmed,
    limit_options,
    note_delay,
    place,
    zone_options,
)
from almanac.local.tenants.progress import bucket_option

_CLOCK = SystemClock()
_COLUMNS = ("tenant", "name", "tier", "timezone", "week_start", "per_minute", "created", "state")


@click.group(short_help="Create, list, edit and delete tenants.")
def tenants() -> None:
    """Create, list, edit and delete tenants. A tenant's data is out of reach for every other tenant.

    On AWS the tenants of a tier share what its usage plan allows; elsewhere tiers have no effect.
    """


@tenants.command()
@click.argument("tenant")
@click.option("--name", default="", help="What people call it.")
@click.option("--project", default=DEFAULT_PROJECT, show_default=True, help="Its first project.")
@click.option("--tier", type=click.Choice(TIERS), default=STANDARD, show_default=True)
@click.option("--timezone", type=Zone(), help="Its IANA time zone; by default that of TIMEZONE.")
@click.option("--week-start", type=click.Choice(WEEK_STARTS), help="By default monday.")
@store_options
@json_option
def create(
    tenant: str,
    name: str,
    project: str,
    tier: str,
    timezone: str | None,
    week_start: str | None,
    as_json: bool,
    **where: Any,
) -> None:
    """Create TENANT with a first project."""
    created = _tenants(where).create(tenant, name, project, tier, timezone, week_start)
    show_one({**_row(created), "project": project}, as_json=as_json)


@tenants.command("tier")
@click.argument("tenant")
@click.argument("tier", type=click.Choice(TIERS))
@store_options
@json_option
def move_to_tier(tenant: str, tier: str, as_json: bool, **where: Any) -> None:
    """Move TENANT to TIER: the same as `almanac tenants edit --tier`. It holds within 30 seconds."""
    moved = _tenants(where).edit(tenant, tier=tier)
    if as_json:
        show_one(_row(moved), as_json=True)
    else:
        click.echo(f"{tenant} is of the tier {tier}.")


@tenants.command("list")
@store_options
@json_option
def list_tenants(as_json: bool, **where: Any) -> None:
    """List all tenants."""
    none = "There are no tenants: almanac tenants create NAME"
    show([_row(one) for one in _tenants(where).all()], _COLUMNS, as_json=as_json, none=none)


@tenants.command()
@click.argument("tenant")
@click.option("--name", help="What people call it.")
@click.option("--tier", type=click.Choice(TIERS))
@zone_options
@limit_options
@store_options
@json_option
def edit(
    tenant: str,
    name: str | None,
    tier: str | None,
    timezone: Any,
    week_start: Any,
    per_minute: Any,
    per_day: Any,
    as_json: bool,
    **where: Any,
) -> None:
    """Change TENANT. What is not named stays; `none` takes a setting away. Limits count the requests of all its keys.

    A running server follows at once, on AWS within 30 seconds.
    """
    settings = changes(
        {
            "name": name,
            "tier": tier,
            "default_timezone": timezone,
            "week_start": week_start,
            "per_minute": per_minute,
            "per_day": per_day,
        }
    )
    show_one(_row(_tenants(where).edit(tenant, **settings)), as_json=as_json)
    note_delay(where["table"])


@tenants.command()
@click.argument("tenant")
@click.option("--yes", is_flag=True, help="Do not ask.")
@store_options
@bucket_option
@json_option
def delete(tenant: str, yes: bool, as_json: bool, bucket: str | None, **where: Any) -> None:
    """Delete TENANT with its projects, their data and its keys. It cannot be undone.

    Its keys stop working first. What stops the command can be followed by the same command, which goes on.
    """
    known = _tenants(where)
    known.find(tenant)
    confirmed(f"the tenant {tenant}", tenant, yes=yes)
    done = delete_all(
        lambda installation, clerk: TenantDeletion(*installation, _CLOCK, clerk, tenant),
        tenant,
        place(where),
        bucket,
        _CLOCK,
        known.scopes(tenant),
    )
    show_one({"tenant": tenant, **done}, as_json=as_json)


def _tenants(where: dict[str, Any]) -> Tenants:
    store = open_store(*place(where), _CLOCK)
    return Tenants(store, _CLOCK, clerk(store, _CLOCK))


def _row(tenant: Tenant) -> dict[str, Any]:
    return {
        "tenant": tenant.id,
        "name": tenant.name,
        "tier": tenant.tier,
        "timezone": tenant.default_timezone,
        "week_start": tenant.week_start,
        "per_minute": tenant.per_minute,
        "per_day": tenant.per_day,
        "created": iso(tenant.created_at),
        "state": "being deleted" if tenant.deleting_at is not None else "works",
    }
