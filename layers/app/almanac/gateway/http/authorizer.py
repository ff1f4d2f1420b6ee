"""Lambda authorizer: identifies the caller before API Gateway runs the function of a family.

A REST API gets an IAM policy, an HTTP API (payload 2.0, simple responses) a boolean. In both cases API Gateway passes
the principal on as flat text. For an unknown caller the authorizer raises Unauthorized, since API Gateway offers no
other way to a 401. A forbidden or too frequent request is denied, and the context of the denial carries the text of the
gateway's response.

API Gateway's own cache stays off because it knows one fixed set of headers: the project depends on the header
x-almanac-project, and the key comes in either of two headers. The directory remembers keys for 30 seconds instead.
"""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from almanac.gateway.http.facts import read_address, read_headers, read_path
from almanac.gateway.http.responses import challenge
from almanac.gateway.observability.request_report import RequestReport, printable
from almanac.gateway.observability.telemetry import Telemetry, telemetry_for
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import to_context
from almanac.identity.access.refusals import Refusal

# API Gateway puts text between the quotes of a template. Its documentation does not say whether it escapes the text.
_BREAKS_A_STRING = {ord('"'): "'", ord("\\"): "/"} | dict.fromkeys((*range(32), 127), " ")

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class Unauthorized(Exception):
    """Makes API Gateway answer 401, which it does if an authorizer fails with exactly this word."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")


def authorizer_handler(
    open_gatekeeper: Callable[[], Gatekeeper],
    telemetry: Telemetry | None = None,
    usage_key: Callable[[str], str] | None = None,
    origin: str | None = None,
) -> Handler:
    """Return a Lambda handler for REQUEST authorizers. It opens the gatekeeper at the first request.

    `usage_key` maps a tenant to the API Gateway key of the usage plan to which a REST API counts the request. `origin`
    is the address where programs sign in, None if they cannot.

    The handler reports only refusals, because the function behind reports the requests that were let in.
    """
    chosen = telemetry or telemetry_for(os.environ)
    made: list[Gatekeeper] = []

    def handle(event: Mapping[str, Any], context: object) -> dict[str, Any]:
        started = time.perf_counter()
        if not made:
            made.append(open_gatekeeper())
        verdict = judge(event, made[0])
        if isinstance(verdict, Refusal):
            chosen.record_request(refusal_report(event, verdict, (time.perf_counter() - started) * 1000, context))
            if verdict.status == 401:
                raise Unauthorized
        if event.get("version") == "2.0":
            return {"isAuthorized": isinstance(verdict, Principal), "context": _context(verdict, origin, event)}
        answer = _policy(verdict, str(event["methodArn"]), _context(verdict, origin, event))
        if usage_key is not None and isinstance(verdict, Principal):
            answer["usageIdentifierKey"] = usage_key(verdict.caller.scope.tenant)
        return answer

    return handle


def refusal_report(
    event: Mapping[str, Any], refusal: Refusal, milliseconds: float, context: object = None
) -> RequestReport:
    return RequestReport(
        path=printable(read_path(event)),
        method="authorize",
        status=refusal.status,
        outcome="refused",
        milliseconds=round(milliseconds, 3),
        request_id=str(getattr(context, "aws_request_id", "")),
        address=printable(read_address(event)),
    )


def judge(event: Mapping[str, Any], gatekeeper: Gatekeeper) -> Principal | Refusal:
    """Return the principal or the refusal for an authorizer event or a request event, which have the same fields."""
    return gatekeeper.judge(read_headers(event), read_path(event), read_address(event))


def _policy(verdict: Principal | Refusal, method_arn: str, context: dict[str, str]) -> dict[str, Any]:
    statement = {
        "Action": "execute-api:Invoke",
        "Effect": "Allow" if isinstance(verdict, Principal) else "Deny",
        "Resource": method_arn,
    }
    return {
        "principalId": verdict.caller.key_id if isinstance(verdict, Principal) else "refused",
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }


def _context(verdict: Principal | Refusal, origin: str | None, event: Mapping[str, Any]) -> dict[str, str]:
    if isinstance(verdict, Principal):
        return to_context(verdict)
    # The gateway response for ACCESS_DENIED quotes each of these as a string. The names of API Gateway's own variables
    # (status, error, requestId) are not available.
    words = {
        "code": verdict.code,
        "message": f"{verdict.message} {verdict.hint}",
        "hint": verdict.hint,
        "needed_scope": verdict.needed_scope or "",
    }
    quoted = {name: text.translate(_BREAKS_A_STRING) for name, text in words.items()}
    return {**quoted, "challenge": challenge(verdict, origin, read_path(event))}
