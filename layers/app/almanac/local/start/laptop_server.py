"""`almanac serve`: every family on one port of this machine."""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import almanac
from almanac.composition.commands.code_preparation import Preparation
from almanac.composition.families import TOOL_SETS, every_job, needs_of_tools
from almanac.composition.installation import zones_release
from almanac.composition.laptop import laptop_services
from almanac.composition.sign_in import open_sign_in
from almanac.composition.storage import by_family, open_storage_limits
from almanac.gateway.dashboard.door import DashboardDoor
from almanac.gateway.feed.admission import FeedLimits
from almanac.gateway.hooks.endpoint import answer_hook
from almanac.gateway.http.door import http_handler
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.gateway.observability.telemetry import Telemetry, defect_reporter
from almanac.identity.access.authorize import AccessTokens
from almanac.identity.access.directory import CurrentDirectory, StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.storage import MeteredStore, StorageLimits
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.attempts import FirstCalls
from almanac.identity.oauth.resources import Origins
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.errors import Unavailable
from almanac.local.analysis_pool.workers import Workers
from almanac.local.background.reactions import SEARCH_WORKER, reactions_by_worker, run_reactions
from almanac.local.background.scheduler import run_jobs
from almanac.local.background.storage_count import count_in_background
from almanac.local.background.sweeper import Sweeper
from almanac.local.client.server_address import Address
from almanac.local.data_folder import FIRST_TENANT, DataFolder
from almanac.local.feed.endpoint import FeedEndpoint
from almanac.local.feed.live_pages import LivePages
from almanac.local.feed.watch import Watches
from almanac.local.http.addresses import NO_PROXIES, Proxies
from almanac.local.http.connections import Connections, most_connections
from almanac.local.http.fair_queue import Full, Shares
from almanac.local.http.fair_threads import FairThreads
from almanac.local.http.server import HttpServer
from almanac.local.search.indexer.supervisor import run_indexer
from almanac.local.search.vectors import model_notes
from almanac.local.start.announcement import Announcement, server_of
from almanac.local.start.app import AsgiApp
from almanac.local.start.first_key import FirstKeys, parse_key
from almanac.local.start.machine import this_machine
from almanac.local.start.runner import bind, run
from almanac.local.start.zone_notes import Zones, zone_notes
from almanac.platform.bus.notifier import Notifiers, NotifyingStore
from almanac.platform.clients.server import ClientMachine
from almanac.platform.feed.log import Log
from almanac.platform.language_model.port import ChosenModel
from almanac.platform.services import Services
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Store
from almanac.platform.store.shared_secret import shared_secret
from almanac.protocol.family import Family
from almanac.search.engine.enrichment import ENRICH

if TYPE_CHECKING:
    from almanac.gateway.dashboard.dashboard import Dashboard

SHARES = Shares()
SWITCH_SECONDS = 0.002
"""Time that a thread may keep the interpreter from all others, in seconds; less than half of Python's default. With the
default, eight calls of one tenant that only compute delay another call by 40 ms each time it needs the interpreter."""

STOP_SECONDS = 30
MOST_WORKERS = 4


def serve(
    make_families: Callable[[Services], Sequence[Family]],
    *,
    host: str,
    port: int,
    folder: DataFolder,
    given_key: str | None,
    zones: Zones,
    lock_seconds: int,
    out: TextIO,
    stop_seconds: int = STOP_SECONDS,
    proxies: Proxies = NO_PROXIES,
    open_model: Callable[[], ChosenModel] = ChosenModel,
    public_url: str | None = None,
    reads_documents: bool = True,
) -> None:
    """Serve until a signal arrives. Raises InvalidInput if the server cannot start.

    Calls that run when the signal arrives have `stop_seconds` to finish, after which the process ends with status 1.
    `given_key` is the value of ALMANAC_API_KEY. `lock_seconds` is how long a slot stays locked for a provider's answer.
    `proxies` are trusted about the client's address. `open_model` opens the language model at its first use.
    `public_url` is the address at which clients reach this server through a proxy or tunnel. `reads_documents` allows
    clients to identify themselves by the URL of a metadata document. The address, the key and the settings to paste
    into clients are written to `out`.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    clock, origins = SystemClock(), Origins(public_url)
    # Check first, so that a start that must fail leaves nothing on disk.
    if given_key is not None and given_key.strip():
        parse_key(given_key.strip())
    listener = bind(host, port)
    with ExitStack() as undone:
        undone.callback(listener.close)
        small = folder.open_store(clock)
        values = folder.with_large_values(small)
        storage = open_storage_limits(values, folder.store_file, clock, time.monotonic)
        store = MeteredStore(values, storage.add_writes)
        first = FirstKeys(folder, store, clock, os.urandom, zones.of_first_tenant).ensure(given_key)
        with suppress(Unavailable):
            # Cursors of lists need this secret. Making it here keeps list calls free of writes.
            shared_secret(store, "cursors", os.urandom)
        undone.pop_all()
    notes = zone_notes(Tenants(store, clock), ApiKeys(store, clock, os.urandom), zones, first.text, FIRST_TENANT)
    notes += model_notes(folder.cache)
    notifiers = Notifiers()
    notifying = NotifyingStore(store, notifiers)
    telemetry = ConsoleTelemetry()
    report = defect_reporter(telemetry)
    search = folder.open_search(telemetry.note, report)
    address = Address(host, listener.getsockname()[1])
    machine = this_machine(server_of(address.url, folder, zones.installation), address, proxies)
    workers = Workers(min(MOST_WORKERS, os.cpu_count() or 1))
    also = {Preparation: workers, ClientMachine: machine}
    services = laptop_services(
        notifying, clock, folder.sealing_key_file, lock_seconds, lambda: search.indexing, open_model, also
    )
    families = make_families(services)
    with (
        closing(workers),
        run_reactions(
            store,
            folder.store_file,
            reactions_by_worker(),
            clock,
            telemetry,
            notifiers=notifiers,
            sweep=Sweeper(small.sweep, values, clock),
            open_indexing=lambda: search.indexing,
            elsewhere=(SEARCH_WORKER,),
        ),
        run_jobs([job for job in every_job() if job is not ENRICH], services, report),
        count_in_background(storage, report),
        closing(search),
        run_indexer(folder, notifiers.another(), report),
        ThreadPoolExecutor(SHARES.all_threads, thread_name_prefix="call") as executor,
    ):
        connections = Connections(most_connections())
        threads: FairThreads[Any] = FairThreads(executor, SHARES)
        directory = CurrentDirectory(StoredDirectory(store), small.version)
        server = _app(
            families,
            store,
            directory,
            clock,
            telemetry,
            threads,
            connections.most,
            zones.installation,
            proxies,
            storage,
            address,
            origins,
            reads_documents=reads_documents,
        )
        ready = Announcement(address, first, folder, zones.installation, notes)
        if not run(server, listener, lambda: ready.write(out), stop_seconds, connections):
            _give_up(stop_seconds)
    small.close()


def _app(
    families: Sequence[Family],
    store: Store,
    directory: CurrentDirectory,
    clock: Clock,
    telemetry: Telemetry,
    threads: FairThreads[Any],
    connections: int,
    default_timezone: str | None,
    proxies: Proxies,
    storage: StorageLimits,
    address: Address,
    origins: Origins,
    *,
    reads_documents: bool,
) -> AsgiApp:
    """Return the application with the families and the live feed over `store`. Keys are judged and calls run on
    `threads`."""
    tokens = AccessTokens(directory, origins, needs_of_tools(lambda: families), FirstCalls(lambda: store, clock))
    gatekeeper = Gatekeeper(directory, store, clock, default_timezone, tokens=tokens)
    handler = http_handler(
        *families,
        admission=lambda: RequestLimits(lambda: store, clock),
        audit_store=lambda: store,
        clock=clock,
        telemetry=telemetry,
        admits=storage.admit,
        hooks=answer_hook,
        sets=TOOL_SETS,
    )
    health = {
        "status": "ok",
        "version": almanac.__version__,
        "tzdb": zones_release(),
        "families": [family.name for family in families],
    }
    pages = DashboardDoor(
        partial(_dashboard, families, gatekeeper, store, clock, telemetry, storage, address, origins.public_url),
        telemetry,
    )
    sign_in = open_sign_in(
        lambda: store, lambda: gatekeeper, clock, origins, telemetry, reads_documents=reads_documents
    )
    http = HttpServer(handler, gatekeeper, telemetry, threads, health=health, pages=pages, sign_in=sign_in)
    cursors = Cursors(lambda: shared_secret(store, "cursors", os.urandom))
    watches = Watches(Log(store), cursors, defect_reporter(telemetry))
    limits = FeedLimits.within(connections)
    feed = FeedEndpoint(watches, gatekeeper, directory, clock, judging=_at(threads), limits=limits)
    live = LivePages(watches, pages, judging=_at(threads), limits=limits)
    return AsgiApp(http, feed, proxies, live)


def _dashboard(
    families: Sequence[Family],
    gatekeeper: Gatekeeper,
    store: Store,
    clock: Clock,
    telemetry: Telemetry,
    storage: StorageLimits,
    address: Address,
    public_url: str | None,
) -> "Dashboard":
    # Import here, so that templates are loaded only when a page is opened.
    from almanac.gateway.dashboard.dashboard import Dashboard  # noqa: PLC0415
    from almanac.gateway.dashboard.operator_pages import StoredBytes  # noqa: PLC0415
    from almanac.gateway.dashboard.requests import local_origins, public_origins  # noqa: PLC0415
    from almanac.gateway.dashboard.tools import ToolCalls  # noqa: PLC0415

    tools = ToolCalls(
        families,
        clock,
        telemetry,
        audit_store=lambda: store,
        admission=cache(lambda: RequestLimits(lambda: store, clock)),
        admits=storage.admit,
    )
    public = () if public_url is None else (public_origins(public_url),)
    origins = (*public, local_origins(address.host, address.port))
    stored = StoredBytes(storage.storage_of, by_family)
    return Dashboard(tools, gatekeeper, store, clock, *origins, is_live=True, stored=stored)


def _at(threads: FairThreads[Any]) -> Callable[[Callable[[], Any]], Awaitable[Any]]:
    """Return a function that runs the check of a key on `threads`, where all keys are checked."""

    async def judging(judge: Callable[[], Any]) -> Any:
        try:
            return await asyncio.wrap_future(threads.enter(judge))
        except Full:
            raise TimeoutError from None

    return judging


def _give_up(stop_seconds: int) -> NoReturn:
    sys.stderr.write(f"Calls did not finish within {stop_seconds} seconds; they were cut off.\n")
    sys.stderr.flush()
    # Python would wait for the threads of these calls for ever.
    os._exit(1)
