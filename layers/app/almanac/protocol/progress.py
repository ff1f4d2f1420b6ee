"""Progress reports and log entries of one call. They are collected and sent ahead of the result, in the same body."""

from typing import Literal, Protocol

Level = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


class Progress(Protocol):
    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report how much of the work is done. `done` must grow from call to call."""
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
        """Send a log message to the user of the client. Clients of stateless revisions never receive it."""
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
