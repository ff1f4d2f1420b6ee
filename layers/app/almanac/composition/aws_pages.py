"""The functions on AWS that people open in a browser, at the public URL: sign-in."""
# ruff: noqa: PLC0415 - each function imports only what it does

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from almanac.composition.aws import open_table
from almanac.composition.settings import Settings, read_settings
from almanac.kernel.clock import Clock, SystemClock
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.gateway.http.door import Handler
    from almanac.identity.access.gatekeeper import Gatekeeper


def aws_sign_in() -> "Handler":
    """The Lambda handler of sign-in. Nothing is opened before a request needs the table."""
    from almanac.composition.sign_in import open_sign_in
    from almanac.identity.oauth.resources import Origins

    settings, clock = read_settings().needing("table", "region", "public_url"), SystemClock()
    table = cache(lambda: open_table(settings))
    gatekeeper = gatekeeper_over(settings, table, clock)
    return open_sign_in(table, gatekeeper, clock, Origins(settings.public_url)).handle


def gatekeeper_over(settings: Settings, open_store: Callable[[], Store], clock: Clock) -> "Callable[[], Gatekeeper]":
    """What opens the gatekeeper of keys that people show; a revoked one is refused within 30 seconds."""
    from almanac.composition.installation import installation_zone
    from almanac.identity.access.directory import RememberingDirectory, StoredDirectory
    from almanac.identity.access.gatekeeper import Gatekeeper
    from almanac.identity.access.tiers import tier_limits

    zone = installation_zone(settings)
    tiers = tier_limits(*(list(map(int, text.split(","))) for text in (settings.tier_rates, settings.tier_calls)))
    return cache(
        lambda: Gatekeeper(RememberingDirectory(StoredDirectory(open_store()), clock), open_store(), clock, zone, tiers)
    )
