"""Limits on work: steps of one resolution or walk, and processor time."""

import time


def thread_seconds() -> float:
    """Return the processor time that this thread has used, in seconds. `time` is looked up at each call because tests
    replace it."""
    return time.thread_time()


class Budget:
    """Counts steps down. Once a budget is spent, it stays spent."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    @property
    def is_spent(self) -> bool:
        return self._left <= 0

    def take(self, steps: int = 1) -> bool:
        """Take steps. Return false if too few were left."""
        self._left -= steps
        return self._left >= 0
