"""What hears which memories were of use: those that are recalled fade less."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.kernel.errors import AlmanacError

FIRST = 5
"""Hits that count as recalled: hardly anybody reads further."""


def _nobody(_: MemoryProject, __: Sequence[str]) -> None:
    return None


class Recalling(Struct, frozen=True):
    """`recalled` takes the ids of turns and memories, the best first."""

    recalled: Callable[[MemoryProject, Sequence[str]], None] = _nobody

    def tell(self, project: MemoryProject, ids: Sequence[str]) -> None:
        """An answer does not fail because this does."""
        with suppress(AlmanacError):
            self.recalled(project, ids[:FIRST])
