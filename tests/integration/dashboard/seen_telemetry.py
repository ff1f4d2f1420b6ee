"""Telemetry that raises defects and records the names of called tools."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from almanac.protocol.tool import Call, Tool


class StrictTelemetry:
    def __init__(self) -> None:
        self.called_tools: list[str] = []

    def note(self, tool: Tool, call: Call, arguments: dict[str, Any]) -> None:
        self.called_tools.append(tool.name)

    def record_request(self, report: object) -> None:
        """Ignore the report."""

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        raise cause

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        raise cause

    def span(self, name: str) -> AbstractContextManager[object]:
        return nullcontext()
