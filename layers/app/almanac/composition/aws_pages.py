"""Composition of the Lambda functions that people open in a browser: sign-in and the dashboard."""
# ruff: noqa: PLC0415 - each function imports only what it does

import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from almanac.composition.aws import open_table, services_on_aws
from almanac.composition.families import EXPENSIVE, FAMILIES, late_families
from almanac.composition.quick_start import quick_start
from almanac.composition.settings import Settings, read_settings
from almanac.kernel.clock import Clock, SystemClock
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.gateway.dashboard.dashboard import Dashboard
    from almanac.gateway.http.door import Handler
    from almanac.gateway.observability.telemetry import Telemetry
    from almanac.identity.access.gatekeeper import Gatekeeper


@quick_start
def aws_sign_in() -> "Handler":
    """Return the Lambda handler of sign-in. The first request that needs the table opens it."""
    from almanac.composition.sign_in import open_sign_in
    from almanac.identity.oauth.resources import Origins

    settings, clock = read_settings().require_fields("table", "region", "public_url"), SystemClock()
    table = cache(lambda: open_table(settings))
    gatekeeper = gatekeeper_over(settings, table, clock)
    return open_sign_in(table, gatekeeper, clock, Origins(settings.public_url)).handle


@quick_start
def aws_dashboard() -> "Handler":
    """Return the Lambda handler of the dashboard. It calls the tools of every family, as the hub does."""
    from almanac.gateway.dashboard.door import DashboardDoor
    from almanac.gateway.observability.telemetry import telemetry_for

    settings, telemetry = read_settings().require_fields("table", "region", "public_url"), telemetry_for(os.environ)
    return DashboardDoor(lambda: open_dashboard(settings, telemetry), telemetry).handle


def open_dashboard(settings: Settings, telemetry: "Telemetry") -> "Dashboard":
    """Open the dashboard's pages. The first call of a family's tool imports the family."""
    from almanac.gateway.dashboard.dashboard import Dashboard
    from almanac.gateway.dashboard.requests import public_origins
    from almanac.gateway.dashboard.tools import ToolCalls
    from almanac.identity.access.call_leases import CallLeases
    from almanac.identity.access.limits import RequestLimits
    from almanac.identity.oauth.resources import check_public_url
    from almanac.identity.storage_limit import admit_unless_full

    services, clock = services_on_aws(settings), SystemClock()
    store = services.get(Store)
    tools = ToolCalls(
        late_families(services, FAMILIES),
        clock,
        telemetry,
        audit_store=lambda: store,
        admission=cache(lambda: RequestLimits(lambda: store, clock)),
        admits=admit_unless_full,
        leases=cache(lambda: CallLeases(store, clock, os.urandom)),
        expensive=EXPENSIVE,
    )
    gatekeeper = gatekeeper_over(settings, lambda: store, clock)()
    origins = public_origins(check_public_url(str(settings.public_url)))
    # No Lambda function has the permission to write keys.
    return Dashboard(tools, gatekeeper, store, clock, origins, ends_keys=False, feed=settings.feed_url or "")


def gatekeeper_over(settings: Settings, open_store: Callable[[], Store], clock: Clock) -> "Callable[[], Gatekeeper]":
    """Return a function that opens the gatekeeper for keys that people enter.

    The gatekeeper refuses a revoked key within 30 seconds.
    """
    from almanac.composition.installation import installation_zone
    from almanac.identity.access.directory import CachingDirectory, StoredDirectory
    from almanac.identity.access.gatekeeper import Gatekeeper
    from almanac.identity.access.tiers import tier_limits

    zone = installation_zone(settings)
    tiers = tier_limits(*(list(map(int, text.split(","))) for text in (settings.tier_rates, settings.tier_calls)))
    return cache(
        lambda: Gatekeeper(CachingDirectory(StoredDirectory(open_store()), clock), open_store(), clock, zone, tiers)
    )
