"""Bounds of work: steps of one resolution or walk, and processor time."""

import time


def thread_seconds() -> float:
    """Return the processor time of this thread in seconds. `time` is looked up at each call: tests replace it."""
    return time.thread_time()


class Budget:
    """Counts down; `spent` once nothing is left, for good."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def take(self, steps: int = 1) -> bool:
        """Take steps; false where there were none left."""
        self._left -= steps
        return self._left >= 0
