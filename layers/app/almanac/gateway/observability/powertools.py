"""Telemetry on AWS Lambda: Powertools' structured log, metrics in embedded metric format, X-Ray subsegments.

The logger and metrics cost their import once. The tracer and the X-Ray SDK under it, which import botocore, are loaded
at the first request that is sampled.
"""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import msgspec
from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit

from almanac.gateway.observability.request_report import RequestReport

SERVICE = "almanac"
NAMESPACE = "Almanac"


_encode = msgspec.json.Encoder(enc_hook=str).encode


class PowertoolsTelemetry:
    """`environment` may name the service (POWERTOOLS_SERVICE_NAME) and namespace (POWERTOOLS_METRICS_NAMESPACE)."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._service = environment.get("POWERTOOLS_SERVICE_NAME", SERVICE)
        self._logger = Logger(service=self._service, utc=True, location=None, json_serializer=_line)
        self._metrics = Metrics(
            service=self._service, namespace=environment.get("POWERTOOLS_METRICS_NAMESPACE", NAMESPACE)
        )
        self._provider: Any = None

    def answered(self, report: RequestReport) -> None:
        said = {name: value for name, value in msgspec.structs.asdict(report).items() if value != ""}
        self._logger.info("request", extra=said)
        self._metrics.add_metric("Requests", MetricUnit.Count, 1)
        self._metrics.add_metric("Duration", MetricUnit.Milliseconds, report.milliseconds)
        if report.outcome != "ok":
            self._metrics.add_metric(report.outcome.capitalize(), MetricUnit.Count, 1)
        for name in ("tool", "tenant"):
            if value := getattr(report, name):
                self._metrics.add_metadata(name, value)
        self._metrics.flush_metrics()

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        trace = (type(cause), cause, cause.__traceback__)
        self._logger.error("internal error", exc_info=trace, extra={"reference": reference, "where": where})

    def span(self, name: str) -> AbstractContextManager[object]:
        # Lambda's runtime sets the trace header anew for each invocation.
        if "Sampled=1" not in os.environ.get("_X_AMZN_TRACE_ID", ""):
            return nullcontext()
        if self._provider is None:
            from aws_lambda_powertools.tracing import Tracer  # noqa: PLC0415 - imports botocore

            self._provider = Tracer(service=self._service, auto_patch=False).provider
        return self._provider.in_subsegment(name)


def _line(record: dict[str, Any]) -> str:
    return _encode(record).decode()
