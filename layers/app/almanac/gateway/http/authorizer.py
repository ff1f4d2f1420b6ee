"""The authorizer: API Gateway asks it who calls, before any family's function runs.

REST APIs get an IAM policy, HTTP APIs (payload 2.0, simple responses) a yes or no. Either way the pass travels on as
flat text. An unknown caller is refused by raising Unauthorized, API Gateway's only way to a 401; what is forbidden or
too frequent is a denial, whose context carries the words for the gateway's response.

The project depends on the header x-almanac-project and the key comes in either of two headers, so API Gateway's own
cache, which knows one fixed set of headers, stays off: the directory remembers keys for 30 seconds instead.
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

# API Gateway puts text between the quotes of a template; whether it escapes it there is written nowhere.
_BREAKS_A_STRING = {ord('"'): "'", ord("\\"): "/"} | dict.fromkeys((*range(32), 127), " ")

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class Unauthorized(Exception):
    """API Gateway answers 401 where an authorizer fails with exactly this word."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")


def authorizer_handler(
    open_gatekeeper: Callable[[], Gatekeeper],
    telemetry: Telemetry | None = None,
    usage_key: Callable[[str], str] | None = None,
    origin: str | None = None,
) -> Handler:
    """A Lambda handler for REQUEST authorizers; the gatekeeper is made at the first request. `usage_key` takes a tenant
    and answers the API Gateway key of a usage plan, to which a REST API counts the request. `origin` is where programs
    sign in, None where they cannot.

    Only refusals are reported: what is let in is reported by the function behind.
    """
    chosen = telemetry or telemetry_for(os.environ)
    made: list[Gatekeeper] = []

    def handle(event: Mapping[str, Any], context: object) -> dict[str, Any]:
        started = time.perf_counter()
        if not made:
            made.append(open_gatekeeper())
        verdict = judge(event, made[0])
        if isinstance(verdict, Refusal):
            chosen.answered(refusal_report(event, verdict, (time.perf_counter() - started) * 1000, context))
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
    """The verdict on an authorizer event, or on the request event itself: they say the same of a request."""
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
    # What the gateway response for ACCESS_DENIED quotes, each as a string. Names that API Gateway's own variables have
    # (status, error, requestId) are taken there.
    words = {
        "code": verdict.code,
        "message": f"{verdict.message} {verdict.hint}",
        "hint": verdict.hint,
        "needed_scope": verdict.needed_scope or "",
    }
    quoted = {name: text.translate(_BREAKS_A_STRING) for name, text in words.items()}
    return {**quoted, "challenge": challenge(verdict, origin, read_path(event))}
