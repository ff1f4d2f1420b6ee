"""The worker beside the laptop server: events are handled while it serves."""

import os
import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from almanac.gateway.reactions import services_for
from almanac.gateway.telemetry import Telemetry, reporting
from almanac.kernel.clock import Clock
from almanac.kernel.ids import new_reference
from almanac.platform.bus.bell import Bell
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.worker import Pace, Worker
from almanac.platform.store.sqlite import SqliteStore
from almanac.platform.store.sqlite_changes import SqliteChanges

STOP_SECONDS = 30.0


@contextmanager
def reacting(
    store: SqliteStore,
    path: Path,
    reactions: Sequence[Reaction],
    clock: Clock,
    telemetry: Telemetry,
    *,
    bell: Bell,
    pace: Pace | None = None,
) -> Generator[None]:
    """Handles the events of the store at `path` on a thread of its own until the end of the block.

    Several processes may do this on one store: one of them is at work, the others wait for it to end. At the end the
    delivery under way may take 30 seconds; what it did not finish is done by whoever comes next.
    """
    report = reporting(telemetry)
    changes = SqliteChanges(path)
    worker = Worker(
        store,
        changes,
        Delivery(store, services_for(store, clock), clock, report=report),
        reactions,
        clock,
        holder=f"{socket.gethostname()}-{os.getpid()}-{new_reference(os.urandom)}",
        bell=bell,
        report=report,
        sweep=store.sweep,
        pace=pace,
    )
    thread = threading.Thread(target=worker.run, name="reactions", daemon=True)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(STOP_SECONDS)
        if not thread.is_alive():
            changes.close()
