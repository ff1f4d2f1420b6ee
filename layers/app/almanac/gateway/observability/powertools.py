"""Telemetry on AWS Lambda: Powertools' structured log, metrics in embedded metric format, X-Ray subsegments.

Each request, and each defect in the background, writes one line that is both its log entry and its metrics (decision
0002). The tracer and its X-Ray SDK import botocore, so they are loaded at the first sampled request.
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
from almanac.kernel.errors import FailureWithMetric

SERVICE = "almanac"
NAMESPACE = "Almanac"
BACKGROUND_DEFECTS = "BackgroundDefects"

_TRACE = "_X_AMZN_TRACE_ID"
_encode = msgspec.json.Encoder(enc_hook=str).encode


class PowertoolsTelemetry:
    """Writes to the function's log. `environment` may name the service (POWERTOOLS_SERVICE_NAME) and the namespace of
    the metrics (POWERTOOLS_METRICS_NAMESPACE)."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._service = environment.get("POWERTOOLS_SERVICE_NAME", SERVICE)
        self._namespace = environment.get("POWERTOOLS_METRICS_NAMESPACE", NAMESPACE)
        self._logger = Logger(service=self._service, utc=True, use_rfc3339=True, location=None, json_serializer=_line)
        self._declarations: dict[tuple[str, ...], msgspec.Raw] = {}
        self._provider: Any = None

    def record_request(self, report: RequestReport) -> None:
        now = datetime.now(UTC)
        line: dict[str, Any] = {"level": "INFO", "message": "request", "timestamp": now, "service": self._service}
        if self._logger.log_level <= logging.INFO:
            line |= msgspec.to_builtins(report)
            if trace := os.environ.get(_TRACE):
                line["xray_trace_id"] = trace.partition(";")[0].removeprefix("Root=")
        else:
            # The log level limits what people read. The metrics behind the alarms count every request.
            line |= {"tool": report.tool, "tenant": report.tenant}
        sys.stdout.write(_line(line | self._embed_metrics(_metrics(report.outcome, report.milliseconds), now)) + "\n")
        sys.stdout.flush()

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        self._log(reference, where, cause, {})

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        self._log(reference, where, cause, self._embed_metrics(_failure_metrics(cause), datetime.now(UTC)))

    def _log(self, reference: str, where: str, cause: BaseException, more: Mapping[str, Any]) -> None:
        trace = (type(cause), cause, cause.__traceback__)
        self._logger.error("internal error", exc_info=trace, extra={"reference": reference, "where": where, **more})

    def _embed_metrics(self, metrics: Mapping[str, float], now: datetime) -> dict[str, Any]:
        """Return the fields that make CloudWatch extract `metrics` from a log line that names the service."""
        directive = {"Timestamp": int(now.timestamp() * 1000), "CloudWatchMetrics": self._metric_declaration(metrics)}
        return {"_aws": directive, **metrics}

    def _metric_declaration(self, metrics: Mapping[str, float]) -> msgspec.Raw:
        """Return the declaration of metrics with these names, in the form that Powertools writes."""
        names = tuple(metrics)
        declared = self._declarations.get(names)
        if declared is None:
            embedded = EphemeralMetrics(service=self._service, namespace=self._namespace)
            for name in names:
                embedded.add_metric(name, _UNITS.get(name, MetricUnit.Count), 0)
            declared = msgspec.Raw(_encode(embedded.serialize_metric_set()["_aws"]["CloudWatchMetrics"]))
            self._declarations[names] = declared
        return declared

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
    """Return the metrics of one request. It counts once more under its outcome unless that is ok."""
    metrics = {"Requests": 1, "Duration": milliseconds}
    if outcome != "ok":
        metrics[outcome.capitalize()] = 1
    return metrics


def _failure_metrics(cause: BaseException) -> dict[str, float]:
    """Return the metrics of a defect in the background: the common one, and its own if it has one."""
    metrics: dict[str, float] = {BACKGROUND_DEFECTS: 1}
    if isinstance(cause, FailureWithMetric):
        metrics[cause.metric] = cause.amount
    return metrics


def _line(record: Any) -> str:
    return _encode(record).decode()
