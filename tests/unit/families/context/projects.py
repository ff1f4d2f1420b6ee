"""Projects of a tenant that share memory, a project that does not, and another tenant."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as altered

from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import MEMORIES, Memory, MemoryKind
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import write_memory
from almanac.kernel.caller import Caller, Scope
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp


class Projects:
    """`web` is the app's own project, `api` another one of its tenant. `ledger` is closed off, `foreign` is of another
    tenant, which has the same names of projects."""

    def __init__(self, app: ProjectApp) -> None:
        self.app = app
        self.web = app.caller
        self.api = replace(app.caller, scope=Scope("acme", "api"), actor="bob")
        self.ledger = replace(app.caller, scope=Scope("acme", "ledger"), actor="cid", shares_memory=False)
        self.foreign = replace(app.caller, scope=Scope("globex", "web"), actor="eve")

    def open_shared(self, caller: Caller | None = None) -> MemoryProject:
        shared = open_memory(self.app.services, caller or self.web, self.app.clock).shared
        assert shared is not None
        return shared

    def own(self, caller: Caller | None = None) -> MemoryProject:
        return open_memory(self.app.services, caller or self.web, self.app.clock)

    def share(self, content: str, kind: MemoryKind = "semantic", caller: Caller | None = None, **fields: Any) -> str:
        """Keep a memory in layer 3; returns its id."""
        return write_memory(self.open_shared(caller), new_memory(kind, content, **fields)).memory.id

    def keep(self, content: str, kind: MemoryKind = "semantic", caller: Caller | None = None, **fields: Any) -> str:
        """Keep a memory of the project; returns its id."""
        return write_memory(self.own(caller), new_memory(kind, content, **fields)).memory.id

    def record(self, memory_id: str, project: MemoryProject | None = None) -> Memory:
        memory = (project or self.open_shared()).rows(MEMORIES).get(memory_id)
        assert memory is not None
        return memory


class ProcessStopped(Exception):
    """Stands for the end of the process."""


def project_stopping_after(writes: int, project: MemoryProject) -> MemoryProject:
    """Return the project for a process that ends before the write after so many."""
    left = [writes]

    def observe(request: Request) -> None:
        if request[0] == "write":
            if not left[0]:
                raise ProcessStopped
            left[0] -= 1

    return altered(project, store=ObservedStore(project.store, observe))


def before_first_write(project: MemoryProject, act: Callable[[], object]) -> MemoryProject:
    """Return the project with `act` called before its first write."""
    left = [act]

    def observe(request: Request) -> None:
        if request[0] == "write" and left:
            left.pop()()

    return altered(project, store=ObservedStore(project.store, observe))
