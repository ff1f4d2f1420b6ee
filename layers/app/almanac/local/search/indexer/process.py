"""The process that keeps the index of a data folder, for the server that started it: `python -m` this module.

It follows what is written, adds the contexts of the model, makes the index again where that is needed, and ends with
its input. Several may be at one folder: leases say whose turn it is.
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
from almanac.local.background.reactions import SEARCH_WORKER, reacting
from almanac.local.background.scheduler import running_jobs
from almanac.local.data_folder import DataFolder
from almanac.local.search.index_rebuilder import keeping_index
from almanac.platform.bus.notifier import Notifiers
from almanac.search.engine.enrichment import ENRICH
from almanac.search.engine.index_reaction import FOLLOW

_READ_AT_ONCE = 4096
_NICE = 10
_YOUNG = 50_000
"""Number of new objects between two collections of cyclic garbage. Index entries are many and have no cycles."""


def keep(folder: DataFolder, clock: Clock, source: BinaryIO) -> None:
    """Until `source` ends; whatever comes there says that something was written."""
    telemetry, notifiers = ConsoleTelemetry(), Notifiers()
    report = defect_reporter(telemetry)
    store = folder.open_whole_store(clock)
    search = folder.open_search(telemetry.note, report)
    services = services_for(store, clock, open_indexing=lambda: search.indexing)
    with (
        reacting(
            store,
            folder.store_file,
            {SEARCH_WORKER: (FOLLOW,)},
            clock,
            telemetry,
            notifiers=notifiers,
            open_indexing=lambda: search.indexing,
        ),
        running_jobs((ENRICH,), services, report),
        keeping_index(search, services, clock, report),
    ):
        gc.freeze()
        gc.set_threshold(_YOUNG)
        _pass_on(source, notifiers.notify)


def _pass_on(source: BinaryIO, notify: Callable[[], None]) -> None:
    # A raw read answers as soon as anything is there.
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
