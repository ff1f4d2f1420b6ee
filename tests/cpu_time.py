"""Check the CPU time of work so that a busy machine does not fail it by chance."""

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

TRIES = 5
"""A busy machine slows one try or another, a defect all of them."""

CLOCK_SECONDS = 0.02
"""How far the clock of CPU time may be off."""


def takes_under(seconds: float, work: Callable[[], object]) -> bool:
    """Return whether one of some tries took less CPU time. Work whose results are cached is only `timed`, once."""
    return any(with_cpu_seconds(work)[1] < seconds for _ in range(TRIES))


def with_cpu_seconds(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result and the CPU seconds of this thread, whatever other threads do."""
    begun = time.thread_time()
    result = work()
    return result, time.thread_time() - begun


def grows_under(times: float, small: Callable[[], object], large: Callable[[], object]) -> bool:
    """Return whether the large work takes less than so many times the CPU time of the small one.

    Compares the best of some runs of each, one after the other in turn."""
    best_small = best_large = float("inf")
    for _ in range(TRIES):
        best_small, best_large = (
            min(best_small, with_cpu_seconds(small)[1]),
            min(best_large, with_cpu_seconds(large)[1]),
        )
        if best_large < times * best_small + CLOCK_SECONDS:
            return True
    return False
