"""Telemetry of requests for operators: names, numbers and outcomes, never contents, arguments or secrets."""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from almanac.gateway.observability.request_report import RequestReport
from almanac.kernel.ids import new_reference

if TYPE_CHECKING:
    from almanac.platform.bus.delivery import Report


class Telemetry(Protocol):
    """Receives requests and defects, for logs and metrics."""

    def record_request(self, report: RequestReport) -> None: ...

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        """Report a defect of Almanac. The caller received `reference`."""
        ...

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        """Report a defect in the background. No caller learns of it, so it counts in a metric with an alarm."""
        ...

    def span(self, name: str) -> AbstractContextManager[object]:
        """Return a context manager for the time in which one request is answered."""
        ...


def telemetry_for(environment: Mapping[str, str]) -> Telemetry:
    """Return telemetry by Powertools on AWS Lambda, and by the console elsewhere."""
    if environment.get("AWS_LAMBDA_FUNCTION_NAME"):
        from almanac.gateway.observability.powertools import PowertoolsTelemetry  # noqa: PLC0415 - for Lambda only

        return PowertoolsTelemetry(environment)
    from almanac.gateway.observability.console import ConsoleTelemetry  # noqa: PLC0415 - elsewhere only

    return ConsoleTelemetry()


def defect_reporter(telemetry: Telemetry) -> "Report":
    """Return a function that reports defects in the background, each under its own reference."""

    def report(where: str, cause: BaseException) -> None:
        telemetry.background_defect(new_reference(os.urandom), where, cause)

    return report
