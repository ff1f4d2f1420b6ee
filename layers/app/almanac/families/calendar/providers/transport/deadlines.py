"""By when an exchange with a provider has to be over: each one by itself, and all of one call together."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

CALL_SECONDS = 19.0
"""For all exchanges of one call. With 10 seconds for waiting on others, a call is answered within 30."""


class Deadline:
    """A moment in the future, by a clock that never goes back."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds. Raises TimeoutError where there are none."""
        seconds = self._until - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    def at_most(self, seconds: float) -> "Deadline":
        """Itself, or an earlier one."""
        other = Deadline(seconds)
        return other if other._until < self._until else self


@contextmanager
def all_by(deadline: Deadline) -> Generator[None]:
    """Every exchange in this thread ends by then."""
    kept = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(kept)


def exchange(seconds: float) -> Deadline:
    """Return the deadline of one exchange, bounded by the time that the call has left."""
    current = _CURRENT.get()
    return current.at_most(seconds) if current is not None else Deadline(seconds)


_CURRENT: ContextVar[Deadline | None] = ContextVar("the deadline of the call", default=None)
