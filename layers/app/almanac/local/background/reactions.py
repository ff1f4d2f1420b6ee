"""Workers that handle events while the laptop server runs."""

import os
import socket
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from almanac.composition.families import every_reaction
from almanac.composition.laptop import open_changes
from almanac.composition.search import without_index
from almanac.composition.services import services_for
from almanac.gateway.observability.telemetry import Telemetry, defect_reporter
from almanac.kernel.clock import Clock
from almanac.kernel.ids import new_reference
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.lease import enter_workers
from almanac.platform.bus.notifier import Notifiers
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.worker import Pace, Worker
from almanac.platform.feed.log import LOGGING
from almanac.platform.store.port import Store
from almanac.search.engine.index_reaction import FOLLOW
from almanac.search.engine.parts import IndexParts

STOP_SECONDS = 30.0
FEED_WORKER = "live-feed"
REACTIONS_WORKER = "reactions"
SEARCH_WORKER = "search"


def reactions_by_worker() -> Mapping[str, Sequence[Reaction]]:
    """Return the reactions of each worker of a server. The live feed has its own worker, so nothing delays listeners.
    Search handles events in a separate process."""
    others = [reaction for reaction in every_reaction() if reaction is not FOLLOW]
    return {FEED_WORKER: (LOGGING,), REACTIONS_WORKER: others}


@contextmanager
def run_reactions(
    store: Store,
    path: Path,
    reactions: Mapping[str, Sequence[Reaction]],
    clock: Clock,
    telemetry: Telemetry,
    *,
    notifiers: Notifiers,
    sweep: Callable[[], object] | None = None,
    pace: Pace | None = None,
    open_indexing: Callable[[], IndexParts] = without_index,
    elsewhere: Sequence[str] = (),
) -> Generator[None]:
    """Handle the events of `store`, whose change table is in the file `path`, until the end of the block.

    `reactions` maps each worker to its reactions. Each worker has its own thread, so a slow one delays no other.
    REACTIONS_WORKER calls `sweep` now and then. `elsewhere` names workers of other processes that may start later, for
    which unhandled events are kept.

    Several processes may run this on one store. One of them works, and the others wait for it to end. At the end of the
    block the current delivery may take 30 seconds. The next process finishes what it did not.
    """
    report = defect_reporter(telemetry)
    changes = open_changes(path)
    holder = f"{socket.gethostname()}-{os.getpid()}-{new_reference(os.urandom)}"
    enter_workers(store, clock, (*reactions, *elsewhere), REACTIONS_WORKER)
    services = services_for(store, clock, open_indexing=open_indexing)
    workers = [
        Worker(
            store,
            changes,
            Delivery(services.get(Store), services, clock, report=report),
            of_worker,
            clock,
            holder=holder,
            notifier=notifiers.another(),
            report=report,
            sweep=sweep if name == REACTIONS_WORKER else None,
            name=name,
            pace=pace,
        )
        for name, of_worker in reactions.items()
    ]
    threads = [threading.Thread(target=worker.run, name="reactions", daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
        for thread in threads:
            thread.join(STOP_SECONDS)
        if not any(thread.is_alive() for thread in threads):
            changes.close()
