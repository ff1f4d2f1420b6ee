"""Count of what tenants store, taken in the background of the laptop server: within seconds if a tenant is near a
limit."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from almanac.identity.access.storage import StorageLimits
from almanac.platform.bus.delivery import Report

EVERY_SECONDS = 60.0
PAUSE_SECONDS = 1.0
STOP_SECONDS = 30.0


@contextmanager
def counting(limits: StorageLimits, report: Report) -> Generator[None]:
    """Count on a thread of its own until the end of the block, where a call wants it and once a minute."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            limits.count_requested.wait(EVERY_SECONDS)
            if stop.wait(PAUSE_SECONDS):
                return
            try:
                limits.recount()
            # A store that is down for a while must not end the counting for good.
            except Exception as failed:  # noqa: BLE001
                report("counting what tenants store", failed)

    thread = threading.Thread(target=work, name="counting", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        limits.count_requested.set()
        thread.join(STOP_SECONDS)
