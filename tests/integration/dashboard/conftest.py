"""The dashboard over every family and a store of its own."""

import os
import time
from pathlib import Path

import pytest

from almanac.composition.families import every_family
from almanac.composition.laptop import laptop_services, open_sqlite
from almanac.composition.storage import by_family, open_storage_limits
from almanac.gateway.dashboard.dashboard import Dashboard
from almanac.gateway.dashboard.door import DashboardDoor
from almanac.gateway.dashboard.operator_pages import StoredBytes
from almanac.gateway.dashboard.requests import local_origins, public_origins
from almanac.gateway.dashboard.tools import ToolCalls
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.storage import StorageLimits
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from tests.integration.dashboard.browser import Browser
from tests.integration.dashboard.seen_telemetry import StrictTelemetry


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Store:
    store = open_sqlite(tmp_path / "store.db", clock)
    tenants = Tenants(store, clock)
    tenants.create("acme", default_timezone="Europe/Berlin")
    tenants.create_project("acme", "moon")
    return store


@pytest.fixture
def other_tenant(store: Store, clock: FixedClock) -> str:
    Tenants(store, clock).create("umbrella")
    return "umbrella"


@pytest.fixture
def keys(store: Store, clock: FixedClock) -> ApiKeys:
    return ApiKeys(store, clock, os.urandom)


@pytest.fixture
def key(keys: ApiKeys) -> str:
    return keys.issue(Grant(tenant="acme", project="default", actor="ann")).key.text


@pytest.fixture
def watched_telemetry() -> StrictTelemetry:
    return StrictTelemetry()


@pytest.fixture
def storage(store: Store, tmp_path: Path, clock: FixedClock) -> StorageLimits:
    return open_storage_limits(store, tmp_path / "store.db", clock, time.monotonic)


@pytest.fixture
def feed() -> str:
    """The address of the socket that tells pages of changes, on servers that have one."""
    return ""


@pytest.fixture
def door(
    store: Store,
    clock: FixedClock,
    tmp_path: Path,
    watched_telemetry: StrictTelemetry,
    storage: StorageLimits,
    feed: str,
) -> DashboardDoor:
    families = every_family(laptop_services(store, clock, tmp_path / "sealing", 30))
    tools = ToolCalls(
        families,
        clock,
        watched_telemetry,
        audit_store=lambda: store,
        admission=lambda: RequestLimits(lambda: store, clock),
        admits=watched_telemetry.note,
    )
    gatekeeper = Gatekeeper(StoredDirectory(store), store, clock)
    here, public = local_origins("127.0.0.1", 8787), public_origins("https://mcp.example.com")
    stored = StoredBytes(storage.storage_of, by_family)
    dashboard = Dashboard(tools, gatekeeper, store, clock, here, public, stored=stored, feed=feed)
    return DashboardDoor(lambda: dashboard, watched_telemetry)


@pytest.fixture
def stranger(door: DashboardDoor) -> Browser:
    return Browser(door)


@pytest.fixture
def browser(stranger: Browser, key: str) -> Browser:
    """A browser that is signed in."""
    stranger.sign_in(key)
    return stranger
