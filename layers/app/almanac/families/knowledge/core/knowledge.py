"""The objects that knowledge tools work with: one project for one caller and one call, and access to other families."""

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
    """A project, its clock and its store, as tools, reactions and jobs of knowledge use them. `memory` is the memory of
    the same project for the same caller, with the caller's time zone and week."""

    memory: MemoryProject

    contended = "the facts of this project"

    @property
    def shared(self) -> "Knowledge | None":
        """Knowledge of the tenant's shared project; None if the caller may not use it."""
        memory = self.memory.shared
        return altered(self, scope=memory.scope, memory=memory) if memory is not None else None

    @property
    def reach(self) -> "tuple[Knowledge, ...]":
        """The projects in which to look up the end of an edge: this one, and the shared one if the caller may use
        it."""
        shared = self.shared
        return (self,) if shared is None else (self, shared)

    def new_id(self, at: int) -> str:
        """Return a new ULID. It sorts by `at`, the instant of recording."""
        return ulid(at, self.random_bytes)


def open_knowledge(services: Services, caller: Caller, clock: Clock) -> Knowledge:
    """Return the knowledge of the caller's project, for one call."""
    return _knowledge(services, open_memory(services, caller, clock))


def system_knowledge(services: Services, scope: Scope) -> Knowledge:
    """Return the knowledge of a project for reactions and scheduled jobs."""
    return _knowledge(services, system_memory(services, scope))


def _knowledge(services: Services, memory: MemoryProject) -> Knowledge:
    store = services.get(Store)
    return Knowledge(store, memory.scope, memory.actor, memory.clock, os.urandom, patient_backoff(), memory)


class SubjectAliases(Struct, frozen=True):
    """Lookup of aliases. `of` returns the subjects that `same_as` edges connect with a name, as they are written, up to
    a limit."""

    of: Callable[[str], tuple[str, ...]]


class PlannerOpener(Struct, frozen=True):
    """Lazy access to the planner. Only ids that belong to no turn, memory or fact need it."""

    open: "Callable[[], Planner]"
