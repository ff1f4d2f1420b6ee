"""Checks that API Gateway, the authorizer and the functions all refuse in JSON-RPC's error form."""

import re
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from secrets import token_hex
from typing import Any

import httpx2

from tests.smoke.check import Check, CheckFailed, CheckSkipped
from tests.smoke.deployment import Deployment, Operator
from tests.smoke.tenants import operator_of, tenant_of

_MOST_REQUESTS, _AT_ONCE = 600, 30
_OVER_THE_BODY = 4_300_000
_OVER_THE_GATEWAY = 11_000_000
_STOPPED_SECONDS = 60
_FUNCTION = "time"


def call_without_key(at: Deployment) -> str:
    answer = at.target.post(key="")
    if "Bearer" not in answer.headers.get("www-authenticate", ""):
        raise CheckFailed(f"{_summary_of(answer)} without a header WWW-Authenticate")
    return _refusal(answer, 401)


def call_unknown_path(at: Deployment) -> str:
    root = at.target.url.removesuffix("/mcp")
    return _refusal(httpx2.get(f"{root}/.well-known/openid-configuration", timeout=60), 404)


def read_sign_in_hint(at: Deployment) -> str:
    challenge = at.target.post(key="").headers.get("www-authenticate", "")
    found = re.search(r'resource_metadata="([^"]+)"', challenge)
    if found is None:
        raise CheckSkipped("it has no PublicUrl")
    if at.emulated:
        raise CheckSkipped("no name leads to the emulator")
    resource = httpx2.get(found[1], timeout=60)
    issuer = resource.json()["authorization_servers"][0] if resource.status_code == 200 else ""
    server = httpx2.get(f"{issuer}/.well-known/oauth-authorization-server", timeout=60) if issuer else resource
    if server.status_code != 200 or server.json().get("issuer") != issuer:
        raise CheckFailed(f"{found[1]}: {_summary_of(server)}")
    return issuer


def call_outside_key(at: Deployment) -> str:
    return _refusal(_outside(at), 403)


def read_authorizer_refusal(at: Deployment) -> str:
    if at.emulated:
        raise CheckSkipped("the emulator puts nothing of the authorizer into gateway responses")
    answer = _outside(at)
    _refusal(answer, 403)
    error = answer.json()["error"]
    if error["data"]["code"] != "forbidden" or not error["data"]["needed_scope"].startswith("project:"):
        raise CheckFailed(_summary_of(answer))
    return error["message"]


def exceed_key_limit(at: Deployment) -> str:
    with tenant_of(operator_of(at), "limit") as tenant:
        key = tenant.key("--per-day", "1")
        first = at.target.post(path="/time", key=key)
        if first.status_code != 200:
            raise CheckFailed(f"the first request: {_summary_of(first)}")
        answer = at.target.post(path="/time", key=key)
        if not answer.headers.get("retry-after", "").isdigit():
            raise CheckFailed(f"{_summary_of(answer)} without a header Retry-After")
        return _refusal(answer, 429)


def exceed_tier_plan(at: Deployment) -> str:
    operator = operator_of(at)
    if at.emulated:
        raise CheckSkipped("the emulator counts nothing to usage plans")
    with tenant_of(operator, "trial", "--tier", "trial") as tenant, ThreadPoolExecutor(_AT_ONCE) as pool:
        key, started = tenant.key(), time.monotonic()
        asked = [pool.submit(at.target.post, path="/time", key=key) for _ in range(_MOST_REQUESTS)]
        answers = [each.result() for each in asked]
    refused = [answer for answer in answers if answer.status_code == 429]
    if not refused:
        seconds = time.monotonic() - started
        raise CheckFailed(f"{_MOST_REQUESTS} requests in {seconds:.0f} s, and none was refused")
    return f"{len(refused)} of {_MOST_REQUESTS} requests: {_refusal(refused[0], 429)}"


def exceed_body_limit(at: Deployment) -> str:
    return "; ".join(_refusal(_send(at, size), 413, own_code=True) for size in (_OVER_THE_BODY, _OVER_THE_GATEWAY))


def call_broken_function(at: Deployment) -> str:
    operator = operator_of(at)
    if at.emulated:
        raise CheckSkipped("the emulator passes on what Lambda says of a function without a place")
    if not at.disturbs:
        raise CheckSkipped(f"it stops the function {_FUNCTION} for some seconds: allow it with DISTURB=1")
    with _stop_function(operator):
        ends = time.monotonic() + _STOPPED_SECONDS
        while (answer := at.target.post(path=f"/{_FUNCTION}")).status_code == 200:
            if time.monotonic() > ends:
                raise CheckFailed(f"the function still answers {_STOPPED_SECONDS} s after it was stopped")
            time.sleep(1)
    said = _refusal(answer, answer.status_code, own_code=True)
    if answer.json()["error"]["code"] != 500 or answer.status_code < 500:
        raise CheckFailed(_summary_of(answer))
    return said


@contextmanager
def _stop_function(operator: Operator) -> Generator[None]:
    """No place for the function meanwhile, so that API Gateway gets no answer from it."""
    functions, name = operator.client("lambda"), f"{operator.system}-{_FUNCTION}"
    before = functions.get_function_concurrency(FunctionName=name).get("ReservedConcurrentExecutions")
    functions.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=0)
    try:
        yield
    finally:
        if before is None:
            functions.delete_function_concurrency(FunctionName=name)
        else:
            functions.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=before)


def _outside(at: Deployment) -> httpx2.Response:
    """The answer to a key that may not use a project; there is none of such a name."""
    return at.target.post(path="/time", headers={"x-almanac-project": f"smoke-{token_hex(6)}"})


def _send(at: Deployment, size: int) -> httpx2.Response:
    arguments = {"expression": "x" * size}
    return at.target.post("tools/call", params={"name": "resolve_datetime", "arguments": arguments})


def _refusal(answer: httpx2.Response, status: int, *, own_code: bool = False) -> str:
    """Return the message of a refusal. With `own_code` its error has its own code instead of the status."""
    try:
        body: Any = answer.json()
        error = body["error"]
        right = body["jsonrpc"] == "2.0" and "id" in body and (own_code or error["code"] == status)
        said = str(error["message"])
    except (ValueError, KeyError, TypeError):
        raise CheckFailed(f"{_summary_of(answer)} is not JSON-RPC") from None
    if answer.status_code != status or not right or not said:
        raise CheckFailed(_summary_of(answer))
    return f"HTTP {status}, {said}"


def _summary_of(answer: httpx2.Response) -> str:
    return f"HTTP {answer.status_code}, {answer.text[:200]}"


REFUSALS = (
    Check(
        "a call without a key is a 401 in JSON-RPC",
        call_without_key,
        "Look at GatewayResponses UNAUTHORIZED of the API, and in the log of the function authorizer.",
    ),
    Check(
        "a path that does not exist is a 404 in JSON-RPC",
        call_unknown_path,
        "Look at MISSING_AUTHENTICATION_TOKEN of the API.",
    ),
    Check(
        "a client without a key reads where to sign in",
        read_sign_in_hint,
        "See that PublicUrl's DNS record leads to DomainTarget, and the domain's mapping to the root of the stage.",
    ),
    Check(
        "a key outside its project is a 403 in JSON-RPC",
        call_outside_key,
        "Look at ACCESS_DENIED of the API: its template must be JSON whatever API Gateway puts in.",
    ),
    Check(
        "that 403 has the words of the authorizer",
        read_authorizer_refusal,
        "Compare the names in ACCESS_DENIED ($context.authorizer.<name>) with the context that the authorizer answers.",
    ),
    Check(
        "a key over its own limit is a 429 in JSON-RPC",
        exceed_key_limit,
        "Look in the log of the function time, and whether it may write to the table (Rights, RequestCounts).",
    ),
    Check(
        "a tenant over the plan of its tier is a 429 in JSON-RPC",
        exceed_tier_plan,
        "Compare TrialRequestsPerSecond with the usage plan, and look whether its key ends in ALMANAC_USAGE_KEYS.",
    ),
    Check(
        "a body over the limit is a 413 in JSON-RPC",
        exceed_body_limit,
        "Over 10 MB API Gateway refuses the body (REQUEST_TOO_LARGE of the API), from 4 MB the function.",
    ),
    Check(
        "a function that does not answer is a 500 in JSON-RPC",
        call_broken_function,
        f"See that the function {_FUNCTION} has its former concurrency again, and look at DEFAULT_5XX of the API.",
    ),
)
