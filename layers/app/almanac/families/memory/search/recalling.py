"""How much memories matter, and what hears which of them were of use: those that are recalled fade less."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory
from almanac.kernel.errors import AlmanacError

FIRST = 5
"""Hits that count as recalled: hardly anybody reads further."""


def _nobody(_: MemoryProject, __: Sequence[str]) -> None:
    return None


def _as_stored(memory: Memory, _: int) -> float:
    return memory.salience


class Recalling(Struct, frozen=True):
    """`recalled` takes the ids of turns and memories, the best first. `salience_at` says how much a memory matters,
    0 to 1, at an instant."""

    recalled: Callable[[MemoryProject, Sequence[str]], None] = _nobody
    salience_at: Callable[[Memory, int], float] = _as_stored

    def tell(self, project: MemoryProject, ids: Sequence[str]) -> None:
        """An answer does not fail because this does."""
        with suppress(AlmanacError):
            self.recalled(project, ids[:FIRST])

    def salience_now(self, project: MemoryProject, memory: Memory) -> float:
        return self.salience_at(memory, project.now())
