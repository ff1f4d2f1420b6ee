"""The only place that asks the machine for the time, of day and of its processors."""

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
    """A clock that stands still until it is moved: for tests and for replaying a call at a known instant."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant.astimezone(UTC)

    def now(self) -> datetime:
        return self.instant


def thread_seconds() -> float:
    """Processor time of this thread, in seconds. `time` is asked at each call, so that a trial can replace it."""
    return time.thread_time()


def process_seconds() -> float:
    """Processor time of all threads of this process, in seconds. `time` is asked at each call, as above."""
    return time.process_time()
