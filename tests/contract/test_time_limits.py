"""Test the order of time limits: the store gives up before the functions, and these before the gateway."""

# botocore carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

import time
from typing import Any

import pytest

from almanac.platform.store.dynamodb.calls import connect
from almanac.platform.store.retries import Retries
from tests.contract.template import FUNCTIONS, TEMPLATE

GATEWAY_SECONDS = 29
AUTHORIZER_SECONDS = 10
"""The longest that API Gateway waits for a function, and an HTTP API for its authorizer."""

USUAL: dict[str, Any] = TEMPLATE["Globals"]["Function"]
SERVING = [
    name
    for name, of in FUNCTIONS.items()
    if any(event["Type"] == "Api" for event in of["Properties"].get("Events", {}).values())
]


def timeout(function: str) -> int:
    return FUNCTIONS[function]["Properties"].get("Timeout", USUAL["Timeout"])


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> float:
    """The longest that one call of a store that does not answer takes, in seconds."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    settings: Any = connect("eu-central-1", "http://127.0.0.1:1").client.meta.config
    patience = Retries(sleep=time.sleep, random=lambda: 1.0, monotonic=time.monotonic).patience_seconds
    return patience + max(settings.connect_timeout, settings.read_timeout)


@pytest.mark.parametrize("function", SERVING)
def test_a_function_ends_before_the_gateway_stops_waiting(function: str) -> None:
    assert timeout(function) < GATEWAY_SECONDS


@pytest.mark.parametrize("function", SERVING)
def test_a_call_says_that_the_store_is_silent_and_is_audited_before_it_is_stopped(
    function: str, silence: float
) -> None:
    assert 2 * silence < timeout(function)


def test_the_authorizer_says_that_the_store_is_silent_before_it_is_stopped(silence: float) -> None:
    assert silence < timeout("AuthorizerFunction") <= AUTHORIZER_SECONDS
