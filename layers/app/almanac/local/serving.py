"""`almanac serve`: every family on one port of this machine."""

import ipaddress
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NoReturn, TextIO

import almanac
from almanac.families.calendar.reach import Providers
from almanac.families.time.zones import TZDB_VERSION
from almanac.gateway.chores import CHORES
from almanac.gateway.console import ConsoleTelemetry
from almanac.gateway.http_door import HUB, http_handler
from almanac.gateway.reactions import REACTIONS, services_for
from almanac.gateway.telemetry import Telemetry, reporting
from almanac.identity.directory import StoredDirectory
from almanac.identity.gatekeeper import Gatekeeper
from almanac.identity.limits import RequestLimits
from almanac.kernel.clock import Clock, SystemClock
from almanac.local.background import reacting
from almanac.local.calendar_accounts import open_remotes
from almanac.local.client_configuration import client_configurations
from almanac.local.data_folder import DataFolder
from almanac.local.feed_endpoint import FeedEndpoint
from almanac.local.feed_watch import Watches
from almanac.local.first_key import FirstKey, FirstKeys
from almanac.local.front import Front
from almanac.local.http_server import HttpServer
from almanac.local.running import bind, run
from almanac.local.timekeeping import keeping_time
from almanac.platform.bus.bell import Bell, RingingStore
from almanac.platform.feed.log import LOGGING, Log
from almanac.platform.services import Services
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Store
from almanac.platform.store.shared_secret import shared_secret
from almanac.protocol.family import Family

WORKERS = 32
STOP_SECONDS = 30
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is bound is the user's choice


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    @property
    def url(self) -> str:
        """The hub's address as a client on this machine reaches it."""
        host = _ANY.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}{HUB}"

    @property
    def is_public(self) -> bool:
        """Whether other machines may reach it."""
        try:
            return not ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"


def serve(
    make_families: Callable[[Services], Sequence[Family]],
    *,
    host: str,
    port: int,
    folder: DataFolder,
    given_key: str | None,
    default_timezone: str | None,
    lock_seconds: int,
    out: TextIO,
    stop_seconds: int = STOP_SECONDS,
) -> None:
    """Serve until a signal. What can go wrong at the start raises InvalidInput. Calls that run when the signal comes
    have `stop_seconds` to finish; otherwise the process ends here with status 1.

    `given_key` is the value of ALMANAC_API_KEY; `default_timezone`, an IANA name, goes into the first key;
    `lock_seconds` is how long a slot is locked for a provider's answer. The address, the key and what to paste into
    clients go to `out`.
    """
    clock = SystemClock()
    store = folder.open_store(clock)
    first = FirstKeys(folder, store, clock, os.urandom, default_timezone).ensure(given_key)
    bell = Bell()
    ringing = RingingStore(store, bell)
    services = services_for(ringing, clock, Providers(open_remotes(folder, lambda: ringing), lock_seconds))
    families = make_families(services)
    listener = bind(host, port)
    address = Address(host, listener.getsockname()[1])
    telemetry = ConsoleTelemetry()
    with (
        reacting(store, folder.store_file, (LOGGING, *REACTIONS), clock, telemetry, bell=bell),
        keeping_time(CHORES, services, reporting(telemetry)),
        ThreadPoolExecutor(WORKERS, thread_name_prefix="call") as executor,
    ):
        server = _front(families, store, clock, telemetry, executor)
        if not run(server, listener, lambda: _announce(address, first, folder, out), stop_seconds):
            _give_up(stop_seconds)
    store.close()


def _front(
    families: Sequence[Family], store: Store, clock: Clock, telemetry: Telemetry, executor: ThreadPoolExecutor
) -> Front:
    """The families and the live feed over `store`; calls run on the threads of `executor`."""
    directory = StoredDirectory(store)
    gatekeeper = Gatekeeper(directory, clock)
    handler = http_handler(
        *families,
        admission=lambda: RequestLimits(store, clock),
        audit_store=lambda: store,
        clock=clock,
        telemetry=telemetry,
    )
    health = {
        "status": "ok",
        "version": almanac.__version__,
        "tzdb": TZDB_VERSION,
        "families": [family.name for family in families],
    }
    http = HttpServer(handler, gatekeeper, telemetry, executor, health=health)
    cursors = Cursors(lambda: shared_secret(store, "cursors", os.urandom))
    watches = Watches(Log(store), cursors, reporting(telemetry))
    return Front(http, FeedEndpoint(watches, gatekeeper, directory, clock))


def _announce(address: Address, first: FirstKey, folder: DataFolder, out: TextIO) -> None:
    lines = [f"Almanac {almanac.__version__} is ready at {address.url}"]
    lines.append(f"Key: {first.text} ({first.note})" if first.text else f"Key: {first.note}")
    lines.append(f"Data: {folder.path}")
    if address.is_public:
        lines.append("Other machines can reach this server: without TLS, keys and answers can be read on the way.")
    if first.text:
        for where, what in client_configurations(address.url, first.text, stdio_command(folder)):
            lines += ["", f"{where}:", what]
    lines += ["", "Stop with Ctrl+C."]
    out.write("\n".join(lines) + "\n")
    out.flush()


def stdio_command(folder: DataFolder) -> list[str]:
    """What starts the same families over stdio, on the same data."""
    return [sys.executable, "-m", "almanac.local", "stdio", "--data", str(folder.path)]


def _give_up(stop_seconds: int) -> NoReturn:
    sys.stderr.write(f"Calls did not finish within {stop_seconds} seconds; they were cut off.\n")
    sys.stderr.flush()
    # Python would wait for the threads of these calls for ever.
    os._exit(1)
