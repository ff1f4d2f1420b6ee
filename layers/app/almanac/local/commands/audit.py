"""`almanac audit`"""

from pathlib import Path
from typing import Any

import click

from almanac.identity.audit import MAX_ENTRIES, AuditEntry, audit_page
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso
from almanac.local.first_key import FIRST_TENANT
from almanac.local.listings import show
from almanac.local.options import json_option, open_store, store_options

_COLUMNS = ("at", "actor", "key_id", "project", "tool", "outcome", "code", "duration_ms")


@click.command(short_help="Show who called which changing tool.")
@click.option("--tenant", default=FIRST_TENANT, show_default=True)
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, MAX_ENTRIES))
@click.option("--before", metavar="ID", help="Go on after the page that ended with this entry.")
@store_options
@json_option
def audit(
    tenant: str,
    limit: int,
    before: str | None,
    data: Path | None,
    table: str | None,
    region: str | None,
    as_json: bool,
) -> None:
    """Show the calls of tools that may change something, the newest first: who, which, when, how it ended.

    Never what was said. Entries are kept for 90 days.
    """
    clock = SystemClock()
    store = open_store(data, table, region, clock)
    if not Tenants(store, clock).exists(tenant):
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    page = audit_page(store, tenant, limit=limit, before=before)
    show([_row(entry) for entry in page.entries], _COLUMNS, as_json=as_json, none="Nothing was changed by a tool.")
    if page.before is not None:
        click.echo(f"There are more: --before {page.before}", err=True)


def _row(entry: AuditEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": iso(entry.at),
        "actor": entry.actor,
        "key_id": entry.key_id,
        "project": entry.project,
        "tool": entry.tool,
        "outcome": entry.outcome,
        "code": entry.code,
        "duration_ms": entry.duration_ms,
    }
