"""Network environment of connections to providers."""

from collections.abc import Callable

from msgspec import Struct

from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.kernel.clock import Clock


class NetworkEnvironment(Struct, frozen=True):
    """Clock, randomness and network limits of connections.

    `policy` limits the addresses that users may name. `seconds` bounds each wait for a server. Tests set the two
    addresses of Google.
    """

    clock: Clock
    sleep: Callable[[float], None]
    random: Callable[[], float]
    policy: NetworkPolicy = NetworkPolicy()
    seconds: float = 10.0
    google_api: str | None = None
    google_tokens: str | None = None
