"""The effort that rules may spend on one event. It is counted, not timed, so it is the same on every machine."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

EFFORT_OF_A_ROUND = 2_000_000
"""About 20 ms in the worst case. A unit is one byte examined by one instruction of a pattern's program."""
FOR_A_CONDITION = 10
FOR_A_COMPARISON = 5
"""Cost of comparing one value with one operand. Each entry of a list counts as a value."""
FOR_A_RULE = 2_000
MATCHED_BYTES = 4096
"""The part of a text that patterns examine."""


class Exhausted(Exception):
    """The remaining effort does not suffice for the work."""


class Effort:
    """A budget of effort, and the rest of it."""

    def __init__(self, units: int = EFFORT_OF_A_ROUND) -> None:
        self.total = self.left = units

    def take(self, units: int) -> None:
        """Use up effort. Raises Exhausted if less is left."""
        self.left -= units
        if self.left < 0:
            raise Exhausted


_current: ContextVar[Effort | None] = ContextVar("effort", default=None)


@contextmanager
def charge_to(effort: Effort) -> Generator[Effort]:
    """Charge the predicates within this block to `effort`."""
    before = _current.set(effort)
    try:
        yield effort
    finally:
        _current.reset(before)


def spend(units: int) -> None:
    """Charge the current effort, if any. Raises Exhausted if less is left."""
    effort = _current.get()
    if effort is not None:
        effort.take(units)
