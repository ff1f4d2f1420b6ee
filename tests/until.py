"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable
from threading import Event

_LATEST = 60.0
_LOOK_AGAIN = 0.05
_TRIES = 5


def until(holds: Callable[[], object], seconds: float = _LATEST) -> None:
    """Returns once it holds; fails after so many seconds."""
    latest, nobody = time.monotonic() + seconds, Event()
    while not holds():
        assert time.monotonic() < latest, "It does not come about."
        nobody.wait(_LOOK_AGAIN)


def ends_within(seconds: float, work: Callable[[], object]) -> bool:
    """Return whether one of some tries ended so soon. A busy machine delays one or another, a defect all of them."""
    return any(seconds_of(work) < seconds for _ in range(_TRIES))


def seconds_of(work: Callable[[], object]) -> float:
    begun = time.monotonic()
    work()
    return time.monotonic() - begun
