"""The process that maintains the search index of a data folder. The server starts it with `python -m` this module.

It indexes new writes, adds the model's contexts, rebuilds the index if needed, and ends when its input ends. Several of
these processes may share a folder, and leases decide which one works.
"""

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from almanac.composition.services import services_for
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.gateway.observability.telemetry import defect_reporter
from almanac.kernel.clock import Clock, SystemClock
from almanac.local.background.reactions import SEARCH_WORKER, run_reactions
from almanac.local.background.scheduler import run_jobs
from almanac.local.data_folder import DataFolder
from almanac.local.search.index_rebuilder import rebuild_in_background
from almanac.platform.bus.notifier import Notifiers
from almanac.search.engine.enrichment import ENRICH
from almanac.search.engine.index_reaction import FOLLOW

_READ_AT_ONCE = 4096
_NICE = 10
_YOUNG = 50_000
"""Number of new objects between two collections of cyclic garbage. Index entries are many and have no cycles."""


def keep(folder: DataFolder, clock: Clock, source: BinaryIO) -> None:
    """Maintain the index until `source` ends. Any byte from `source` means that the server wrote something."""
    telemetry, notifiers = ConsoleTelemetry(), Notifiers()
    report = defect_reporter(telemetry)
    store = folder.open_whole_store(clock)
    search = folder.open_search(telemetry.note, report)
    services = services_for(store, clock, open_indexing=lambda: search.indexing)
    with (
        run_reactions(
            store,
            folder.store_file,
            {SEARCH_WORKER: (FOLLOW,)},
            clock,
            telemetry,
            notifiers=notifiers,
            open_indexing=lambda: search.indexing,
        ),
        run_jobs((ENRICH,), services, report),
        rebuild_in_background(search, services, clock, report),
    ):
        gc.freeze()
        gc.set_threshold(_YOUNG)
        _pass_on(source, notifiers.notify)


def _pass_on(source: BinaryIO, notify: Callable[[], None]) -> None:
    # A raw read returns as soon as any byte is there.
    while source.read(_READ_AT_ONCE):
        notify()


def _yield_to_calls() -> None:
    """Lower this process's priority, so that calls that users wait for come first on few cores."""
    if hasattr(os, "nice"):
        os.nice(_NICE)


if __name__ == "__main__":
    _yield_to_calls()
    path, cache = (Path(each) if each else None for each in sys.argv[1:])
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as woken:
        keep(DataFolder(path or Path(), cache), SystemClock(), woken)
