"""Telemetry on a laptop: one line per request on standard error.

It writes at most 20 lines of refused requests in five seconds, and one line a minute for each outage.
"""

import sys
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TextIO

from almanac.gateway.observability.log_bound import LogBound
from almanac.gateway.observability.outages import OutageLines, outage_of
from almanac.gateway.observability.request_report import RequestReport


class ConsoleTelemetry:
    """Writes to `stream`. The default is standard error, looked up at each write."""

    def __init__(self, stream: TextIO | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._refusals = LogBound(now)
        self._outages = OutageLines(now)

    def record_request(self, report: RequestReport) -> None:
        left_out: int | None = 0
        # Refused requests are free for the sender, and must not fill the disk.
        if report.outcome == "refused" and (left_out := self._refusals.take()) is None:
            return
        if left_out:
            self._write(f"{time.strftime('%H:%M:%S')} {left_out} more requests were refused\n")
        what = f"{report.method} {report.tool}".strip()
        who = f" {report.tenant}/{report.project}" if report.tenant else ""
        how = f"{report.status} {report.outcome} {report.milliseconds:.1f} ms"
        where = f" from {report.address}" if report.address else ""
        self._write(f"{time.strftime('%H:%M:%S')} {report.path} {what}{who} {how}{where}\n")

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        if (outage := outage_of(cause)) is None:
            self._write(f"internal error {reference} in {where}\n{''.join(traceback.format_exception(cause))}")
        elif line := self._outages.line(outage, where):
            self.note(line)

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        self.defect(reference, where, cause)

    def note(self, text: str) -> None:
        """Write a line about work in the background."""
        self._write(f"{time.strftime('%H:%M:%S')} {text}\n")

    def span(self, name: str) -> AbstractContextManager[object]:  # noqa: ARG002 - the port has it
        return nullcontext()

    def _write(self, text: str) -> None:
        stream = self._stream or sys.stderr
        # The log may be on a full disk. A line that cannot be written must not make a call fail.
        with suppress(OSError):
            stream.write(text)
            stream.flush()
