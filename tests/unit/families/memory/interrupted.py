"""A memory project whose writes another writer interrupts."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace as altered

from almanac.families.memory.core.memory import MemoryProject
from almanac.platform.store.port import Store
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import project_of


def project_interrupted_by(app: ProjectApp, act: Callable[[], Any]) -> MemoryProject:
    """A project that has `act` happen ahead of its first write."""
    return altered(project_of(app), store=_before_write(app.store, act))


def _before_write(store: Store, act: Callable[[], Any]) -> Store:
    left = [act]

    def observe(request: Request) -> None:
        if request[0] == "write" and left:
            left.pop()()

    return ObservedStore(store, observe)
