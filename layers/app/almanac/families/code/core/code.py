"""The collaborator of every tool of the code family: one project, for one caller and one call."""

import os
from hashlib import sha256
from typing import TYPE_CHECKING

from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.project import ProjectWork, patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.families.memory.core.memory import MemoryProject

_ID = 24


class CodeProject(ProjectWork, frozen=True):
    """One project as the tools of code use it. `zone` and `week_start` are the caller's."""

    zone: str | None = None
    week_start: str = "monday"

    contended = "this file"

    @property
    def memory(self) -> "MemoryProject":
        """The memory of the same project, for the same caller."""
        from almanac.families.memory.core.memory import MemoryProject  # noqa: PLC0415 - few calls ask for it

        return MemoryProject(
            self.store,
            self.scope,
            self.actor,
            self.clock,
            self.random_bytes,
            self.backoff,
            self.zone,
            self.week_start,
        )


def open_code(services: Services, caller: Caller, clock: Clock) -> CodeProject:
    """Open the code of a project for one call, over the store of `services`."""
    return CodeProject(
        services.get(Store),
        caller.scope,
        caller.actor,
        clock,
        os.urandom,
        patient_backoff(),
        caller.default_timezone,
        caller.week_start,
    )


def file_id(repo_id: str, path: str) -> str:
    """Return the permanent id of a file."""
    return sha256(f"{len(repo_id)}:{repo_id}{path}".encode()).hexdigest()[:_ID]


def part_id(file: str, name: str) -> str:
    """Return the search id of a file's part. `name` is unique within the file."""
    return f"{file}.{name}"


def file_of_part(part: str) -> str:
    return part.partition(".")[0]
