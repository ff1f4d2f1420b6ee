"""Test the telemetry that operators see, on a laptop and on Lambda."""

import io
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.gateway.observability.powertools import PowertoolsTelemetry
from almanac.gateway.observability.request_report import RequestReport
from almanac.gateway.observability.telemetry import telemetry_for

LAMBDA = {"AWS_LAMBDA_FUNCTION_NAME": "almanac-time", "POWERTOOLS_SERVICE_NAME": "time"}
TRACE = "1-5e1b4151-5ac6c58ad6a2e5b1c1d7a6f4"
REPORT = RequestReport(
    path="/mcp/time",
    method="tools/call",
    tool="resolve_datetime",
    tenant="acme",
    project="default",
    key_id="k1",
    status=200,
    outcome="error",
    milliseconds=1.25,
    request_id="r-1",
    error="not_found",
    revision="2025-11-25",
)


def test_the_console_writes_one_line_per_request() -> None:
    stream = io.StringIO()
    ConsoleTelemetry(stream).record_request(REPORT)
    (line,) = stream.getvalue().splitlines()
    assert "/mcp/time tools/call resolve_datetime acme/default 200 error 1.2 ms" in line


def test_the_console_shows_a_defect_with_its_cause() -> None:
    stream = io.StringIO()
    ConsoleTelemetry(stream).defect("abc123", "add", ValueError("why"))
    assert "internal error abc123 in add" in stream.getvalue()
    assert "ValueError: why" in stream.getvalue()


def test_the_console_notes_what_the_server_does_besides() -> None:
    stream = io.StringIO()
    ConsoleTelemetry(stream).note("search vectors: 50 %")
    assert re.fullmatch(r"\d\d:\d\d:\d\d search vectors: 50 %\n", stream.getvalue())


def test_lambda_gets_powertools_and_everything_else_the_console() -> None:
    assert isinstance(telemetry_for({}), ConsoleTelemetry)
    assert isinstance(telemetry_for(LAMBDA), PowertoolsTelemetry)


def test_on_lambda_a_request_is_one_structured_line() -> None:
    (line,) = on_lambda(
        "telemetry.record_request(report)", _X_AMZN_TRACE_ID=f"Root={TRACE};Parent=53995c3f42cd8ad8;Sampled=0"
    )
    del line["_aws"]
    assert datetime.fromisoformat(line.pop("timestamp")).tzinfo == UTC
    assert line == {
        "level": "INFO",
        "message": "request",
        "service": "time",
        "path": "/mcp/time",
        "method": "tools/call",
        "tool": "resolve_datetime",
        "tenant": "acme",
        "project": "default",
        "key_id": "k1",
        "status": 200,
        "outcome": "error",
        "milliseconds": 1.25,
        "request_id": "r-1",
        "error": "not_found",
        "revision": "2025-11-25",
        "xray_trace_id": TRACE,
        "Requests": 1,
        "Duration": 1.25,
        "Error": 1,
    }


def test_where_only_warnings_are_logged_metrics_go_on_with_what_they_are_about() -> None:
    (line,) = on_lambda("telemetry.record_request(report)", POWERTOOLS_LOG_LEVEL="WARNING")
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert [metric["Name"] for metric in directive["Metrics"]] == ["Requests", "Duration", "Error"]
    assert (line["tool"], line["tenant"]) == ("resolve_datetime", "acme")
    assert not {"path", "method", "request_id", "key_id"} & line.keys()


def test_metrics_of_one_request_do_not_carry_into_the_next() -> None:
    first, second, third = on_lambda(
        "import msgspec\n"
        "for outcome in ('error', 'ok', 'error'):\n"
        "    telemetry.record_request(msgspec.structs.replace(report, outcome=outcome))"
    )
    assert (first["Requests"], second["Requests"], third["Requests"]) == (1, 1, 1)
    assert ("Error" in first, "Error" in second, "Error" in third) == (True, False, True)


def test_on_lambda_a_defect_is_logged_with_its_trace() -> None:
    (logged,) = on_lambda("telemetry.defect('abc123', 'add', ValueError('why'))")
    assert (logged["level"], logged["reference"], logged["where"]) == ("ERROR", "abc123", "add")
    assert "ValueError: why" in logged["exception"]
    assert datetime.fromisoformat(logged["timestamp"]).utcoffset() == timedelta(0)


def test_on_lambda_a_defect_behind_a_call_is_one_line_that_counts_whatever_is_logged() -> None:
    (logged,) = on_lambda(
        "telemetry.background_defect('abc123', 'a job', ValueError('why'))", POWERTOOLS_LOG_LEVEL="ERROR"
    )
    assert (logged["level"], logged["reference"], logged["where"]) == ("ERROR", "abc123", "a job")
    assert "ValueError: why" in logged["exception"]
    (directive,) = logged["_aws"]["CloudWatchMetrics"]
    assert directive["Metrics"] == [{"Name": "BackgroundDefects", "Unit": "Count"}]
    assert directive["Dimensions"] == [["service"]]
    assert (logged["service"], logged["BackgroundDefects"]) == ("time", 1)


def test_on_lambda_a_defect_in_a_call_counts_with_its_request_and_not_once_more() -> None:
    (logged,) = on_lambda("telemetry.defect('abc123', 'add', ValueError('why'))")
    assert "_aws" not in logged


def test_an_event_that_is_parked_says_why_and_how_often_it_was_tried() -> None:
    (logged,) = on_lambda(
        "from almanac.platform.bus.port import EventParked\n"
        "parked = EventParked('Parked after 6 attempts.')\n"
        "parked.__cause__ = ValueError('why')\n"
        "telemetry.background_defect('abc123', 'a reaction', parked)"
    )
    assert "ValueError: why" in logged["exception"]
    assert "Parked after 6 attempts." in logged["exception"]
    assert (logged["BackgroundDefects"], logged["ParkedEvents"]) == (1, 1)


def test_an_unsampled_request_has_no_span_and_never_loads_the_tracer() -> None:
    program = (
        "import sys; from almanac.gateway.observability.powertools import PowertoolsTelemetry\n"
        f"telemetry = PowertoolsTelemetry({LAMBDA!r})\n"
        "with telemetry.span('answer'): pass\n"
        "print('aws_xray_sdk' in sys.modules, 'botocore.client' in sys.modules)"
    )
    assert run(program) == "False False"


def test_a_sampled_request_is_a_subsegment_of_its_trace() -> None:
    program = (
        "import os\n"
        f"os.environ['_X_AMZN_TRACE_ID'] = 'Root={TRACE};Parent=53995c3f42cd8ad8;Sampled=1'\n"
        "from almanac.gateway.observability.powertools import PowertoolsTelemetry\n"
        f"telemetry = PowertoolsTelemetry({LAMBDA!r})\n"
        "with telemetry.span('answer') as segment:\n"
        "    print(segment.name, segment.trace_id)"
    )
    assert run(program, LAMBDA_TASK_ROOT="/var/task") == f"answer {TRACE}"


def test_the_laptop_never_imports_powertools_for_its_doors(repository: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import handle_http\n"
        "print(*(name for name in ('aws_lambda_powertools', 'boto3', 'botocore', 'pynamodb') if name in sys.modules))"
    )
    assert run(program, str(repository / "functions/hub"), ALMANAC_TABLE="t", AWS_REGION="eu-west-1") == ""


def on_lambda(statement: str, **environment: str) -> list[dict[str, Any]]:
    """Run `statement` on Lambda's `telemetry` and a `report`, and return the lines that it writes."""
    program = (
        "from almanac.gateway.observability.powertools import PowertoolsTelemetry\n"
        "from almanac.gateway.observability.request_report import RequestReport\n"
        f"telemetry, report = PowertoolsTelemetry({LAMBDA!r}), {REPORT!r}\n{statement}"
    )
    return [json.loads(line) for line in run(program, **environment).splitlines()]


def run(program: str, argument: str = "", **environment: str) -> str:
    """Return the output of a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", program, argument],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
