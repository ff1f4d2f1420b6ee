"""Test known failures between clients and other servers, one test for each."""

import json
import os
from base64 import b64encode
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from almanac.gateway.oauth.metadata import authorization_server
from almanac.identity.oauth.clients import Clients
from almanac.identity.records import tenant_key
from almanac.platform.store.port import Update
from tests.integration.sign_in.world import CHALLENGE, World, redirect_parameters

CALLBACK = "http://127.0.0.1:4711/callback"
HOSTED = "https://claude.ai/api/mcp/auth_callback"
DOCUMENT = "https://client.example.com/oauth/client.json"
WELL_KNOWN = "/.well-known/"
PRM, ASM = WELL_KNOWN + "oauth-protected-resource", WELL_KNOWN + "oauth-authorization-server"


def test_01_the_trace_shows_how_far_a_sign_in_came(world: World) -> None:
    client_id, tokens = world.sign_in(family=["time"])
    assert "call" not in {step.step for step in world.attempts.latest()}, "the client stopped with its tokens"
    for _ in range(2):
        world.tools(tokens["access_token"])
    assert world.call(tokens["access_token"], "/mcp/team").status_code == 403
    steps = {(step.step, step.outcome) for step in world.attempts.latest()}
    assert len(list(world.attempts.latest())) == len(steps) == 7
    assert steps == {
        ("register", "registered "),
        ("authorize", "the page was shown"),
        ("key", "accepted"),
        ("consent", "allowed"),
        ("token", "authorization_code answered"),
        ("call", "let in"),
        ("call", "refused: This sign-in does not allow that."),
    }
    traced = repr(list(world.attempts.latest()))
    assert client_id in traced
    assert world.key not in traced
    assert CHALLENGE not in traced
    assert not [text for text in tokens.values() if str(text).rpartition("_")[2] in traced and "_" in str(text)]


def test_01_a_token_that_is_refused_for_its_audience_shows_so(world: World) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    code = world.allow(world.ask(client_id, CALLBACK, resource=f"{world.origin}/mcp/time"))["code"]
    tokens = world.redeem(client_id, CALLBACK, code).json()
    assert world.call(tokens["access_token"], "/mcp").status_code == 401
    (trace,) = world.attempts.of_tenant("acme")
    assert f"refused: the token is for {world.origin}/mcp/time" in {step.outcome for step in trace.steps}


@pytest.mark.parametrize("path", ["", "/mcp", "/mcp/", "/mcp/time"])
def test_02_metadata_is_at_the_root_and_with_the_path(public: World, path: str) -> None:
    answer = public.send("GET", PRM + path)
    assert answer.json()["resource"] == public.origin + (path.rstrip("/") or "/mcp")
    assert answer.headers["access-control-allow-origin"] == "*"
    server = public.send("GET", ASM).json()
    assert server["issuer"] == public.origin
    ends = ("authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint")
    assert [server[end] for end in ends] == [
        public.origin + end for end in ("/authorize", "/token", "/register", "/revoke")
    ]


def test_03_both_spellings_of_the_endpoint_answer(world: World) -> None:
    _, tokens = world.sign_in()
    assert world.tools(tokens["access_token"], "/mcp") == world.tools(tokens["access_token"], "/mcp/")


def test_04_a_token_is_good_for_its_own_host_only(world: World, public: World) -> None:
    _, tokens = world.sign_in()
    assert world.tools(tokens["access_token"], "/mcp/time")
    assert public.call(tokens["access_token"]).status_code == 401
    elsewhere = world.call(tokens["access_token"], "http://localhost:8787/mcp")
    assert elsewhere.status_code == 401
    client_id = world.register(CALLBACK)["client_id"]
    code = world.allow(world.ask(client_id, CALLBACK, resource=world.origin))["code"]
    assert world.redeem(client_id, CALLBACK, code, resource=f"{world.origin}/mcp").status_code == 200


def test_05_two_refreshes_give_the_same_successor_and_late_ones_end_the_family(world: World) -> None:
    client_id, tokens = world.sign_in()
    refresh = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": tokens["refresh_token"]}
    first, second = world.token(**refresh).json(), world.token(**refresh).json()
    assert (first["access_token"], first["refresh_token"]) == (second["access_token"], second["refresh_token"])
    world.clock.instant += timedelta(minutes=6)
    assert world.token(**refresh).json()["error"] == "invalid_grant"
    assert world.call(first["access_token"]).status_code == 401


def test_06_an_address_on_loopback_may_use_any_port(world: World) -> None:
    client_id = world.register("http://127.0.0.1:1/callback")["client_id"]
    assert world.ask(client_id, "http://127.0.0.1:65535/callback").status_code == 200
    for uri in ("http://localhost:1/callback", "http://127.0.0.1.evil.com/callback", "http://127.0.0.1:1/other"):
        refused = world.ask(client_id, uri)
        assert refused.status_code == 400
        assert "location" not in refused.headers


def test_07_a_document_is_read_once_and_must_list_the_address(world: World) -> None:
    world.publish(DOCUMENT, HOSTED)
    assert world.ask(DOCUMENT, HOSTED).status_code == 200
    assert world.ask(DOCUMENT, CALLBACK).status_code == 400
    assert world.fetched == [DOCUMENT]


@pytest.mark.parametrize("method", ["none", "client_secret_post", "client_secret_basic"])
def test_08_every_way_to_authenticate_works(world: World, method: str) -> None:
    made = world.register(CALLBACK, token_endpoint_auth_method=method)
    code = world.allow(world.ask(made["client_id"], CALLBACK))["code"]
    more: dict[str, Any] = {}
    if method == "client_secret_post":
        more["client_secret"] = made["client_secret"]
    if method == "client_secret_basic":
        pair = f"{made['client_id']}:{made['client_secret']}".encode()
        more["headers"] = {"authorization": f"Basic {b64encode(pair).decode()}"}
    assert world.redeem(made["client_id"], CALLBACK, code, **more).status_code == 200


def test_09_an_unknown_client_is_told_to_register_again(world: World) -> None:
    answer = world.redeem("alc-gone", CALLBACK, "a" * 52)
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")
    wrong = world.register(CALLBACK, token_endpoint_auth_method="client_secret_post")
    answer = world.redeem(wrong["client_id"], CALLBACK, "a" * 52, client_secret="wrong")
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


def test_10_a_challenge_leads_to_the_metadata(public: World) -> None:
    for path in ("/mcp", "/mcp/time"):
        challenge = public.call(path=path).headers["www-authenticate"]
        assert challenge == f'Bearer realm="almanac", resource_metadata="{public.origin}{PRM}{path}", scope="almanac"'


@pytest.mark.parametrize(
    "path",
    [
        *(WELL_KNOWN + "openid-configuration", WELL_KNOWN + "openid-configuration/mcp", ASM + "/mcp", PRM + "/other"),
        *("/mcp/.well-known/openid-configuration", WELL_KNOWN + "x", PRM + "/mcp/nothing", ASM + "/"),
    ],
)
def test_11_other_metadata_is_a_404_in_json(world: World, path: str) -> None:
    answer = world.send("GET", path)
    assert (answer.status_code, answer.headers["content-type"]) == (
        (200 if path == ASM + "/" else 404),
        "application/json",
    )


def test_12_no_code_without_a_key(world: World) -> None:
    page = world.ask(world.register(CALLBACK)["client_id"], CALLBACK)
    for fields in ({"decision": "allow", "project": "web"}, {"key": ""}, {"key": "alm_nobody_" + "x" * 40}):
        answer = world.submit(page, **fields)
        assert answer.status_code in (400, 401)
        assert "location" not in answer.headers
    _, tokens = world.sign_in()
    assert world.submit(page, key=tokens["access_token"]).status_code == 400


def test_13_both_redirects_name_the_issuer(world: World) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    assert world.allow(world.ask(client_id, CALLBACK))["iss"] == world.origin
    denied = redirect_parameters(
        world.submit(world.submit(world.ask(client_id, CALLBACK), key=world.key), decision="deny")
    )
    assert (denied["error"], denied["iss"], denied["state"]) == ("access_denied", world.origin, "a state")
    refused = redirect_parameters(world.ask(client_id, CALLBACK, response_type="token"))
    assert (refused["error"], refused["iss"]) == ("unsupported_response_type", world.origin)


@pytest.mark.parametrize("method", ["initialize", "server/discover", "tools/list", "tools/call"])
def test_14_the_challenge_comes_before_any_work(world: World, method: str) -> None:
    for token in ("", "alt_" + "a" * 26 + "_" + "a" * 52, "rubbish"):
        answer = world.call(token, method=method)
        assert answer.status_code == 401
        assert "resource_metadata" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("kind", [None, "web", "native"])
@pytest.mark.parametrize(
    "uri", ["http://localhost:1/cb", "http://127.0.0.1:1/cb", "cursor://x/cb", "https://a.example.com/cb"]
)
def test_15_native_addresses_are_registered_whatever_the_kind(world: World, uri: str, kind: str | None) -> None:
    more = {} if kind is None else {"application_type": kind}
    assert world.register(uri, **more)["client_id"]
    refused = world.send("POST", "/register", json={"redirect_uris": ["http://evil.example.com/cb"], **more})
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_redirect_uri")


def test_16_two_registrations_at_once_are_two_clients(world: World) -> None:
    one, two = world.register(CALLBACK), world.register(CALLBACK)
    assert one["client_id"] != two["client_id"]
    assert one["client_id_issued_at"] == int(world.clock.instant.timestamp())
    assert (one["redirect_uris"], one["token_endpoint_auth_method"]) == ([CALLBACK], "none")
    for made in (one, two):
        code = world.allow(world.ask(made["client_id"], CALLBACK))["code"]
        assert world.redeem(made["client_id"], CALLBACK, code).status_code == 200


def test_17_the_answer_always_says_how_to_authenticate(world: World) -> None:
    assert world.register(CALLBACK)["token_endpoint_auth_method"] == "none"
    web = world.register(HOSTED)
    assert (web["token_endpoint_auth_method"], web["client_secret_expires_at"]) == ("client_secret_basic", 0)
    assert world.register(HOSTED, token_endpoint_auth_method="client_secret_post")["client_secret"]


def test_18_public_clients_come_first(world: World) -> None:
    server = world.send("GET", ASM).json()
    assert server["token_endpoint_auth_methods_supported"] == ["none", "client_secret_post", "client_secret_basic"]
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["authorization_response_iss_parameter_supported"] is True


def test_19_offline_access_is_listed_by_the_server_only(world: World) -> None:
    assert "offline_access" in world.send("GET", ASM).json()["scopes_supported"]
    assert "offline_access" not in world.send("GET", PRM).json()["scopes_supported"]
    assert "offline_access" not in world.call().headers["www-authenticate"]


@pytest.mark.parametrize(
    ("scope", "granted"),
    [
        (None, "almanac"),
        ("", "almanac"),
        ("*", "almanac"),
        ("nonsense offline_access", "almanac"),
        ("time:read", "time:read"),
    ],
)
def test_20_unknown_scopes_are_dropped(world: World, scope: str | None, granted: str) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    code = world.allow(world.ask(client_id, CALLBACK, scope=scope))["code"]
    assert world.redeem(client_id, CALLBACK, code).json()["scope"] == granted


@pytest.mark.parametrize("state", ["x" * 2048, "https://vscode.dev/?a=b&c=%7B%22%7D+ ü#", "", None])
def test_21_the_state_comes_back_as_it_was(world: World, state: str | None) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    answer = world.allow(world.ask(client_id, CALLBACK, state=state))
    assert answer.get("state") == state
    assert set(answer) == {"code", "iss"} | ({"state"} if state is not None else set())


def test_22_the_answer_of_the_token_endpoint(world: World) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    answer = world.redeem(client_id, CALLBACK, world.allow(world.ask(client_id, CALLBACK))["code"])
    assert (answer.headers["cache-control"], answer.headers["content-type"]) == ("no-store", "application/json")
    assert answer.headers["access-control-allow-origin"] == "*"
    body = answer.json()
    assert (body["token_type"], body["expires_in"]) == ("Bearer", 3600)
    assert set(body) == {"access_token", "token_type", "expires_in", "refresh_token", "scope"}


@pytest.mark.parametrize(
    "form",
    [
        {"grant_type": "authorization_code", "code": "x", "code_verifier": "y", "redirect_uri": CALLBACK},
        {"grant_type": "authorization_code"},
        {"grant_type": "refresh_token", "refresh_token": "x"},
        {"grant_type": "password"},
        {},
    ],
)
def test_23_errors_are_400_in_json(world: World, form: dict[str, str]) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    answer = world.token(client_id=client_id, **form)
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/json")
    assert answer.json()["error"] in {"invalid_grant", "invalid_request", "unsupported_grant_type"}


def test_24_a_document_is_served_stale_and_without_one_there_is_a_page(world: World) -> None:
    world.publish(DOCUMENT, CALLBACK)
    assert world.ask(DOCUMENT, CALLBACK).status_code == 200
    world.documents[DOCUMENT] = None
    world.clock.instant += timedelta(hours=20)
    assert world.ask(DOCUMENT, CALLBACK).status_code == 200
    down = world.ask("https://down.example.com/client.json", CALLBACK)
    assert (down.status_code, "location" in down.headers) == (503, False)
    assert "metadata document" in down.text


def test_25_a_client_without_a_document_registers(world: World) -> None:
    for reads in (True, False):
        served = authorization_server(world.origin, ("time",), reads_documents=reads)
        assert served["client_id_metadata_document_supported"] is reads
        assert served["registration_endpoint"]
    offline = Clients(world.store, world.clock, os.urandom, fetch=None)
    assert offline.find(DOCUMENT, lambda: None) is None
    answer = world.ask("https://down.example.com/client.json", CALLBACK)
    assert answer.status_code == 503
    _, tokens = world.sign_in()
    assert world.tools(tokens["access_token"])


def test_26_another_public_url_is_another_issuer(world: World, public: World) -> None:
    client_id, tokens = world.sign_in()
    assert public.call(tokens["access_token"]).status_code == 401
    assert (
        public.token(client_id=client_id, grant_type="refresh_token", refresh_token=tokens["refresh_token"]).status_code
        == 401
    )


def test_27_a_static_key_meets_no_challenge_unless_it_is_wrong(world: World) -> None:
    for header in ({"x-api-key": world.key}, {"authorization": f"Bearer {world.key}"}):
        right = world.call(**header, **{"x-almanac-project": "web"})
        assert (right.status_code, "www-authenticate" in right.headers) == (200, False)
    wrong = world.call("alm_nobody_" + "x" * 40)
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]
    narrow = world.issue(project="web", families=("team",))
    forbidden = world.call(narrow, "/mcp/time")
    assert (forbidden.status_code, "resource_metadata" in forbidden.headers["www-authenticate"]) == (403, False)


def test_28_the_end_of_the_key_ends_what_was_granted(world: World) -> None:
    client_id, tokens = world.sign_in()
    _, other = world.sign_in()
    ended = world.send("POST", "/revoke", data={"token": other["refresh_token"], "client_id": client_id})
    assert ended.status_code == 200
    assert world.tools(other["access_token"])  # it belongs to another client
    world.send("POST", "/revoke", data={"token": tokens["access_token"], "client_id": client_id})
    assert world.call(tokens["access_token"]).status_code == 401
    _, third = world.sign_in()
    listed = {grant.id for grant in world.grants.of_tenant("acme")}
    assert listed == {_grant_of(other), _grant_of(third)}
    world.grants.revoke(_grant_of(third))
    assert world.call(third["access_token"]).status_code == 401
    assert world.tools(other["access_token"])
    world.keys.revoke(world.key.split("_")[1])
    assert world.call(other["access_token"]).status_code == 401


def test_28_the_end_of_the_tenant_ends_what_was_granted(world: World) -> None:
    client_id, tokens = world.sign_in()
    assert world.tools(tokens["access_token"])
    world.store.write([Update(tenant_key("acme"), set={"deleting_at": 1})])
    assert world.call(tokens["access_token"]).status_code == 401
    consent = world.submit(world.ask(client_id, CALLBACK), key=world.key)
    assert "location" not in consent.headers


def _grant_of(tokens: dict[str, Any]) -> str:
    return tokens["access_token"].split("_")[1]


def test_29_unknown_parameters_are_ignored_and_doubled_ones_refused(world: World) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    assert world.ask(client_id, CALLBACK, prompt="login", login_hint="ann", nonce="x").status_code == 200
    doubled = world.visit(f"/authorize?{urlencode({'client_id': [client_id, client_id]}, doseq=True)}")
    assert (doubled.status_code, "location" in doubled.headers) == (400, False)
    code = world.allow(world.ask(client_id, CALLBACK))["code"]
    other = world.redeem(client_id, CALLBACK, code, resource=f"{world.origin}/mcp/time")
    assert other.json()["error"] == "invalid_target"
    foreign = redirect_parameters(world.ask(client_id, CALLBACK, resource="https://evil.example.com/mcp"))
    assert foreign["error"] == "invalid_target"
    twice = world.send(
        "POST",
        "/token",
        content=f"client_id={client_id}&client_id={client_id}&grant_type=refresh_token",
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    assert twice.json()["error"] == "invalid_request"


def test_30_the_same_resource_twice_is_one(world: World) -> None:
    client_id, target = world.register(CALLBACK)["client_id"], f"{world.origin}/mcp"
    code = world.allow(world.ask(client_id, CALLBACK, resource=[target, target]))["code"]
    assert world.redeem(client_id, CALLBACK, code, resource=[target, target]).status_code == 200


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", json.dumps({"redirect_uris": "x"}).encode(), b"[" * 2000])
def test_registrations_that_cannot_be_read(world: World, body: bytes) -> None:
    answer = world.send("POST", "/register", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"] in {"invalid_client_metadata", "invalid_redirect_uri"}
