"""Access of a process to calendar providers. It imports none of them, so that naming the type costs nothing."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock

if TYPE_CHECKING:
    from almanac.families.calendar.entries.provider_gateway import ProviderGateway

OpenGateway = Callable[[Scope, Clock], "ProviderGateway"]
"""Function that opens the provider gateway of one project."""


LOCK_SECONDS = (5, 30, 300)
"""Shortest, default and longest time for which a slot stays locked while a provider answers, in seconds."""


class Providers:
    """Opener of providers, and the lock time of slots.

    `lock_seconds` (5 to 300) must exceed the longest answer time of any provider. Without `open_gateway` there are only
    native calendars.
    """

    def __init__(self, open_gateway: OpenGateway | None = None, lock_seconds: int = LOCK_SECONDS[1]) -> None:
        self.open = open_gateway or _none
        self.lock_seconds = lock_seconds


class ProvidersIfAllowed(Providers):
    """Providers of a process that can work without them. If it may not open their accounts, it shows the last pulled
    state."""


def _none(_scope: Scope, _clock: Clock) -> "ProviderGateway":
    from almanac.families.calendar.entries.provider_gateway import NoProviders  # noqa: PLC0415 - see above

    return NoProviders()
