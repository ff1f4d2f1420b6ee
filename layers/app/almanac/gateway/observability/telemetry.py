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
    def answered(self, report: RequestReport) -> None: ...

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        """Report a defect of Almanac; the caller was given `reference`."""
        ...

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        """Report a defect behind a call. Only the operator learns of it, so it counts in a metric that has an alarm."""
        ...

    def span(self, name: str) -> AbstractContextManager[object]:
        """Surrounds the answering of one request."""
        ...


def telemetry_for(environment: Mapping[str, str]) -> Telemetry:
    """Powertools where AWS Lambda runs this, the console elsewhere."""
    if environment.get("AWS_LAMBDA_FUNCTION_NAME"):
        from almanac.gateway.observability.powertools import PowertoolsTelemetry  # noqa: PLC0415 - for Lambda only

        return PowertoolsTelemetry(environment)
    from almanac.gateway.observability.console import ConsoleTelemetry  # noqa: PLC0415 - elsewhere only

    return ConsoleTelemetry()


def reporting(telemetry: Telemetry) -> "Report":
    """Return a function that reports defects behind calls, each under a reference of its own."""

    def report(where: str, cause: BaseException) -> None:
        telemetry.background_defect(new_reference(os.urandom), where, cause)

    return report
