"""Rate limit for log lines of one kind."""

from collections.abc import Callable

LINES = 20
SECONDS = 5.0


class LogBound:
    """Allows at most `lines` in each window of `seconds`. `now` is a monotonic clock in seconds."""

    def __init__(self, now: Callable[[], float], lines: int = LINES, seconds: float = SECONDS) -> None:
        self._now = now
        self._lines = lines
        self._seconds = seconds
        self._begun = now()
        self._written = 0
        self._left_out = 0

    def take(self) -> int | None:
        """Return None if the line must be left out, else the number of lines left out since the last written one."""
        now = self._now()
        if now - self._begun >= self._seconds:
            self._begun, self._written = now, 0
        if self._written >= self._lines:
            self._left_out += 1
            return None
        self._written += 1
        left_out, self._left_out = self._left_out, 0
        return left_out
