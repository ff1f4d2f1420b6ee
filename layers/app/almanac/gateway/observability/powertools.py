"""Telemetry on AWS Lambda: Powertools' structured log, metrics in embedded metric format, X-Ray subsegments.

A request is one line, which is its log line and its metrics in one (decision 0022). The logger and metrics cost their
import once. The tracer and the X-Ray SDK under it, which import botocore, are loaded at the first request that is
sampled.
"""

# Powertools' functions carry types only in part.
# pyright: reportUnknownMemberType=false

import logging
import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import Any

import msgspec
from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from almanac.gateway.observability.request_report import RequestReport

SERVICE = "almanac"
NAMESPACE = "Almanac"

_TRACE = "_X_AMZN_TRACE_ID"
_encode = msgspec.json.Encoder(enc_hook=str).encode


class PowertoolsTelemetry:
    """`environment` may name the service (POWERTOOLS_SERVICE_NAME) and namespace (POWERTOOLS_METRICS_NAMESPACE)."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._service = environment.get("POWERTOOLS_SERVICE_NAME", SERVICE)
        self._namespace = environment.get("POWERTOOLS_METRICS_NAMESPACE", NAMESPACE)
        self._logger = Logger(service=self._service, utc=True, use_rfc3339=True, location=None, json_serializer=_line)
        self._declarations: dict[str, msgspec.Raw] = {}
        self._provider: Any = None

    def answered(self, report: RequestReport) -> None:
        now = datetime.now(UTC)
        line: dict[str, Any] = {"level": "INFO", "message": "request", "timestamp": now, "service": self._service}
        if self._logger.log_level <= logging.INFO:
            line |= msgspec.to_builtins(report)
            if trace := os.environ.get(_TRACE):
                line["xray_trace_id"] = trace.partition(";")[0].removeprefix("Root=")
        else:
            # The level bounds what people read. Alarms count every request.
            line |= {"tool": report.tool, "tenant": report.tenant}
        line["_aws"] = {"Timestamp": int(now.timestamp() * 1000), "CloudWatchMetrics": self._declared(report.outcome)}
        line |= _metrics(report.outcome, report.milliseconds)
        sys.stdout.write(_line(line) + "\n")
        sys.stdout.flush()

    def _declared(self, outcome: str) -> msgspec.Raw:
        """What CloudWatch is to take for metrics in the line of a request of this outcome, as Powertools writes it."""
        declared = self._declarations.get(outcome)
        if declared is None:
            metrics = EphemeralMetrics(service=self._service, namespace=self._namespace)
            for name, value in _metrics(outcome, 0).items():
                metrics.add_metric(name, _UNITS.get(name, MetricUnit.Count), value)
            declared = msgspec.Raw(_encode(metrics.serialize_metric_set()["_aws"]["CloudWatchMetrics"]))
            self._declarations[outcome] = declared
        return declared

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        trace = (type(cause), cause, cause.__traceback__)
        self._logger.error("internal error", exc_info=trace, extra={"reference": reference, "where": where})

    def span(self, name: str) -> AbstractContextManager[object]:
        # Lambda's runtime sets the trace header anew for each invocation.
        if "Sampled=1" not in os.environ.get(_TRACE, ""):
            return nullcontext()
        if self._provider is None:
            from aws_lambda_powertools.tracing import Tracer  # noqa: PLC0415 - imports botocore

            self._provider = Tracer(service=self._service, auto_patch=False).provider
        return self._provider.in_subsegment(name)


_UNITS = {"Duration": MetricUnit.Milliseconds}


def _metrics(outcome: str, milliseconds: float) -> dict[str, float]:
    """Every request counts, and counts once more under its outcome where that is not ok."""
    metrics = {"Requests": 1, "Duration": milliseconds}
    if outcome != "ok":
        metrics[outcome.capitalize()] = 1
    return metrics


def _line(record: Any) -> str:
    return _encode(record).decode()
