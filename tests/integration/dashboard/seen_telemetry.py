"""Telemetry that raises what went wrong, and which tools were called."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from almanac.protocol.tool import Call, Tool


class Watching:
    def __init__(self) -> None:
        self.called: list[str] = []

    def note(self, tool: Tool, call: Call, arguments: dict[str, Any]) -> None:
        self.called.append(tool.name)

    def record_request(self, report: object) -> None:
        """Nobody reads what was answered."""

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        raise cause

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        raise cause

    def span(self, name: str) -> AbstractContextManager[object]:
        return nullcontext()
