"""A bound on lines of one kind in a log."""

from collections.abc import Callable

LINES = 20
SECONDS = 5.0


class LogBound:
    """At most `lines` in each window of `seconds`. `now` is a monotonic clock in seconds."""

    def __init__(self, now: Callable[[], float], lines: int = LINES, seconds: float = SECONDS) -> None:
        self._now = now
        self._lines = lines
        self._seconds = seconds
        self._begun = now()
        self._written = 0
        self._left_out = 0

    def take(self) -> int | None:
        """None for a line that is to be left out; otherwise how many were left out since the last one."""
        now = self._now()
        if now - self._begun >= self._seconds:
            self._begun, self._written = now, 0
        if self._written >= self._lines:
            self._left_out += 1
            return None
        self._written += 1
        left_out, self._left_out = self._left_out, 0
        return left_out
