"""The authorizer's answers to API Gateway."""

import json
from typing import Any

import pytest

from almanac.gateway.http.authorizer import Handler, Unauthorized, authorizer_handler
from almanac.identity.access.effective_settings import EffectiveSettings
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal_fields import from_context
from almanac.identity.api_key import ApiKey
from almanac.identity.records import Grant, KeyRecord
from almanac.kernel.clock import FixedClock
from tests.doubles.forgetful_store import ForgetfulStore
from tests.unit.gateway.recorded import RecordedTelemetry

KEY = ApiKey("abcdefgh", "s" * 40)
GRANT = Grant(tenant="acme", project="default", actor="ann", families=("counting",), per_day=9)
ARN = "arn:aws:execute-api:eu-west-1:123456789012:abc/v1/POST/mcp"


class OneKey:
    def key(self, key_id: str) -> KeyRecord | None:
        return KeyRecord(id=KEY.id, digest=KEY.digest, grant=GRANT, created_at=0) if key_id == KEY.id else None

    def settings(self, tenant: str, project: str) -> EffectiveSettings | None:
        return EffectiveSettings() if project == "default" else None


@pytest.fixture
def telemetry() -> RecordedTelemetry:
    return RecordedTelemetry()


@pytest.fixture
def handler(clock: FixedClock, telemetry: RecordedTelemetry) -> Handler:
    return authorizer_handler(lambda: Gatekeeper(OneKey(), ForgetfulStore(), clock), telemetry)


def rest(key: str | None, path: str = "/mcp") -> dict[str, Any]:
    return {
        "type": "REQUEST",
        "methodArn": ARN,
        "path": path,
        "httpMethod": "POST",
        "headers": {"X-API-Key": key} if key else {},
        "requestContext": {"stage": "v1", "identity": {"sourceIp": "203.0.113.7"}},
    }


def http(key: str | None, path: str = "/mcp") -> dict[str, Any]:
    return {
        "version": "2.0",
        "type": "REQUEST",
        "routeArn": ARN,
        "rawPath": path,
        "headers": {"authorization": f"Bearer {key}"} if key else {},
        "requestContext": {"stage": "$default", "http": {"method": "POST", "path": path, "sourceIp": "203.0.113.7"}},
    }


def test_a_rest_api_gets_a_policy_and_the_callers_context(handler: Handler) -> None:
    answer = handler(rest(KEY.text), None)
    assert answer["principalId"] == KEY.id
    (statement,) = answer["policyDocument"]["Statement"]
    assert statement == {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": ARN}
    allowed = from_context(answer["context"])
    assert allowed is not None
    assert (allowed.caller.scope.tenant, allowed.caller.actor, allowed.per_day) == ("acme", "ann", 9)


def test_a_rest_api_is_told_the_key_of_the_plan_that_the_request_counts_to(clock: FixedClock) -> None:
    handler = authorizer_handler(
        lambda: Gatekeeper(OneKey(), ForgetfulStore(), clock), RecordedTelemetry(), lambda tenant: f"plan-of-{tenant}"
    )
    assert handler(rest(KEY.text), None)["usageIdentifierKey"] == "plan-of-acme"
    assert "usageIdentifierKey" not in handler(http(KEY.text), None)
    assert "usageIdentifierKey" not in handler(rest(KEY.text, "/mcp/other"), None)


def test_an_http_api_gets_a_yes_and_the_same_context(handler: Handler) -> None:
    answer = handler(http(KEY.text), None)
    assert answer["isAuthorized"] is True
    assert answer["context"] == handler(rest(KEY.text), None)["context"]


@pytest.mark.parametrize("key", [None, "nonsense", ApiKey("stranger", "s" * 40).text, ApiKey(KEY.id, "t" * 40).text])
@pytest.mark.parametrize("made", [rest, http])
def test_who_is_unknown_is_refused_by_the_word_that_makes_a_401(handler: Handler, made: Any, key: str | None) -> None:
    with pytest.raises(Unauthorized, match=r"^Unauthorized$"):
        handler(made(key), None)


def test_what_is_outside_the_key_is_denied_with_words_for_the_gateways_response(handler: Handler) -> None:
    answer = handler(rest(KEY.text, "/mcp/waiting"), None)
    assert answer["policyDocument"]["Statement"][0]["Effect"] == "Deny"
    said = answer["context"]
    assert (said["code"], said["needed_scope"]) == ("forbidden", "family:waiting")
    assert said["message"].endswith(said["hint"])
    assert handler(http(KEY.text, "/mcp/waiting"), None)["isAuthorized"] is False


def test_what_a_denial_quotes_of_the_request_stands_within_a_string(handler: Handler) -> None:
    wished = rest(KEY.text)
    wished["headers"]["x-almanac-project"] = 'a"b\\c\x07d\n'
    context = handler(wished, None)["context"]
    assert context.pop("challenge") == 'Bearer realm="almanac", error="insufficient_scope"'
    for text in context.values():
        assert json.loads(f'"{text}"') == text


def test_the_context_of_a_denial_is_flat_text_that_names_no_caller(handler: Handler) -> None:
    context = handler(rest(KEY.text, "/mcp/waiting"), None)["context"]
    assert all(isinstance(value, str) for value in context.values())
    assert from_context(context) is None


def test_a_refusal_is_reported_without_the_key(handler: Handler, telemetry: RecordedTelemetry) -> None:
    with pytest.raises(Unauthorized):
        handler(rest(ApiKey("stranger", "s" * 40).text), None)
    (report,) = telemetry.reports
    assert (report.method, report.status, report.outcome) == ("authorize", 401, "refused")
    assert "stranger" not in str(report)


def test_who_is_let_in_is_reported_by_the_door_not_here(handler: Handler, telemetry: RecordedTelemetry) -> None:
    handler(rest(KEY.text), None)
    assert telemetry.reports == []


def test_the_store_is_opened_once_and_not_before_the_first_request(
    clock: FixedClock, telemetry: RecordedTelemetry
) -> None:
    opened: list[int] = []

    def open_gatekeeper() -> Gatekeeper:
        opened.append(1)
        return Gatekeeper(OneKey(), ForgetfulStore(), clock)

    handler = authorizer_handler(open_gatekeeper, telemetry)
    assert opened == []
    for _ in range(3):
        handler(rest(KEY.text), None)
    assert opened == [1]
