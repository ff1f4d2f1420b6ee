"""The collaborators of tools of knowledge: one project, for one caller and one call, and what it asks of others."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.memory import MemoryProject, open_memory, system_memory
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.kernel.ids import ulid
from almanac.platform.project import ProjectWork, patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.families.planner.core.planner import Planner


class Knowledge(ProjectWork, frozen=True):
    """The project, clock and store with which tools, reactions and jobs of knowledge work. `memory` is the memory of
    the same project for the same caller, with the caller's zone and week."""

    memory: MemoryProject

    contended = "the facts of this project"

    @property
    def shared(self) -> "Knowledge | None":
        """The same for what the projects of the tenant remember together; None where the caller may not use it."""
        memory = self.memory.shared
        return altered(self, scope=memory.scope, memory=memory) if memory is not None else None

    @property
    def reach(self) -> "tuple[Knowledge, ...]":
        """Itself, and what it shares where it does: where an end of an edge may be looked for."""
        shared = self.shared
        return (self,) if shared is None else (self, shared)

    def new_id(self, at: int) -> str:
        """A ULID, which sorts by `at`, the instant of recording."""
        return ulid(at, self.random_bytes)


def open_knowledge(services: Services, caller: Caller, clock: Clock) -> Knowledge:
    """For one call, over the store of `services`."""
    return _knowledge(services, open_memory(services, caller, clock))


def system_knowledge(services: Services, scope: Scope) -> Knowledge:
    """For reactions and scheduled jobs."""
    return _knowledge(services, system_memory(services, scope))


def _knowledge(services: Services, memory: MemoryProject) -> Knowledge:
    store = services.get(Store)
    return Knowledge(store, memory.scope, memory.actor, memory.clock, os.urandom, patient_backoff(), memory)


class SubjectAliases(Struct, frozen=True):
    """`of` names the subjects that `same_as` edges connect with one, as they are written; a bounded number."""

    of: Callable[[str], tuple[str, ...]]


class PlannerOpener(Struct, frozen=True):
    """`open` makes the planner; only who names something else than a turn, memory or fact needs it."""

    open: "Callable[[], Planner]"
