"""The only place that asks the machine for the time."""

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
