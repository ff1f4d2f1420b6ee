"""Progress and log of one call. Nothing is streamed: what was reported travels ahead of the result in one body."""

from typing import Literal, Protocol

Level = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


class Progress(Protocol):
    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report how far the work is. `done` must grow from call to call."""
        ...


class NoProgress:
    """Progress reporter for calls without a progress token."""

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Do nothing."""


class RecordedProgress:
    """Progress reporter that keeps the reports in order, as (done, total, message)."""

    def __init__(self) -> None:
        self.reports: list[tuple[float, float | None, str]] = []

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        self.reports.append((done, total, message))


class Log(Protocol):
    def write(self, level: Level, text: str) -> None:
        """Send the person behind the client a log message. Clients of stateless revisions never see it."""
        ...


class NoLog:
    """Log for clients that accept no log messages."""

    def write(self, level: Level, text: str) -> None:
        """Do nothing."""


class RecordedLog:
    """Log that keeps its entries in order, as (level, text)."""

    def __init__(self) -> None:
        self.entries: list[tuple[Level, str]] = []

    def write(self, level: Level, text: str) -> None:
        self.entries.append((level, text))
