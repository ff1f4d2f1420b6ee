"""Check the CPU time of work so that a busy machine does not fail it by chance."""

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

TRIES = 5
"""A busy machine slows some tries; a defect slows all of them."""

CLOCK_SECONDS = 0.02
"""Possible error of the CPU clock."""


def takes_under(seconds: float, work: Callable[[], object]) -> bool:
    """Return whether the fastest of several tries took less CPU time.

    Work whose results are cached is fast from the second try on: use `measure_cpu_seconds` for it.
    """
    return any(measure_cpu_seconds(work)[1] < seconds for _ in range(TRIES))


def measure_cpu_seconds(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result and the CPU seconds of this thread. Other threads do not count."""
    start = time.thread_time()
    result = work()
    return result, time.thread_time() - start


def grows_under(times: float, small: Callable[[], object], large: Callable[[], object]) -> bool:
    """Return whether the large work takes less than `times` the CPU time of the small work.

    Runs them in turn and compares the fastest run of each.
    """
    best_small = best_large = float("inf")
    for _ in range(TRIES):
        best_small, best_large = (
            min(best_small, measure_cpu_seconds(small)[1]),
            min(best_large, measure_cpu_seconds(large)[1]),
        )
        if best_large < times * best_small + CLOCK_SECONDS:
            return True
    return False
