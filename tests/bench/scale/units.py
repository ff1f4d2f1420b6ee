"""Request units of every listed tool and of all work that follows from a call, by part of the system.

They are counted on a filled tenant twice: `first` on functions that remember nothing, as a call that starts them, and
`next` on functions that have just served the same tenant.
"""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from unittest.mock import patch

import msgspec

from almanac.composition.families import families_for_docs
from almanac.kernel.clock import FixedClock
from almanac.platform.store.dynamodb.items import INDEX_KEYS
from almanac.platform.store.sqlite.scan import SqliteTenantScan
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.tool import Effect
from tests.bench.metered_store import MeteredStore
from tests.bench.request_units import image_of, item_bytes
from tests.bench.scale.system import SCOPE, Passage, System
from tests.bench.scale.tenant_contents import furnish
from tests.bench.scale.typical_calls import AT_PROVIDERS, TypicalCalls

STORE = "almanac.db"
MORNING = datetime(2026, 2, 18, 14, 30, tzinfo=UTC)


class ToolUnits(msgspec.Struct, frozen=True):
    """One tool."""

    family: str
    tool: str
    reads: bool
    first: Passage
    next: Passage


@contextmanager
def empty_system(folder: Path | None = None, **limits: int) -> Generator[System]:
    """Its store is in `folder`; `limits` are per_minute and per_day of its key. Ids are the same in every run."""
    with tempfile.TemporaryDirectory() as made, patch.object(os, "urandom", Random(11).randbytes):
        clock = FixedClock(MORNING)
        store = SqliteStore((folder or Path(made)) / STORE, clock=clock, cursor_secret=b"c" * 32)
        yield System(MeteredStore(store), clock, **limits)
        store.close()


@contextmanager
def furnished_system(folder: Path | None = None) -> Generator[tuple[System, TypicalCalls]]:
    with empty_system(folder) as system:
        yield system, TypicalCalls(system, furnish(system, Random(5)))


def count(system: System, typical: TypicalCalls) -> list[ToolUnits]:
    """Every listed tool of every family but those at providers, in the order of the catalogue."""
    counted: list[ToolUnits] = []
    for family in families_for_docs():
        for tool in (one for one in family.tools if one.name not in AT_PROVIDERS):
            first = passage(system, typical, tool.name, restarted=True)
            following = passage(system, typical, tool.name)
            counted.append(ToolUnits(family.name, tool.name, tool.effect is Effect.READS, first, following))
    return counted


def passage(system: System, typical: TypicalCalls, tool: str, *, restarted: bool = False) -> Passage:
    arguments = typical.arguments(tool)
    if restarted:
        system.restart()
    system.meter.reset()
    return system.call(tool, **arguments)


def stored_bytes(folder: Path) -> int:
    """Return the bytes of all of the tenant's items, in the table and its indexes."""
    scan = SqliteTenantScan(folder / STORE, clock=FixedClock(MORNING))
    images = [image_of(item) for item in scan.items(SCOPE.tenant)]
    scan.close()
    return sum(item_bytes(image) * (1 + sum(names[0] in image for names in INDEX_KEYS.values())) for image in images)
