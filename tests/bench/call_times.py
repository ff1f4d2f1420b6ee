"""Microseconds per call, from many calls one by one."""

import gc
from collections.abc import Callable
from statistics import median
from time import perf_counter_ns


def microseconds(call: Callable[[], object], *, calls: int = 200, warm_up: int = 5, seconds: float = 1.5) -> float:
    """The median of up to `calls` calls, fewer where they take more than `seconds` together."""
    _times(call, warm_up, seconds)
    gc.collect()
    return median(_times(call, calls, seconds)) / 1000


def _times(call: Callable[[], object], calls: int, seconds: float) -> list[int]:
    taken: list[int] = []
    deadline = perf_counter_ns() + int(seconds * 1e9)
    while not taken or (len(taken) < calls and perf_counter_ns() < deadline):
        began = perf_counter_ns()
        call()
        taken.append(perf_counter_ns() - began)
    return taken
