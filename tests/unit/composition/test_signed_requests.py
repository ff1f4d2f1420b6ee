"""Requests to a domain of OpenSearch are signed as AWS wants them: Signature Version 4."""

# botocore carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import json
from collections.abc import Generator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any

import botocore.auth
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from almanac.composition.search_on_aws import signer
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.opensearch.calls import Calls, IndexMissing, Patience, connect, lines
from almanac.search.opensearch.index import OpenSearchIndex
from almanac.search.port import Removal
from tests.contract.search.index_samples import entry
from tests.doubles import sigv4
from tests.doubles.loopback import serve

REGION = "eu-central-1"
HOST = ("Host", "example.amazonaws.com")
DATE = ("X-Amz-Date", "20150830T123600Z")
LONG = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TOKEN = (
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwth"
    "Ax7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAk"
    "iY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
)
FORM = ("Content-Type", "application/x-www-form-urlencoded")
VECTORS: dict[str, tuple[str, str, list[tuple[str, str]], bytes, str]] = {
    "get-vanilla": ("GET", "/", [], b"", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    "get-vanilla-query-order-key-case": (
        "GET",
        "/?Param2=value2&Param1=value1",
        [],
        b"",
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
    "get-vanilla-query-unreserved": (
        "GET",
        f"/?{LONG}={LONG}",
        [],
        b"",
        "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
    ),
    "get-vanilla-utf8-query": (
        "GET",
        "/?%E1%88%B4=bar",
        [],
        b"",
        "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    ),
    "get-unreserved": (
        "GET",
        f"/{LONG}",
        [],
        b"",
        "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ),
    "get-utf8": ("GET", "/ሴ", [], b"", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    "get-space": (
        "GET",
        "/example space/",
        [],
        b"",
        "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
    ),
    "normalize-path/get-relative": (
        "GET",
        "/example/..",
        [],
        b"",
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "normalize-path/get-slashes": (
        "GET",
        "//example//",
        [],
        b"",
        "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    ),
    "get-header-value-order": (
        "GET",
        "/",
        [("My-Header1", value) for value in ("value4", "value1", "value3", "value2")],
        b"",
        "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
    ),
    "get-header-value-trim": (
        "GET",
        "/",
        [("My-Header1", " value1"), ("My-Header2", ' "a   b   c"')],
        b"",
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ),
    "post-vanilla": ("POST", "/", [], b"", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    "post-header-key-sort": (
        "POST",
        "/",
        [("My-Header1", "value1")],
        b"",
        "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
    ),
    "post-header-value-case": (
        "POST",
        "/",
        [("My-Header1", "VALUE1")],
        b"",
        "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
    ),
    "post-vanilla-query": (
        "POST",
        "/?Param1=value1",
        [],
        b"",
        "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
    ),
    "post-x-www-form-urlencoded": (
        "POST",
        "/",
        [FORM],
        b"Param1=value1",
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ),
    "post-sts-header-before": (
        "POST",
        "/",
        [("X-Amz-Security-Token", TOKEN)],
        b"",
        "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
    ),
}
"""Of AWS's Signature Version 4 test suite, for the service `service` in us-east-1."""


@pytest.mark.parametrize("name", VECTORS)
def test_what_judges_here_agrees_with_the_published_vectors(name: str):
    method, target, more, body, signature = VECTORS[name]
    headers = [HOST, DATE, *more]
    signed = sorted({each.lower() for each, _ in headers})
    assert sigv4.signature_of(method, target, headers, signed, body, "us-east-1", "service") == signature


@pytest.mark.parametrize("name", VECTORS)
def test_what_signs_agrees_with_the_published_vectors(name: str, monkeypatch: pytest.MonkeyPatch):
    moment = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: moment)
    method, target, more, body, signature = VECTORS[name]
    request = AWSRequest(method=method, url=f"https://example.amazonaws.com{target}", data=body)
    for header, value in more:
        request.headers.add_header(header, value)
    SigV4Auth(Credentials(sigv4.ACCESS_KEY, sigv4.SECRET_KEY), "service", "us-east-1").add_auth(request)
    assert request.headers["Authorization"].endswith(f"Signature={signature}")


class Domain(BaseHTTPRequestHandler):
    """A domain that answers 403 to requests that AWS would reject, and has no documents."""

    protocol_version = "HTTP/1.1"
    faults: list[str | None]

    def _judge(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        fault = sigv4.fault(self.command, self.path, [*self.headers.items()], body, REGION, "es")
        self.faults.append(fault)
        status, answer = (200, {}) if fault is None else (403, {"message": "The request signature does not match."})
        said = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = do_PUT = do_DELETE = _judge  # noqa: N815 - the names of http.server

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> Generator[tuple[str, list[str | None]]]:
    """Address of a domain, and the reason why it rejected each request."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", sigv4.ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", sigv4.SECRET_KEY)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    faults: list[str | None] = []
    with serve(type("JudgingDomain", (Domain,), {"faults": faults})) as address:
        yield address, faults


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/almanac-*/_stats/store", None),
        ("GET", "/_alias/almanac-talk-found", None),
        ("PUT", "/almanac-talk-1", b'{"aliases": {}}'),
        ("DELETE", "/almanac-talk-1", None),
        ("POST", "/_bulk?filter_path=errors,items.*.status,-took", lines([{"text": "grüße 茶 \u2028"}] * 500)),
        ("POST", "/almanac-talk/_msearch?max_concurrent_searches=3&filter_path=responses.hits.hits._id", b"{}\n{}\n"),
        ("POST", "/almanac/_doc/a%2Fb%20c%25+%C3%BC?version=7&version_type=external_gte", b"{}"),
        # opensearch-py signs a blank of a query as a plus, which AWS reads as itself: no query of ours has one.
        ("GET", "/almanac/_search?q=ginger&routing=acme%2Fmain%2Ba&pretty=", None),
    ],
)
def test_requests_arrive_with_the_signature_that_aws_reckons(
    domain: tuple[str, list[str | None]], method: str, path: str, body: bytes | None
):
    address, faults = domain
    Calls(connect(address, signer(REGION)), Patience()).call(method, path, dict, body)
    assert faults == [None]


def test_temporary_credentials_are_sent_and_signed(
    domain: tuple[str, list[str | None]], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    address, faults = domain
    Calls(connect(address, signer(REGION)), Patience()).call("GET", "/_alias", dict)
    assert faults == [None]


def test_all_that_the_index_asks_is_signed(domain: tuple[str, list[str | None]]):
    address, faults = domain
    index = OpenSearchIndex(connect(address, signer(REGION)), "almanac", sleep=lambda _: None)
    scope = Scope("acme", "main")
    for ask in (
        lambda: index.index(scope, [entry("a", "ginger tea", version=1)]),
        lambda: index.remove(scope, [Removal(id="a", profile="talk", version=2)]),
        lambda: index.status(scope),
        lambda: index.list_states(scope, "talk"),
    ):
        # The domain has nothing to say, which is a defect to who asks.
        with pytest.raises(Exception, match=r".*") as said:
            ask()
        assert not isinstance(said.value, (Unavailable, IndexMissing))
    assert faults
    assert {*faults} == {None}


def test_a_request_signed_for_another_region_is_refused_and_the_caller_told_so(
    domain: tuple[str, list[str | None]],
):
    address, faults = domain
    with pytest.raises(Unavailable, match="refused the request"):
        Calls(connect(address, signer("us-east-1")), Patience()).call("GET", "/_alias", dict)
    assert faults == [f"it is signed by {sigv4.ACCESS_KEY} for es in us-east-1"]
