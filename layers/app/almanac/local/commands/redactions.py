"""`almanac redactions`"""

import os
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

import click

from almanac.composition.families import every_redactable
from almanac.composition.services import services_for
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso
from almanac.local.hints import in_use
from almanac.local.listings import show, show_one
from almanac.local.options import json_option, open_store, store_options, tenant_option
from almanac.local.search.services import scopes_of
from almanac.local.tenants.progress import progress_bar
from almanac.local.user import user
from almanac.platform.project import ProjectWork, patient_backoff
from almanac.platform.redactions.records import REDACTIONS, Redaction, Where
from almanac.platform.redactions.rows import review
from almanac.platform.redactions.scan import ScanResult, scan
from almanac.platform.store.port import Store

_CLOCK = SystemClock()
_COLUMNS = ("id", "status", "at", "where", "item", "kinds", "actor", "tenant", "project")
_COUNTS = ("tenant", "project", "where", "items", "found", "rewritten", "changing", "kinds")
_REASON = 500
_STATUSES = ("flagged", "escalated", "dismissed", "confirmed")

_one_tenant = click.option("--tenant", callback=in_use("--tenant"), help="One tenant; by default all of them.")
_one_project = click.option("--project", help="One project; by default all of them.")
_in_project = click.option("--project", required=True, help="Its project.")
_reason = click.option("--reason", required=True, help="Reason, for the next reviewer.")


Verdict = Literal["dismissed", "confirmed"]


@click.group(short_help="Show and review secrets that were removed, and scan for more.")
def redactions() -> None:
    """Show and review secrets that were removed from texts before they were stored, and scan for more.

    The secrets themselves are stored nowhere.
    """


@redactions.command("list")
@click.option("--status", type=click.Choice(_STATUSES), help="Only secrets with this status.")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 10_000), help="Maximum number.")
@_one_tenant
@_one_project
@store_options
@json_option
def list_redactions(
    status: str | None,
    limit: int,
    tenant: str | None,
    project: str | None,
    data: Path | None,
    table: str | None,
    region: str | None,
    as_json: bool,
) -> None:
    """List removed secrets by project, newest first."""
    store = open_store(data, table, region, _CLOCK)
    rows = chain.from_iterable(
        (_row(scope, each) for each in _redactions_of(store, scope, status))
        for scope in _scopes(store, tenant, project)
    )
    show(list(islice(rows, limit)), _COLUMNS, as_json=as_json, none="Nothing was redacted.")


@redactions.command()
@click.argument("redaction_id")
@_reason
@tenant_option
@_in_project
@store_options
@json_option
def dismiss(redaction_id: str, **options: Any) -> None:
    """Mark REDACTION_ID as no secret, for example because it is an example. It stays redacted."""
    _review(redaction_id, "dismissed", **options)


@redactions.command()
@click.argument("redaction_id")
@_reason
@tenant_option
@_in_project
@store_options
@json_option
def confirm(redaction_id: str, **options: Any) -> None:
    """Confirm that REDACTION_ID was a secret, for example after it was replaced."""
    _review(redaction_id, "confirmed", **options)


@redactions.command("scan")
@click.option("--apply", is_flag=True, help="Remove what is found instead of only counting it.")
@_one_tenant
@_one_project
@store_options
@json_option
def scan_stored(
    apply: bool,
    tenant: str | None,
    project: str | None,
    data: Path | None,
    table: str | None,
    region: str | None,
    as_json: bool,
) -> None:
    """Look for secrets in stored data: turns, memories, candidates, notes with their versions, the journal, cards,
    events, broadcasts, reviews, claims with their notices, rules and presence.

    With --apply they are removed there and from the search index. Backups and exported files keep them. Calendars at
    providers keep them too, but Almanac shows their events without them.
    """
    store = open_store(data, table, region, _CLOCK)
    services, rows, read = services_for(store, _CLOCK), list[dict[str, Any]](), 0
    redactables = every_redactable()
    with progress_bar("Reading", None, 100) as progress:
        for scope in _scopes(store, tenant, project):
            caller = Caller(scope, actor=user(), key_id="", default_timezone="UTC")
            found = scan(
                services,
                caller,
                redactables,
                rewrite=apply,
                progress=lambda count, before=read: progress(before + count),
            )
            read += sum(each.items for each in found.values())
            rows += [_count(scope, where, each) for where, each in found.items() if each.items]
    show(rows, _COUNTS, as_json=as_json, none="Nothing is stored.")


def _scopes(store: Store, tenant: str | None, project: str | None) -> list[Scope]:
    """Return the scopes of the projects. Raises NotFound if there is no such project."""
    scopes = [each for each in scopes_of(store, _CLOCK, tenant) if project in (None, each.project)]
    if project is not None and not scopes:
        raise NotFound(f"There is no project {project}.", "`almanac projects list --tenant` shows those of a tenant.")
    return scopes


def _redactions_of(store: Store, scope: Scope, status: str | None) -> Iterator[Redaction]:
    rows = REDACTIONS.within(store, scope)
    return rows.every(reverse=True) if status is None else rows.every(status, index="gsi1", reverse=True)


def _review(redaction_id: str, status: Verdict, reason: str, tenant: str, project: str, **where: Any) -> None:
    store = open_store(where["data"], where["table"], where["region"], _CLOCK)
    (scope,) = _scopes(store, tenant, project)
    work = ProjectWork(store, scope, user(), _CLOCK, os.urandom, patient_backoff())
    row = review(work, redaction_id, status, reason[:_REASON])
    show_one(_row(scope, row), as_json=where["as_json"])


def _row(scope: Scope, row: Redaction) -> dict[str, Any]:
    return {
        "id": row.id,
        "status": row.status,
        "at": iso(row.at),
        "where": row.where,
        "item": row.item,
        "fields": list(dict.fromkeys(each.path for each in row.removed if each.path)),
        "kinds": list(dict.fromkeys(each.kind for each in row.removed)),
        "count": row.count,
        "actor": row.actor,
        "tool": row.tool,
        "session_id": row.session,
        "reason": row.reason,
        "reviewer": row.reviewer,
        "tenant": scope.tenant,
        "project": scope.project,
    }


def _count(scope: Scope, where: Where, found: ScanResult) -> dict[str, Any]:
    kinds = [f"{kind} {count}" for kind, count in sorted(found.kinds.items(), key=lambda one: -one[1])]
    return {
        "tenant": scope.tenant,
        "project": scope.project,
        "where": where,
        "items": found.items,
        "found": found.found,
        "rewritten": found.rewritten,
        "changing": found.changing,
        "kinds": kinds,
    }
