"""Sweeper that deletes expired items, and large values that no item refers to any more."""

from collections.abc import Callable

from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.large_values import LargeValues

BLOBS_EVERY_MS = 3600 * 1000
"""Pause between sweeps of large values. A sweep looks at every file, and unused values are kept for a day anyway."""


class Sweeper:
    """A function to call often. `expired` deletes the store's expired items, and `values` is the store with its large
    values."""

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
