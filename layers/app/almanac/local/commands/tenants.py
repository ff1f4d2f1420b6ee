"""`almanac tenants`"""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from almanac.composition.storage import open_usage
from almanac.identity.records import MAX_CALLS_AT_ONCE, STANDARD, TIERS, Tenant
from almanac.identity.storage_limit import bytes_text, limit_of, total_in, total_key
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.identity.transfer.deletion import TenantDeletion
from almanac.kernel.clock import SystemClock
from almanac.kernel.instants import iso
from almanac.local.listings import show, show_one
from almanac.local.options import data_folder, json_option, open_store, store_options
from almanac.local.tenants.deletion import delete_all
from almanac.local.tenants.edit_options import (
    WEEK_STARTS,
    OrNone,
    Size,
    Zone,
    changes,
    clerk,
    confirm_deletion,
    limit_options,
    note_delay,
    place,
    zone_options,
)
from almanac.local.tenants.installation import export_signer
from almanac.local.tenants.progress import bucket_option
from almanac.platform.store.port import Store
from almanac.platform.store.tenant_scan import Usage

_CLOCK = SystemClock()
_CALLS_AT_ONCE = "Most calls to context, memory and code that run at one moment, or none."
_COLUMNS = (
    "tenant",
    "name",
    "tier",
    "timezone",
    "week_start",
    "per_minute",
    "storage",
    "documents",
    "created",
    "state",
)


@click.group(short_help="Create, list, edit and delete tenants.")
def tenants() -> None:
    """Create, list, edit and delete tenants. A tenant's data is out of reach for every other tenant.

    On AWS the tenants of a tier share what its usage plan allows; elsewhere tiers have no effect.
    """


@tenants.command()
@click.argument("tenant")
@click.option("--name", default="", help="Name that people see.")
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
    store = open_store(*place(where), _CLOCK)
    created = Tenants(store, _CLOCK, clerk(store, _CLOCK)).create(tenant, name, project, tier, timezone, week_start)
    # Create the secret of exports with the first tenant, so that every restored copy of the table has it. Exports of
    # such a copy can then be imported here.
    export_signer(store)
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
        click.echo(f"{tenant} is in the tier {tier}.")


@tenants.command("list")
@store_options
@json_option
def list_tenants(as_json: bool, **where: Any) -> None:
    """List all tenants, with their stored bytes and the limit. On AWS the stored bytes are those of the tenant's last
    count. Before its first count only the limit is shown."""
    none = "There are no tenants: almanac tenants create NAME"
    store, count = open_store(*place(where), _CLOCK), None
    if where["table"] is None:
        count = open_usage(data_folder(where["data"]).store_file, _CLOCK).usage
    rows = [
        _row(one) | _storage_columns(one, count or partial(_usage_of, store)) for one in Tenants(store, _CLOCK).all()
    ]
    show(rows, _COLUMNS, as_json=as_json, none=none)


@tenants.command()
@click.argument("tenant")
@click.option("--name", help="Name that people see.")
@click.option("--tier", type=click.Choice(TIERS))
@zone_options
@limit_options
@click.option("--calls-at-once", type=OrNone(click.IntRange(1, MAX_CALLS_AT_ONCE)), help=_CALLS_AT_ONCE)
@click.option("--max-storage", type=OrNone(Size()), help="Most that it may store, e.g. 500MB or 20GB, or none.")
@click.option("--max-documents", type=OrNone(click.IntRange(min=1)), help="Most documents that it may store, or none.")
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
    calls_at_once: Any,
    max_storage: Any,
    max_documents: Any,
    as_json: bool,
    **where: Any,
) -> None:
    """Change TENANT. Options that you leave out stay unchanged; `none` removes a setting. Limits count the requests of
    all its keys.

    On AWS, a tenant without --per-minute or --calls-at-once has the limits of its tier. Elsewhere --calls-at-once has
    no effect.

    Without --max-storage and --max-documents a tenant may store 20 GB and 5,000,000 documents. On AWS it is
    refused some minutes after it reached them.

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
            "calls_at_once": calls_at_once,
            "max_bytes": max_storage,
            "max_documents": max_documents,
        }
    )
    show_one(_row(_tenants(where).edit(tenant, **settings)), as_json=as_json)
    note_delay(where["table"])


@tenants.command()
@click.argument("tenant")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@store_options
@bucket_option
@json_option
def delete(tenant: str, yes: bool, as_json: bool, bucket: str | None, **where: Any) -> None:
    """Delete TENANT with its projects, their data and its keys. This cannot be undone. Its keys stop working first. If
    the command is interrupted, repeat it to continue.
    """
    known = _tenants(where)
    known.find(tenant)
    confirm_deletion(f"the tenant {tenant}", tenant, yes=yes)
    result = delete_all(
        lambda installation, clerk: TenantDeletion(*installation, _CLOCK, clerk, tenant),
        tenant,
        place(where),
        bucket,
        _CLOCK,
        known.scopes(tenant),
    )
    show_one({"tenant": tenant, **result}, as_json=as_json)


def _tenants(where: dict[str, Any]) -> Tenants:
    store = open_store(*place(where), _CLOCK)
    return Tenants(store, _CLOCK, clerk(store, _CLOCK))


def _usage_of(store: Store, tenant: str) -> Usage | None:
    total = total_in(store.get(total_key(tenant)))
    return None if total.at is None else Usage(total.bytes, total.documents)


def _storage_columns(tenant: Tenant, count: Callable[[str], Usage | None]) -> dict[str, Any]:
    """Return the columns of a tenant's row that describe its storage: the usage, if counted, and the limits."""
    limit = limit_of(tenant)
    used = count(tenant.id)
    if used is None:
        return {"storage": f"at most {bytes_text(limit.bytes)}", "documents": f"at most {limit.documents}"}
    return {
        "storage": f"{bytes_text(used.bytes)} of {bytes_text(limit.bytes)}",
        "documents": f"{used.documents} of {limit.documents}",
        "storage_bytes": used.bytes,
        "max_storage_bytes": limit.bytes,
        "document_count": used.documents,
    }


def _row(tenant: Tenant) -> dict[str, Any]:
    return {
        "tenant": tenant.id,
        "name": tenant.name,
        "tier": tenant.tier,
        "timezone": tenant.default_timezone,
        "week_start": tenant.week_start,
        "per_minute": tenant.per_minute,
        "per_day": tenant.per_day,
        "calls_at_once": tenant.calls_at_once,
        "max_storage": bytes_text(limit_of(tenant).bytes),
        "max_documents": limit_of(tenant).documents,
        "created": iso(tenant.created_at),
        "state": "being deleted" if tenant.deleting_at is not None else "works",
    }
