"""Clocks. No other module reads the machine's time of day or its processor time."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """A clock that shows a fixed instant until it is set, for tests and for replaying a call."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant.astimezone(UTC)

    def now(self) -> datetime:
        return self.instant


def thread_seconds() -> float:
    """Return the processor time of this thread, in seconds.

    Looks `time` up at each call so that tests can replace it.
    """
    return time.thread_time()


def process_seconds() -> float:
    """Return the processor time of all threads of this process, in seconds. Looks `time` up at each call, as above."""
    return time.process_time()
