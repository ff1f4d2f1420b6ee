"""The sweeper: drops what has expired, and the large values that no item names any more."""

from collections.abc import Callable

from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.large_values import LargeValues

BLOBS_EVERY_MS = 3600 * 1000
"""Every file is looked at, and what no item names is kept for a day anyway."""


class Sweeper:
    """Call it often. `expired` drops from the store what has expired, `values` is the whole store over it."""

    def __init__(self, expired: Callable[[], object], values: LargeValues, clock: Clock) -> None:
        self._expired = expired
        self._values = values
        self._clock = clock
        self._blobs_at = now_ms(clock)

    def __call__(self) -> None:
        self._expired()
        now = now_ms(self._clock)
        if now - self._blobs_at >= BLOBS_EVERY_MS:
            self._blobs_at = now
            self._values.sweep(now)
