"""`almanac stdio`"""

import asyncio
import os
import time
from pathlib import Path

import click

from almanac.composition.families import TOOL_SETS, every_family
from almanac.composition.language_model import open_language_model
from almanac.composition.services import services_for
from almanac.composition.settings import read_settings
from almanac.composition.storage import open_storage_limits
from almanac.gateway.chat_views import CHAT_VIEWS
from almanac.gateway.http.hosts import host_for, hub_server
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.gateway.observability.telemetry import defect_reporter
from almanac.identity.access.authorize import KEY_HEADER, authorize, caller_of
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.effective_settings import EffectiveSettings
from almanac.identity.access.principal import Principal
from almanac.identity.access.storage import MeteredStore
from almanac.identity.records import Grant
from almanac.identity.tenants import DEFAULT_PROJECT
from almanac.kernel.caller import Caller
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Forbidden
from almanac.kernel.instants import now_ms
from almanac.local.background.storage_count import count_in_background
from almanac.local.data_folder import FIRST_TENANT, VARIABLE, DataFolder
from almanac.local.options import data_folder, data_option
from almanac.local.start.first_key import OWNER, FirstKeys
from almanac.local.start.zone_notes import NO_ZONES, Zones, zones_here
from almanac.protocol.toolset import EVERYTHING, Selection, Toolset


@click.command(short_help="Serve over standard input and output.")
@data_option
@click.option("--set", "tool_set", type=click.Choice(sorted(TOOL_SETS)), help="List the tools of this set only.")
def stdio(data: Path | None, tool_set: str | None) -> None:
    """Serve every family over standard input and output, for clients that start servers themselves.

    The caller is the owner of the key in ALMANAC_API_KEY, or else the owner of the data folder.
    """
    from almanac.protocol.wire.reference import serve_stdio  # noqa: PLC0415 - the official SDK takes a second to import

    clock = SystemClock()
    folder = data_folder(data)
    settings = read_settings()
    caller = local_caller(folder, settings.api_key, zones_here(settings))
    telemetry = ConsoleTelemetry()
    values = folder.open_whole_store(clock)
    storage = open_storage_limits(values, folder.store_file, clock, time.monotonic)
    services = services_for(
        MeteredStore(values, storage.add_writes),
        clock,
        open_indexing=lambda: folder.open_search(telemetry.note, defect_reporter(telemetry)).indexing,
        open_model=lambda: open_language_model(settings),
    )
    families = every_family(services)
    selection = EVERYTHING if tool_set is None else Selection(within=TOOL_SETS[tool_set])
    host = host_for(families, clock, telemetry, admits=storage.admit)
    with count_in_background(storage, defect_reporter(telemetry)):
        asyncio.run(serve_stdio(Toolset(families, CHAT_VIEWS), host, caller, hub_server(families), selection))


def local_caller(folder: DataFolder, given_key: str | None, zones: Zones = NO_ZONES) -> Caller:
    """Return the caller that the program works for: the holder of the given or the stored key, or the owner of the
    first tenant. Raises Forbidden for a key that needs a project to be named."""
    clock = SystemClock()
    store = folder.open_store(clock)
    directory = StoredDirectory(store)
    first = FirstKeys(folder, store, clock, os.urandom, zones.of_first_tenant).ensure(given_key)
    if first.text is None:
        owner = Grant(tenant=FIRST_TENANT, project=DEFAULT_PROJECT, actor=OWNER)
        return caller_of(owner, "stdio", DEFAULT_PROJECT, _place(directory), zones.installation)
    verdict = authorize({KEY_HEADER: first.text}, "/mcp", directory, now_ms(clock), zones.installation)
    if not isinstance(verdict, Principal):
        raise Forbidden(verdict.message, "Over stdio no project can be named: use a key of one project.")
    return verdict.caller


def _place(directory: StoredDirectory) -> EffectiveSettings:
    place = directory.settings(FIRST_TENANT, DEFAULT_PROJECT)
    if place is None:
        hint = f"Set {VARIABLE} to a key of another tenant: almanac keys issue makes one."
        raise Forbidden(f"The tenant {FIRST_TENANT} has no project {DEFAULT_PROJECT}.", hint)
    return place
