"""`almanac search`"""

from pathlib import Path
from typing import Any

import click
import msgspec

from almanac.identity.tenants import Tenants
from almanac.kernel.clock import SystemClock
from almanac.local.hints import hint, in_use
from almanac.local.listings import show, show_one
from almanac.local.options import data_folder, json_option, store_options
from almanac.local.search.services import open_services, open_upkeep, scopes_of
from almanac.local.search.vectors import vectors_line
from almanac.local.tenants.progress import progress_bar
from almanac.platform.store.port import Store

_CLOCK = SystemClock()
_COUNTS = ("tenant", "project", "documents", "enriched", "removed", "fresh", "bytes", "rebuilding")
_FOUND = ("tenant", "project", "documents", "missing", "outdated", "superfluous", "stuck", "fresh")

_tenant = click.option("--tenant", callback=in_use("--tenant"), help="One tenant; by default all of them.")


@click.group(short_help="Show, check and rebuild the search index.")
def search() -> None:
    """Show, check and rebuild the search index.

    Almanac builds the index from stored data and keeps it up to date. Search keeps answering during these commands.
    """


@search.command()
@_tenant
@store_options
@json_option
def status(tenant: str | None, data: Path | None, table: str | None, region: str | None, as_json: bool) -> None:
    """Show the number of indexed documents of each project. Fresh documents are searched in the store until they are
    indexed.

    Without --json, the last line shows where this machine stores its word vectors, and how many are computed.
    """
    services = open_services((data, table, region), _CLOCK)
    upkeep = open_upkeep(services)
    rows: list[dict[str, Any]] = []
    for scope in scopes_of(services.get(Store), _CLOCK, tenant):
        counts, fresh = upkeep.status(scope)
        place = {"tenant": scope.tenant, "project": scope.project}
        rows.append({**place, **msgspec.to_builtins(counts), "fresh": fresh})
    show(rows, _COUNTS, as_json=as_json, none="There are no projects.")
    if table is None and not as_json:
        folder = data_folder(data)
        click.echo(hint(vectors_line(folder.vectors_files, folder.cache)))


@search.command()
@_tenant
@store_options
@json_option
def verify(tenant: str | None, data: Path | None, table: str | None, region: str | None, as_json: bool) -> None:
    """Compare the index with the stored data, and repair it: add missing documents, update outdated ones and remove
    superfluous ones. A project whose index is ahead of the store (stuck) is indexed again."""
    services = open_services((data, table, region), _CLOCK)
    upkeep = open_upkeep(services)
    rows: list[dict[str, Any]] = []
    compared = 0
    with progress_bar("Comparing", None, 100) as progress:
        for scope in scopes_of(services.get(Store), _CLOCK, tenant):
            found = upkeep.verify(scope, lambda count, before=compared: progress(before + count))
            compared += found.documents
            rows.append({"tenant": scope.tenant, "project": scope.project, **msgspec.to_builtins(found)})
    show(rows, _FOUND, as_json=as_json, none="There are no projects.")


@search.command()
@click.option("--anew", is_flag=True, help="Start over instead of continuing an interrupted rebuild.")
@click.option(
    "--workers",
    type=click.IntRange(1, 32),
    default=4,
    show_default=True,
    help="Number of workers that read the table and write to OpenSearch at the same time.",
)
@store_options
@json_option
def rebuild(data: Path | None, table: str | None, region: str | None, as_json: bool, anew: bool, workers: int) -> None:
    """Rebuild the index of all tenants from stored data. The old index answers until the new one is complete.

    On OpenSearch a rebuild continues an interrupted one. There ALMANAC_SEARCH_SHARDS and ALMANAC_SEARCH_REPLICAS set
    the layout of the new index. Without them the new index gets the layout of the old one.
    """
    services = open_services((data, table, region), _CLOCK)
    upkeep = open_upkeep(services)
    scopes = scopes_of(services.get(Store), _CLOCK)
    with progress_bar("Indexing", None, 100) as progress:
        # Index files allow one writer at a time.
        documents = upkeep.rebuild(scopes, progress, workers=workers if table else 1, resume=not anew)
    tenants = sum(1 for _ in Tenants(services.get(Store), _CLOCK).all())
    show_one({"tenants": tenants, "projects": len(scopes), "documents": documents}, as_json=as_json)
