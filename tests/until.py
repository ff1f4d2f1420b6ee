"""Waiting for another process or thread."""

import time
from collections.abc import Callable
from threading import Event

_LATEST = 60.0
_LOOK_AGAIN = 0.05
_TRIES = 5


def wait_until(holds: Callable[[], object], seconds: float = _LATEST) -> None:
    """Return as soon as `holds` answers true. Fails after so many seconds."""
    latest, pause = time.monotonic() + seconds, Event()
    while not holds():
        assert time.monotonic() < latest, "the condition did not become true"
        pause.wait(_LOOK_AGAIN)


def ends_within(seconds: float, work: Callable[[], object]) -> bool:
    """Return whether the fastest of several tries ended so soon. A busy machine delays some; a defect delays all."""
    return any(measure_seconds(work) < seconds for _ in range(_TRIES))


def measure_seconds(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start
