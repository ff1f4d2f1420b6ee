"""Count of the tenants' stored bytes, made in the background of the laptop server.

A tenant near its limit is counted within seconds.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from almanac.identity.access.storage import StorageLimits
from almanac.platform.bus.delivery import Report

EVERY_SECONDS = 60.0
PAUSE_SECONDS = 1.0
STOP_SECONDS = 30.0


@contextmanager
def count_in_background(limits: StorageLimits, report: Report) -> Generator[None]:
    """Count on a separate thread until the end of the block, when a call asks for it and once a minute."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            limits.count_requested.wait(EVERY_SECONDS)
            if stop.wait(PAUSE_SECONDS):
                return
            try:
                limits.recount()
            # A temporary outage of the store must not end the counting for good.
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
