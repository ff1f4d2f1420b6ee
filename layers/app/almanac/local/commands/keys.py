"""`almanac keys`"""

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from almanac.families.catalogue import described_families
from almanac.families.time.zones import find_zone
from almanac.identity.keys import ApiKeys, IssuedKey
from almanac.identity.records import Grant, KeyRecord
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso, milliseconds, now_ms
from almanac.local.first_key import FIRST_TENANT, OWNER
from almanac.local.listings import show, show_one
from almanac.local.options import Expiry, Span, json_option, open_store, store_options

_CLOCK = SystemClock()
_COLUMNS = ("id", "state", "project", "actor", "families", "readonly", "expires", "label")
_FAMILY_NAMES = [family.name for family in described_families()]


@click.group(short_help="Issue, list, revoke and rotate API keys.")
def keys() -> None:
    """Issue, list, revoke and rotate API keys. A key is shown once, when it is issued: only a digest is stored."""


@keys.command()
@click.option("--tenant", default=FIRST_TENANT, show_default=True)
@click.option(
    "--project", default=DEFAULT_PROJECT, show_default=True, help="One project, or * for all of the tenant's."
)
@click.option("--actor", default=OWNER, show_default=True, help="Who writes with this key.")
@click.option("--label", default="", help="A note on what the key is for.")
@click.option("--family", "families", multiple=True, type=click.Choice(_FAMILY_NAMES), help="Repeatable; default all.")
@click.option("--readonly", is_flag=True, help="Only tools that change nothing.")
@click.option("--timezone", help="The actor's IANA time zone.")
@click.option("--week-start", default="monday", show_default=True, type=click.Choice(["monday", "sunday"]))
@click.option("--expires", type=Expiry(_CLOCK), help="An instant, a date, or a span from now such as 90d.")
@click.option("--per-minute", type=click.IntRange(min=1), help="Requests per minute.")
@click.option("--per-day", type=click.IntRange(min=1), help="Requests per day of UTC.")
@store_options
@json_option
def issue(
    data: Path | None,
    table: str | None,
    region: str | None,
    as_json: bool,
    families: tuple[str, ...],
    timezone: str | None,
    expires: datetime | None,
    **terms: Any,
) -> None:
    """Issue a key and show it."""
    grant = Grant(
        families=families or None,
        default_timezone=find_zone(timezone).key if timezone else None,
        expires_at=milliseconds(expires) if expires else None,
        **terms,
    )
    _show_issued(_keys(data, table, region).issue(grant), as_json)


@keys.command("list")
@click.option("--tenant", default=FIRST_TENANT, show_default=True)
@store_options
@json_option
def list_keys(tenant: str, data: Path | None, table: str | None, region: str | None, as_json: bool) -> None:
    """List a tenant's keys, without their secrets."""
    store = open_store(data, table, region, _CLOCK)
    if not Tenants(store, _CLOCK).exists(tenant):
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    rows = [_row(record) for record in ApiKeys(store, _CLOCK, os.urandom).of_tenant(tenant)]
    show(rows, _COLUMNS, as_json=as_json, none="The tenant has no keys: almanac keys issue")


@keys.command()
@click.argument("key_id")
@store_options
@json_option
def revoke(key_id: str, data: Path | None, table: str | None, region: str | None, as_json: bool) -> None:
    """Make the key KEY_ID stop working: here at once, on AWS within 30 seconds."""
    show_one(_row(_keys(data, table, region).revoke(_id(key_id))), as_json=as_json)


@keys.command()
@click.argument("key_id")
@click.option("--overlap", default="24h", show_default=True, type=Span(), help="How long the old key still works.")
@store_options
@json_option
def rotate(
    key_id: str, overlap: timedelta, data: Path | None, table: str | None, region: str | None, as_json: bool
) -> None:
    """Issue a new key with the terms of KEY_ID, which works on for the overlap."""
    issued = _keys(data, table, region).rotate(_id(key_id), int(overlap.total_seconds()))
    _show_issued(issued, as_json)


def _keys(data: Path | None, table: str | None, region: str | None) -> ApiKeys:
    return ApiKeys(open_store(data, table, region, _CLOCK), _CLOCK, os.urandom)


def _id(text: str) -> str:
    """The id in a whole key too: whoever revokes a leaked key has that at hand."""
    return text.split("_")[1] if text.startswith("alm_") else text


def _show_issued(issued: IssuedKey, as_json: bool) -> None:
    if as_json:
        show_one({"key": issued.key.text, **_row(issued.record)}, as_json=True)
    else:
        click.echo(issued.key.text)
        click.echo("Keep it: it is not shown again.", err=True)


def _row(record: KeyRecord) -> dict[str, Any]:
    grant, instant = record.grant, now_ms(_CLOCK)
    revoked = record.revoked_at is not None
    return {
        "id": record.id,
        "state": "revoked" if revoked else "works" if record.works_at(instant) else "expired",
        "tenant": grant.tenant,
        "project": grant.project,
        "actor": grant.actor,
        "label": grant.label,
        "families": list(grant.families) if grant.families is not None else ["*"],
        "readonly": grant.readonly,
        "timezone": grant.default_timezone,
        "week_start": grant.week_start,
        "per_minute": grant.per_minute,
        "per_day": grant.per_day,
        "created": iso(record.created_at),
        "expires": iso(grant.expires_at),
        "revoked": iso(record.revoked_at),
        "replaced_by": record.replaced_by,
    }
