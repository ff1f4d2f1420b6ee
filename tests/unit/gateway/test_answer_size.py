"""Test that an answer over Lambda's 6 MB is refused here with a reason, and not by the gateway without one."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from almanac.gateway.http.door import MAX_ANSWER_BYTES, fits, http_handler
from almanac.identity.access.principal import Principal
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from tests.clockwork import FAMILIES
from tests.unit.gateway.events import call_message, http_event, rest_event
from tests.unit.gateway.recorded import RecordedTelemetry

# The error of `find` repeats it. In the answer's JSON, in the string that holds that, each takes four bytes.
NAME = '"' * 1_700_000


def find_message(name: str) -> str:
    return call_message("find", name=name)


@pytest.mark.parametrize("letter", ["a", '"', "\\", "\n", "é", "時", "🕐", "\u2028"])
def test_what_counts_is_the_answer_as_lambdas_runtime_writes_it(letter: str) -> None:
    # Lambda's runtime writes with simplejson, which also escapes what JavaScript took for an end of line.
    escaped = letter == "\u2028"
    written = len(json.dumps(letter, ensure_ascii=escaped).encode()) - 2
    most = (MAX_ANSWER_BYTES - 4096) // written
    assert fits(letter * most)
    assert not fits(letter * (most + 1))


@pytest.mark.parametrize("made", [rest_event, http_event])
def test_an_answer_over_lambdas_limit_becomes_an_error_that_says_what_to_do(
    made: Callable[[str, Principal], dict[str, Any]], clock: FixedClock, caller: Caller
) -> None:
    telemetry = RecordedTelemetry()
    handler = http_handler(*FAMILIES, clock=clock, telemetry=telemetry)
    answer = handler(made(find_message(NAME), Principal(caller)), None)
    assert len(json.dumps(answer)) < 1000
    body = json.loads(answer["body"])
    assert (answer["statusCode"], body["id"], body["error"]["code"]) == (200, 1, -32602)
    assert "Ask for less" in body["error"]["message"]
    assert body["error"]["data"] == {"code": "answer_too_large"}
    assert [(report.tool, report.outcome, report.error) for report in telemetry.reports] == [
        ("find", "error", "-32602")
    ]


def test_what_fits_is_left_alone(clock: FixedClock, caller: Caller) -> None:
    handler = http_handler(*FAMILIES, clock=clock, telemetry=RecordedTelemetry())
    answer = handler(rest_event(find_message(NAME[:1_500_000]), Principal(caller)), None)
    assert json.loads(answer["body"])["result"]["isError"]


def test_an_id_too_long_to_send_back_is_left_out(clock: FixedClock, caller: Caller) -> None:
    telemetry = RecordedTelemetry()
    handler = http_handler(*FAMILIES, clock=clock, telemetry=telemetry)
    message = json.dumps({"jsonrpc": "2.0", "id": NAME, "method": "ping"})
    answer = handler(rest_event(message, Principal(caller)), None)
    body = json.loads(answer["body"])
    assert body["id"] is None
    assert "Ask for less" in body["error"]["message"]
    assert [(report.method, report.outcome, report.error) for report in telemetry.reports] == [
        ("ping", "error", "-32602")
    ]
