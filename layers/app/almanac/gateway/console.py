"""Telemetry on a laptop: one line per request on standard error."""

import sys
import time
import traceback
from contextlib import AbstractContextManager, nullcontext
from typing import TextIO

from almanac.gateway.request_report import RequestReport


class ConsoleTelemetry:
    """Writes to `stream`; standard error, as it is at the time of writing, where none is given."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def answered(self, report: RequestReport) -> None:
        what = f"{report.method} {report.tool}".strip()
        who = f" {report.tenant}/{report.project}" if report.tenant else ""
        how = f"{report.status} {report.outcome} {report.milliseconds:.1f} ms"
        self._write(f"{time.strftime('%H:%M:%S')} {report.path} {what}{who} {how}\n")

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        self._write(f"internal error {reference} in {where}\n{''.join(traceback.format_exception(cause))}")

    def span(self, name: str) -> AbstractContextManager[object]:  # noqa: ARG002 - the port has it
        return nullcontext()

    def _write(self, text: str) -> None:
        stream = self._stream or sys.stderr
        stream.write(text)
        stream.flush()
