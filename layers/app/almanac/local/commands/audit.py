"""`almanac audit`"""

from pathlib import Path
from typing import Any

import click

from almanac.identity.audit import MAX_ENTRIES, AuditEntry, audit_page
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso
from almanac.local.hints import hint
from almanac.local.listings import name_unreadable, show
from almanac.local.options import json_option, open_store, store_options, tenant_option

_COLUMNS = ("at", "actor", "key_id", "project", "tool", "subject", "outcome", "code", "duration_ms")


@click.command(short_help="Show which tools and commands changed something, and who ran them.")
@tenant_option
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, MAX_ENTRIES))
@click.option("--before", metavar="ID", help="Show entries before this one: the last id of the previous page.")
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
    """Show calls of tools that changed something, and commands on keys, projects and the tenant, newest first.

    Entries name the actor, the tool or command, the time and the outcome, never the content. They are kept for 90 days,
    even after a tenant is deleted.
    """
    clock = SystemClock()
    store = open_store(data, table, region, clock)
    is_known = Tenants(store, clock).exists(tenant)
    page = audit_page(store, tenant, limit=limit, before=before, is_deleted=not is_known)
    if not is_known and not page.entries and before is None:
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    rows = [_row(entry) for entry in page.entries]
    show(rows, _COLUMNS, as_json=as_json, none="Nothing was changed by a tool or a command.")
    name_unreadable(page.unreadable)
    if page.before is not None:
        click.echo(hint(f"There are more: almanac audit --before {page.before}"), err=True)


def _row(entry: AuditEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": iso(entry.at),
        "actor": entry.actor,
        "key_id": entry.key_id,
        "project": entry.project,
        "tool": entry.tool,
        "subject": entry.subject,
        "outcome": entry.outcome,
        "code": entry.code,
        "duration_ms": entry.duration_ms,
    }
