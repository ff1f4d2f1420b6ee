"""The object that every context tool works with: three layers over the memory of one project, for one caller and one
call.

Layer 1 is the caller's current work: memories of kind working, which lapse. Layer 2 is the memory of the project. Layer
3 is the memory that the tenant's projects share, in a scope of its own.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct

from almanac.families.context.core.types import KEPT_KINDS, PROJECT, SHARED, WORKING, Layer
from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import MEMORIES, Memory, is_readable
from almanac.kernel.caller import SHARED_PROJECT, Caller
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Forbidden, NotFound
from almanac.platform.services import Services

CLOSED_OFF = "This project does not take part in the memory that its tenant's projects share."
_OPEN_IT = "Use layer 2, or turn sharing on: almanac projects edit PROJECT --shared-memory on."


class LayerMemory(Struct, frozen=True):
    """A memory, its layer, and the memory project that stores it and takes its writes."""

    memory: Memory
    layer: Layer
    project: MemoryProject


class Context(Struct, frozen=True):
    """The memory of a project for one caller. `memory` is the project's own, layers 1 and 2."""

    memory: MemoryProject
    caller: Caller

    def now(self) -> int:
        """Return the time in milliseconds since 1970."""
        return self.memory.now()

    @property
    def projects(self) -> tuple[MemoryProject, ...]:
        """The project's own memory, then the shared one if the caller may use it."""
        shared = self.memory.shared
        return (self.memory,) if shared is None else (self.memory, shared)

    def project_of(self, layer: Layer) -> MemoryProject:
        """Return the project that stores the memories of a layer. Raises Forbidden for layer 3 if the project does not
        take part in it."""
        if layer != SHARED:
            return self.memory
        shared = self.memory.shared
        if shared is None:
            raise Forbidden(CLOSED_OFF, _OPEN_IT)
        return shared

    def find(self, memory_id: str) -> LayerMemory:
        """Return the readable memory with this id, in any layer. Raises NotFound."""
        found = self.find_many([memory_id]).get(memory_id)
        if found is None:
            raise NotFound(
                f"No memory has the id {memory_id[:80]!r}.",
                "Use an id from context_list or context_recall. forget_memory with restore=true brings back a deleted"
                " one for 30 days.",
            )
        return found

    def find_many(self, ids: Sequence[str]) -> dict[str, LayerMemory]:
        """Return the readable memories among up to 100 ids, by id. Memories made of turns belong to no layer."""
        found: dict[str, LayerMemory] = {}
        for project in self.projects:
            now = project.now()
            records: Mapping[str, Memory] = project.rows(MEMORIES).by_id([id_ for id_ in ids if id_ not in found])
            for name, memory in records.items():
                if is_readable(memory, now) and memory.kind in ("working", *KEPT_KINDS):
                    found[name] = LayerMemory(memory, layer_of(project, memory), project)
        return found


def layer_of(project: MemoryProject, memory: Memory) -> Layer:
    if memory.kind == "working":
        return cast("Layer", WORKING)
    return cast("Layer", SHARED if project.scope.project == SHARED_PROJECT else PROJECT)


def open_context(services: Services, caller: Caller, clock: Clock) -> Context:
    """Return the context of the caller's project, for one call."""
    return Context(open_memory(services, caller, clock), caller)
