"""Deadlines of exchanges with a provider: of each one alone, and of all exchanges of one call."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

CALL_SECONDS = 19.0
"""Limit on all exchanges of one call. With 10 seconds for waiting on other calls, a call is answered within 30."""


class Deadline:
    """Moment in the future on a monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Return the remaining seconds. Raises TimeoutError if none remain."""
        seconds = self._until - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    def at_most(self, seconds: float) -> "Deadline":
        """Return this deadline, or an earlier one that many seconds from now."""
        other = Deadline(seconds)
        return other if other._until < self._until else self


@contextmanager
def all_by(deadline: Deadline) -> Generator[None]:
    """End every exchange in this thread by the deadline."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def exchange(seconds: float) -> Deadline:
    """Return the deadline of one exchange, bounded by the time that the call has left."""
    current = _CURRENT.get()
    return current.at_most(seconds) if current is not None else Deadline(seconds)


_CURRENT: ContextVar[Deadline | None] = ContextVar("the deadline of the call", default=None)
