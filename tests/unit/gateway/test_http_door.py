"""The handler behind API Gateway, from event to answer."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from almanac.gateway.http.door import Handler, http_handler
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import Refusal, too_many
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.wire.http import Response
from tests.clockwork import FAMILIES
from tests.unit.gateway.events import call_message, http_event, message, rest_event
from tests.unit.gateway.recorded import RecordedTelemetry


@pytest.fixture
def telemetry() -> RecordedTelemetry:
    return RecordedTelemetry()


@pytest.fixture
def handler(clock: FixedClock, telemetry: RecordedTelemetry) -> Handler:
    return http_handler(*FAMILIES, clock=clock, telemetry=telemetry)


@pytest.fixture
def free(caller: Caller) -> Principal:
    return Principal(caller)


def body_of(answer: dict[str, Any]) -> dict[str, Any]:
    return json.loads(answer["body"])


@pytest.mark.parametrize("made", [rest_event, http_event])
def test_a_tool_is_called_for_the_caller_of_the_authorizers_context(
    made: Any, handler: Handler, free: Principal
) -> None:
    answer = handler(made(call_message("add", a=1, b=2), free), None)
    assert answer["statusCode"] == 200
    assert body_of(answer)["result"]["structuredContent"] == {
        "total": 3,
        "tenant": "tenant",
        "project": "project",
        "actor": "tester",
    }


def test_a_family_has_a_path_of_its_own(handler: Handler, free: Principal) -> None:
    listed = body_of(handler(rest_event(message("tools/list"), free, "/mcp/waiting"), None))
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["wait"]


def test_the_hub_lists_every_family_sorted_by_name(handler: Handler, free: Principal) -> None:
    listed = body_of(handler(rest_event(message("tools/list"), free), None))
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["add", "find", "smash", "wait"]


def test_the_hub_tells_where_the_live_feed_is_and_a_family_does_not(
    clock: FixedClock, telemetry: RecordedTelemetry, free: Principal
) -> None:
    handler = http_handler(*FAMILIES, clock=clock, telemetry=telemetry, feed_url="wss://feed.example/feed")
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}

    def capabilities_at(path: str) -> Any:
        answer = handler(rest_event(message("initialize", hello), free, path), None)
        return body_of(answer)["result"]["capabilities"].get("experimental")

    assert capabilities_at("/mcp") == {"almanac/feed": {"url": "wss://feed.example/feed"}}
    assert capabilities_at("/mcp/waiting") is None


def test_a_trailing_slash_is_forgiven(handler: Handler, free: Principal) -> None:
    assert handler(rest_event(message("ping"), free, "/mcp/"), None)["statusCode"] == 200


@pytest.mark.parametrize(
    "path", ["/", "/mcp/nothing", "/mcp/time/x", "/.well-known/oauth-protected-resource/mcp", "/other/mcp"]
)
def test_another_path_is_a_json_404_that_names_the_right_ones(path: str, handler: Handler, free: Principal) -> None:
    answer = handler(rest_event(message("ping"), free, path), None)
    assert answer["statusCode"] == 404
    assert answer["headers"]["content-type"] == "application/json"
    assert "/mcp/counting" in body_of(answer)["error"]["message"]


def test_without_an_authorizer_nobody_is_let_in(handler: Handler) -> None:
    answer = handler(rest_event(call_message("add", a=1, b=2), None), None)
    assert answer["statusCode"] == 401
    assert answer["headers"]["www-authenticate"] == 'Bearer realm="almanac"'
    assert body_of(answer)["error"]["code"] == 401


def test_a_header_cannot_stand_in_for_the_authorizer(handler: Handler) -> None:
    event = rest_event(call_message("add", a=1, b=2), None)
    event["headers"] |= {"tenant": "acme", "project": "default", "key_id": "k"}
    event["multiValueHeaders"] = {}
    assert handler(event, None)["statusCode"] == 401


def test_a_family_outside_the_key_is_a_403_that_names_the_scope(handler: Handler, caller: Caller) -> None:
    narrow = Principal(Caller(caller.scope, "ann", "k", families=frozenset({"waiting"})))
    answer = handler(rest_event(call_message("add", a=1, b=2), narrow, "/mcp/counting"), None)
    assert answer["statusCode"] == 403
    assert answer["headers"]["www-authenticate"] == 'Bearer realm="almanac", error="insufficient_scope"'
    body = body_of(answer)
    assert body["needed_scope"] == body["error"]["data"]["needed_scope"] == "family:counting"
    assert "family:counting" in body["error"]["message"]


def test_at_the_hub_a_tool_outside_the_key_does_not_exist(handler: Handler, caller: Caller) -> None:
    narrow = Principal(Caller(caller.scope, "ann", "k", families=frozenset({"waiting"})))
    answer = body_of(handler(rest_event(call_message("add", a=1, b=2), narrow), None))
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_taken(method: str, handler: Handler, free: Principal) -> None:
    answer = handler(rest_event("", free, method=method), None)
    assert answer["statusCode"] == 405
    assert {name.lower(): value for name, value in answer["headers"].items()}["allow"] == "POST"


class ClosedAdmission:
    """Refuses every call, and counts the calls."""

    asked = 0

    def admit(self, allowed: Principal) -> Refusal | None:
        ClosedAdmission.asked += 1
        return too_many("5 per minute is the limit of this key", 17)


def test_over_its_limit_a_key_is_told_when_to_come_back(
    clock: FixedClock, telemetry: RecordedTelemetry, caller: Caller
) -> None:
    handler = http_handler(*FAMILIES, admission=ClosedAdmission, clock=clock, telemetry=telemetry)
    answer = handler(rest_event(call_message("add", a=1, b=2), Principal(caller, per_minute=5)), None)
    assert answer["statusCode"] == 429
    assert answer["headers"]["retry-after"] == "17"
    body = body_of(answer)
    assert body["retry_after_seconds"] == body["error"]["data"]["retry_after_seconds"] == 17


def test_a_key_without_limits_never_opens_the_counters(
    clock: FixedClock, telemetry: RecordedTelemetry, free: Principal
) -> None:
    def fail_if_opened() -> ClosedAdmission:
        raise AssertionError("the counters were opened")

    handler = http_handler(*FAMILIES, admission=fail_if_opened, clock=clock, telemetry=telemetry)
    assert handler(rest_event(call_message("add", a=1, b=2), free), None)["statusCode"] == 200


def test_a_store_that_is_down_is_a_503_to_be_repeated(
    clock: FixedClock, telemetry: RecordedTelemetry, caller: Caller
) -> None:
    class Down:
        def admit(self, allowed: Principal) -> Refusal | None:
            raise Unavailable("The store does not answer.", "Repeat the call.")

    handler = http_handler(*FAMILIES, admission=Down, clock=clock, telemetry=telemetry)
    answer = handler(rest_event(message("ping"), Principal(caller, per_day=1)), None)
    assert answer["statusCode"] == 503
    assert body_of(answer)["error"]["data"]["retryable"] is True


def test_a_defect_of_the_door_tells_a_reference_and_nothing_else(
    clock: FixedClock, telemetry: RecordedTelemetry, caller: Caller
) -> None:
    def fail_to_open() -> ClosedAdmission:
        raise RuntimeError("the secret of the installation")

    handler = http_handler(*FAMILIES, admission=fail_to_open, clock=clock, telemetry=telemetry)
    answer = handler(rest_event(message("ping"), Principal(caller, per_day=1)), None)
    ((reference, _, cause),) = telemetry.defects
    assert answer["statusCode"] == 500
    assert reference in answer["body"]
    assert "secret" not in answer["body"]
    assert isinstance(cause, RuntimeError)


def test_a_defect_of_a_tool_is_reported_with_its_reference(
    handler: Handler, telemetry: RecordedTelemetry, free: Principal
) -> None:
    answer = handler(rest_event(call_message("smash"), free), None)
    ((reference, where, cause),) = telemetry.defects
    assert where == "smash"
    assert reference in answer["body"]
    assert "secret" not in answer["body"]
    assert isinstance(cause, ZeroDivisionError)


@pytest.mark.parametrize("body", ["", "{", "[]", "null", "\x00", '{"jsonrpc":"2.0"}'])
def test_a_malformed_body_is_the_callers_error(body: str, handler: Handler, free: Principal) -> None:
    assert handler(rest_event(body, free), None)["statusCode"] == 400


def test_a_body_that_is_not_base64_as_it_says_is_the_callers_error(handler: Handler, free: Principal) -> None:
    answer = handler(rest_event("{}", free, isBase64Encoded=True), None)
    assert answer["statusCode"] == 400
    assert "base64" in body_of(answer)["error"]["message"]


def test_a_request_is_reported_by_names_and_numbers_only(
    handler: Handler, telemetry: RecordedTelemetry, free: Principal
) -> None:
    handler(rest_event(call_message("add", a=40_961, b=1), free), None)
    (report,) = telemetry.reports
    assert (report.path, report.method, report.tool, report.status, report.outcome) == (
        "/mcp",
        "tools/call",
        "add",
        200,
        "ok",
    )
    assert (report.tenant, report.project, report.key_id) == ("tenant", "project", "key")
    assert report.milliseconds > 0
    assert "40961" not in str(report)
    assert "40962" not in str(report)


def test_a_path_that_a_caller_chooses_cannot_forge_log_lines(
    handler: Handler, telemetry: RecordedTelemetry, free: Principal
) -> None:
    handler(rest_event(message("ping"), free, "/x\n12:00:00 /mcp ping 200 ok" + "y" * 5000), None)
    path = telemetry.reports[0].path
    assert "\n" not in path
    assert len(path) <= 80


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (call_message("find", name="it"), ("tools/call", "find", "error", "not_found")),
        (call_message("nobody"), ("tools/call", "nobody", "error", "-32602")),
        (message("tools/list"), ("tools/list", "", "ok", "")),
        (message("tools/none"), ("tools/none", "", "error", "-32601")),
        (message("tools/call"), ("tools/call", "", "error", "-32602")),
        ("{", ("POST", "", "error", "-32700")),
    ],
)
def test_the_report_says_how_it_went(
    body: str, expected: tuple[str, str, str, str], handler: Handler, telemetry: RecordedTelemetry, free: Principal
) -> None:
    handler(rest_event(body, free), None)
    (report,) = telemetry.reports
    assert (report.method, report.tool, report.outcome, report.error) == expected


def test_a_defect_of_a_tool_counts_as_failed_though_it_is_answered_in_good_form(
    handler: Handler, telemetry: RecordedTelemetry, free: Principal
) -> None:
    answer = handler(rest_event(call_message("smash"), free), None)
    (report,) = telemetry.reports
    assert (answer["statusCode"], report.status, report.outcome, report.error) == (200, 200, "failed", "internal_error")


@pytest.mark.parametrize("word", ["method", "tool"])
def test_names_that_a_caller_chooses_cannot_forge_log_lines(
    word: str, handler: Handler, telemetry: RecordedTelemetry, free: Principal
) -> None:
    forged = "x\n12:00:00 /mcp ping 200 ok" + "y" * 5000
    handler(rest_event(message(forged) if word == "method" else call_message(forged), free), None)
    said = getattr(telemetry.reports[0], word)
    assert said.startswith("x12:00:00")
    assert len(said) <= 80


@pytest.mark.parametrize(
    ("path", "has_key", "status", "outcome"),
    [("/mcp", False, 401, "refused"), ("/elsewhere", True, 404, "error")],
)
def test_of_a_request_that_is_not_let_in_the_body_is_not_read(
    path: str, has_key: bool, status: int, outcome: str, handler: Handler, telemetry: RecordedTelemetry, free: Principal
) -> None:
    handler(rest_event(call_message("add", a=1, b=2), free if has_key else None, path), None)
    (report,) = telemetry.reports
    assert (report.method, report.tool, report.status, report.outcome) == ("POST", "", status, outcome)


class OneLease:
    """A lease of each tenant, for a process whose calls overlap."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []
        self.is_taken = False
        self.is_held = False

    @contextmanager
    def hold(self, tenant: str, most: int) -> Generator[Refusal | None]:
        self.asked.append((tenant, most))
        if self.is_taken:
            yield too_many("this tenant may run 1 expensive calls at once, and does", 1)
            return
        self.is_held = True
        try:
            yield None
        finally:
            self.is_held = False


@pytest.fixture
def leases() -> OneLease:
    return OneLease()


@pytest.fixture
def leasing_door(clock: FixedClock, telemetry: RecordedTelemetry, leases: OneLease) -> Handler:
    """A door whose family `counting` is expensive."""
    return http_handler(
        *FAMILIES,
        clock=clock,
        telemetry=telemetry,
        leases=lambda: leases,  # pyright: ignore[reportArgumentType, reportReturnType]
        expensive=frozenset({"counting", "another"}),
    )


@pytest.fixture
def limited_principal(caller: Caller) -> Principal:
    return Principal(caller, calls_at_once=1)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/counting"])
def test_an_expensive_call_holds_a_lease_of_its_tenant_and_gives_it_back(
    path: str, leasing_door: Handler, leases: OneLease, limited_principal: Principal
) -> None:
    assert leasing_door(rest_event(call_message("add", a=1, b=2), limited_principal, path), None)["statusCode"] == 200
    assert leases.asked == [("tenant", 1)]
    assert not leases.is_held
    leasing_door(rest_event(call_message("smash"), limited_principal, path), None)
    assert not leases.is_held


@pytest.mark.parametrize("path", ["/mcp", "/mcp/counting"])
def test_an_expensive_call_without_a_lease_is_told_when_to_come_back(
    path: str, leasing_door: Handler, leases: OneLease, limited_principal: Principal, telemetry: RecordedTelemetry
) -> None:
    leases.is_taken = True
    answer = leasing_door(rest_event(call_message("add", a=1, b=2), limited_principal, path), None)
    assert (answer["statusCode"], answer["headers"]["retry-after"]) == (429, "1")
    error = body_of(answer)["error"]
    assert error["code"] == 429
    assert error["data"]["code"] == "limit_exceeded"
    assert error["data"]["retry_after_seconds"] == 1
    assert "Repeat the request in 1 second" in error["message"]
    assert telemetry.reports[-1].outcome == "refused"


def test_a_hook_holds_a_lease_whatever_its_body_says(
    clock: FixedClock, leases: OneLease, limited_principal: Principal, tmp_path: Path
) -> None:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    held: list[bool] = []

    def answer(*_: object, **__: object) -> Response:
        held.append(leases.is_held)
        return Response(204, {}, "")

    door = http_handler(
        *FAMILIES,
        clock=clock,
        hooks=answer,
        audit_store=lambda: store,
        leases=lambda: leases,  # pyright: ignore[reportArgumentType, reportReturnType]
        expensive=frozenset({"counting"}),
    )
    assert door(rest_event("{}", limited_principal, "/hooks/cursor"), None)["statusCode"] == 204
    store.close()
    assert (held, leases.is_held) == ([True], False)


@pytest.mark.parametrize("body", [message("ping"), message("tools/list"), call_message("nothing"), "[1]", "{", ""])
def test_what_calls_no_expensive_tool_needs_no_lease(
    body: str, leasing_door: Handler, leases: OneLease, limited_principal: Principal
) -> None:
    leasing_door(rest_event(body, limited_principal), None)
    assert not leases.asked


def test_calls_of_other_families_and_of_tenants_without_a_bound_open_no_leases(
    clock: FixedClock, telemetry: RecordedTelemetry, limited_principal: Principal, free: Principal
) -> None:
    def fail_if_opened() -> Any:
        raise AssertionError("the leases were opened")

    door = http_handler(
        *FAMILIES, clock=clock, telemetry=telemetry, leases=fail_if_opened, expensive=frozenset({"waiting"})
    )
    assert door(rest_event(call_message("add", a=1, b=2), limited_principal), None)["statusCode"] == 200
    assert door(rest_event(call_message("wait", pipe="/nowhere/there"), free), None)["statusCode"] == 200
