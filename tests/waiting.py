"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable
from threading import Event

_LATEST = 60.0
_LOOK_AGAIN = 0.05


def until(holds: Callable[[], object], seconds: float = _LATEST) -> None:
    """Returns once it holds; fails after so many seconds."""
    latest, nobody = time.monotonic() + seconds, Event()
    while not holds():
        assert time.monotonic() < latest, "It does not come about."
        nobody.wait(_LOOK_AGAIN)
