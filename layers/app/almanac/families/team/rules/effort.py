"""The effort that rules may spend on one event: counted, not timed, so that it is the same on every machine."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

EFFORT_OF_A_ROUND = 2_000_000
"""Some 20 ms in the worst case. A unit is one byte looked at by one instruction of a pattern's program."""
FOR_A_CONDITION = 10
FOR_A_COMPARISON = 5
"""Of a value with one that is wanted; the entries of a list are as many values."""
FOR_A_RULE = 2_000
MATCHED_BYTES = 4096
"""No pattern looks at more of a text."""


class Exhausted(Exception):
    """The work would be more than is allowed."""


class Effort:
    """The effort that is left."""

    def __init__(self, units: int = EFFORT_OF_A_ROUND) -> None:
        self.whole = self.left = units

    def take(self, units: int) -> None:
        """Raises Exhausted where there is less."""
        self.left -= units
        if self.left < 0:
            raise Exhausted


_current: ContextVar[Effort | None] = ContextVar("effort", default=None)


@contextmanager
def spending(effort: Effort) -> Generator[Effort]:
    """Charge the predicates within this block to `effort`."""
    before = _current.set(effort)
    try:
        yield effort
    finally:
        _current.reset(before)


def spend(units: int) -> None:
    """Charge the current effort, if any. Raises Exhausted where it does not suffice."""
    effort = _current.get()
    if effort is not None:
        effort.take(units)
