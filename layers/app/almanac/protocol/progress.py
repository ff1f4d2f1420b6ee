"""Progress of one call. Nothing is streamed: what was reported travels ahead of the result in one body."""

from typing import Protocol


class Progress(Protocol):
    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Say how far the work is. `done` must grow from call to call."""
        ...


class NoProgress:
    """For callers who did not ask."""

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        return


class RecordedProgress:
    """Keeps what was reported, in order, as (done, total, message)."""

    def __init__(self) -> None:
        self.reports: list[tuple[float, float | None, str]] = []

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        self.reports.append((done, total, message))
