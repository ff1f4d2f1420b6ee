"""Search for commands, opened for a data folder or for a table on AWS."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from almanac.composition.laptop import open_vectors
from almanac.composition.services import services_for
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.local.options import data_folder, open_store, settings_for
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.engine.maintenance import Upkeep
from almanac.search.engine.parts import IndexParts

# Some commands open search without embedding, so the embedder is not imported here.
if TYPE_CHECKING:
    from almanac.platform.embedder.late_vectors import LateVectors
    from almanac.platform.embedder.port import StaticEmbedder

_MOST_SECONDS = 600

Place = tuple[Path | None, str | None, str | None]
"""A data folder, or a table and its region."""


def open_services(place: Place, clock: Clock) -> Services:
    """Return the services that search needs for a data folder or a table on AWS."""
    data, table, region = place
    store = open_store(data, table, region, clock)

    def open_indexing() -> IndexParts:
        if table is None or region is None:
            return data_folder(data).open_search(_print_note, _print_problem).indexing
        from almanac.composition import aws  # noqa: PLC0415 - only for AWS

        # Functions have the table in a layer. Here it is computed when it is first needed, and kept on this machine.
        folder = data_folder(data)
        vectors = _WaitedFor(open_vectors(folder.vectors_files, _print_note, _print_problem, cache=folder.cache))
        return aws.open_indexing(settings_for(table, region), vectors)

    return services_for(store, clock, open_indexing=open_indexing)


class _WaitedFor:
    """Vectors that wait for the whole table, because work on all documents needs most of it."""

    def __init__(self, vectors: "LateVectors") -> None:
        self._vectors = vectors

    def ready(self) -> "StaticEmbedder | None":
        return self._vectors.wait(_MOST_SECONDS)


def _print_note(line: str) -> None:
    click.echo(line, err=True)


def _print_problem(task: str, cause: BaseException) -> None:
    click.echo(f"{task}: {cause}", err=True)


def open_upkeep(services: Services) -> Upkeep:
    """Return the maintenance functions of the index. Raises InvalidInput if there is no index."""
    indexing = services.get(IndexParts)
    if indexing.index is None:
        raise InvalidInput(
            "There is no search index here: recent documents are searched in the store.",
            "On AWS deploy with Search=domain or endpoint; ALMANAC_SEARCH_ENDPOINT is the output SearchEndpoint.",
        )
    return Upkeep(indexing.index, indexing, services)


def scopes_of(store: Store, clock: Clock, tenant: str | None = None) -> list[Scope]:
    """Return the projects of one tenant or of all tenants. Raises NotFound."""
    known = Tenants(store, clock)
    if tenant is not None and not known.exists(tenant):
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    names = [one.id for one in known.all()] if tenant is None else [tenant]
    return [scope for name in names for scope in known.scopes(name)]


def index_tenant(place: Place, tenant: str, clock: Clock, progress: Callable[[int], object]) -> None:
    """Index all data that a tenant imported from files, if there is an index."""
    services = open_services(place, clock)
    if services.get(IndexParts).index is not None:
        for scope in scopes_of(services.get(Store), clock, tenant):
            open_upkeep(services).verify(scope, progress)


def forget_later(place: Place, scopes: Sequence[Scope], clock: Clock) -> Callable[[], None]:
    """Return a function that drops these projects from the index. It does nothing if there is no index."""
    index = open_services(place, clock).get(IndexParts).index

    def forget() -> None:
        if index is not None:
            for scope in scopes:
                index.forget(scope)

    return forget
