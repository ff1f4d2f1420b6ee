"""Access of a process to the providers of calendars. Imports none of them, so that naming the type costs nothing."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock

if TYPE_CHECKING:
    from almanac.families.calendar.entries.provider_gateway import ProviderGateway

OpenGateway = Callable[[Scope, Clock], "ProviderGateway"]
"""Opens the provider gateway of one project."""


LOCK_SECONDS = (5, 30, 300)
"""The shortest, the usual and the longest time that a slot is locked for a provider's answer."""


class Providers:
    """The opener of providers, and for how many seconds a slot is locked for their answer: longer than any of them
    takes, 5 to 300. Without `open_gateway` there are native calendars only."""

    def __init__(self, open_gateway: OpenGateway | None = None, lock_seconds: int = LOCK_SECONDS[1]) -> None:
        self.open = open_gateway or _none
        self.lock_seconds = lock_seconds


class ProvidersIfAllowed(Providers):
    """Providers of a process that can do without: if it may not open their accounts it has none, and shows what was
    read last."""


def _none(_scope: Scope, _clock: Clock) -> "ProviderGateway":
    from almanac.families.calendar.entries.provider_gateway import NoProviders  # noqa: PLC0415 - see above

    return NoProviders()
