"""Hostile requests: each is refused with a page or an error that says so, and goes nowhere."""

import json
from datetime import timedelta
from urllib.parse import urlencode

import httpx2
import pytest

from almanac.composition.sign_in import document_fetcher
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.identity.oauth.clients import FetchedDocument
from tests.integration.sign_in.world import CHALLENGE, Json, World, redirect_parameters, sealed_request
from tests.unit.composition.test_document_fetcher import ELSEWHERE
from tests.unit.identity.oauth.test_clients import NO_DOCUMENTS
from tests.unit.identity.oauth.test_redirects import HOSTILE, REGISTERED

CALLBACK = "http://127.0.0.1:4711/callback"
DOCUMENT = "https://client.example.com/oauth/client.json"


def is_refused(page: httpx2.Response, *statuses: int) -> bool:
    """Return whether the person reads a refusal and no other site learns of it."""
    return (
        page.status_code in (statuses or (400,))
        and "<h1>This sign-in cannot go on</h1>" in page.text
        and page.headers["content-type"] == "text/html; charset=utf-8"
        and "location" not in page.headers
        and "set-cookie" not in page.headers
        and "form-action 'self';" in page.headers["content-security-policy"]
        and CHALLENGE not in page.text
    )


def test_sixty_redirect_uris_are_refused_with_a_page(world: World) -> None:
    assert len(set(HOSTILE)) >= 60
    world.publish(DOCUMENT, *REGISTERED)
    registered = world.register(*REGISTERED)["client_id"]
    for client_id in (registered, DOCUMENT):
        for uri in HOSTILE:
            _next_minute(world)
            page = world.ask(client_id, uri)
            assert is_refused(page), (client_id, uri)
            assert "did not register" in page.text, uri
    assert not list(world.grants.of_tenant("acme"))


def test_forty_addresses_of_documents_are_refused_with_a_page(world: World) -> None:
    assert len(set(NO_DOCUMENTS)) + len(set(ELSEWHERE)) >= 40
    for url in NO_DOCUMENTS:
        _next_minute(world)
        page = world.ask(url, CALLBACK)
        assert is_refused(page), url
        assert "not known to this server" in page.text
    assert world.fetched == []
    for address in ELSEWHERE:
        _next_minute(world)
        world.fetch = document_fetcher(AddressBook(NetworkPolicy(), lambda host, port, at=address: [at]))
        page = world.ask(DOCUMENT, CALLBACK)
        assert is_refused(page, 503), address
        assert address not in page.text
        assert "cannot be read now" in page.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[" * 5000,
        b" " * 6000,
        b'{"client_id": "https://evil.example.com/c.json"}',
        json.dumps({"client_id": DOCUMENT, "redirect_uris": ["javascript:alert(1)"]}).encode(),
        json.dumps({"client_id": DOCUMENT, "redirect_uris": [CALLBACK], "client_secret": "s"}).encode(),
        json.dumps(
            {"client_id": DOCUMENT, "redirect_uris": [f"https://a{n}.example.com/" for n in range(21)]}
        ).encode(),
    ],
    ids=range(8),
)
def test_a_document_that_is_none_is_refused_with_a_page(world: World, body: bytes) -> None:
    world.fetch = lambda url: FetchedDocument(body)
    page = world.ask(DOCUMENT, CALLBACK)
    assert is_refused(page)
    assert "metadata document of this client cannot be used" in page.text


def test_names_and_addresses_of_programs_are_shown_as_text(world: World) -> None:
    script = '"><script>alert(1)</script>'
    client_id = world.register(CALLBACK, client_name=script)["client_id"]
    page = world.ask(client_id, CALLBACK, scope=script, state=script)
    consent = world.submit(page, key=world.key)
    for shown in (page, consent, world.ask(script, CALLBACK), world.ask(client_id, script)):
        assert "<script" not in shown.text


def test_what_a_stranger_writes_into_the_trace_can_be_seen(world: World) -> None:
    unseen = "a\x1b]0;b\x07\u202e\u200bc"
    client_id = world.register(CALLBACK)["client_id"]
    world.submit(world.ask(client_id, CALLBACK, scope=unseen), key=world.key)
    world.ask(unseen, unseen)
    world.redeem(unseen, CALLBACK, "x")
    steps = list(world.attempts.latest())
    assert "a·]0;b···c" in {step.scope for step in steps}
    assert {"a·]0;b···c"} <= {step.client_id for step in steps}
    assert all(
        text.isprintable() for step in steps for text in (step.client_id, step.redirect, step.scope, step.outcome)
    )


@pytest.mark.parametrize("what", ["query", "form", "refresh token", "another project", "hooks", "pages", "feed"])
def test_a_token_opens_nothing_but_the_tools_it_is_for(world: World, what: str) -> None:
    client_id, tokens = world.sign_in(family=["time"], access="read")
    bearer = {"authorization": f"Bearer {tokens['access_token']}"}
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    if what == "query":
        answer = world.send("POST", f"/mcp?access_token={tokens['access_token']}", json=listing)
    elif what == "form":
        answer = world.send("POST", "/mcp", data={"access_token": tokens["access_token"]})
    elif what == "refresh token":
        answer = world.call(tokens["refresh_token"])
    elif what == "another project":
        answer = world.call(tokens["access_token"], **{"x-almanac-project": "moon"})
    elif what == "hooks":
        answer = world.send("POST", "/hooks/claude-code", json={}, headers=bearer)
    elif what == "pages":
        answer = world.submit(world.ask(client_id, CALLBACK), key=tokens["access_token"])
    else:
        answer = world.send("GET", "/feed", headers=bearer)
    assert answer.status_code in (400, 401, 403, 404)
    assert world.grants.find(tokens["access_token"].split("_")[1]) is not None


@pytest.mark.parametrize(
    "wished",
    [
        {"family": ["team"]},
        {"family": []},
        {"project": "moon"},
        {"project": ["web", "moon"]},
        {"lifetime": "forever"},
        {"decision": ["deny", "allow"]},
        {"family": ["time", "team"], "access": "write", "key_id": "another", "tenant": "umbrella"},
    ],
    ids=str,
)
def test_a_form_gives_no_more_than_the_key_has(world: World, wished: Json) -> None:
    key = world.issue(project="web", readonly=True, families=("time",))
    page = world.ask(world.register(CALLBACK)["client_id"], CALLBACK, scope="almanac team:write")
    answer = world.submit(world.submit(page, key=key), **(ALLOWED | wished))
    if "location" not in answer.headers:
        assert answer.status_code == 400
        return
    client_id = dict(pair.split("=") for pair in str(page.url.query, "ascii").split("&"))["client_id"]
    tokens = world.redeem(client_id, CALLBACK, redirect_parameters(answer)["code"]).json()
    assert tokens["scope"] == "time:read"
    (grant,) = world.grants.of_tenant("acme")
    assert (grant.project, grant.families, grant.readonly, grant.key_id) == ("web", ("time",), True, key.split("_")[1])


@pytest.mark.parametrize("host", ["evil.example.com:8787", "evil.example.com", "127.0.0.1.evil.com:8787", ""])
@pytest.mark.parametrize(
    "path", ["/authorize", "/token", "/register", "/revoke", "/.well-known/oauth-authorization-server"]
)
def test_a_name_that_was_bound_to_this_machine_is_no_issuer(world: World, host: str, path: str) -> None:
    for method in ("GET", "POST"):
        answer = world.send(method, path, headers={"host": host})
        assert answer.status_code in (400, 404)
        assert "issuer" not in answer.text


def test_a_flood_of_refused_requests_does_not_crowd_out_the_trace_of_others(world: World) -> None:
    world.sign_in()
    for number in range(150):
        assert _error(world.redeem(f"alc-{number}", CALLBACK, "a" * 52)) == (401, "invalid_client")
    noted = [step.outcome for step in world.attempts.latest()]
    assert noted.count("invalid_client") == 60
    assert "authorization_code answered" in noted


class TestIssuersThatAreMixedUp:
    def test_each_answer_names_the_issuer_that_gave_it(self, world: World, public: World) -> None:
        answers: list[str] = []
        for at in (world, public):
            client_id = at.register(CALLBACK)["client_id"]
            answers += [
                at.allow(at.ask(client_id, CALLBACK))["iss"],
                redirect_parameters(at.ask(client_id, CALLBACK, scope="x" * 9, response_type="token"))["iss"],
            ]
        assert answers == [world.origin] * 2 + [public.origin] * 2

    def test_a_code_of_one_is_worth_nothing_at_the_other(self, world: World, public: World) -> None:
        mine, theirs = world.register(CALLBACK)["client_id"], public.register(CALLBACK)["client_id"]
        code = world.allow(world.ask(mine, CALLBACK))["code"]
        assert _error(public.redeem(theirs, CALLBACK, code)) == (400, "invalid_grant")
        assert _error(public.redeem(mine, CALLBACK, code)) == (401, "invalid_client")
        assert world.redeem(mine, CALLBACK, code).status_code == 200

    def test_a_code_is_for_the_resource_that_a_person_was_shown(self, world: World) -> None:
        client_id = world.register(CALLBACK)["client_id"]
        for other in ("http://localhost:8787/mcp", "https://mcp.example.com/mcp", f"{world.origin}/mcp/time", "", "x"):
            code = world.allow(world.ask(client_id, CALLBACK))["code"]
            assert _error(world.redeem(client_id, CALLBACK, code, resource=other)) == (400, "invalid_target"), other

    def test_a_token_of_one_opens_nothing_at_the_other(self, world: World, public: World) -> None:
        client_id, tokens = world.sign_in()
        assert public.call(tokens["access_token"]).status_code == 401
        assert world.call(tokens["access_token"], "http://localhost:8787/mcp").status_code == 401
        for kind in ("access_token", "refresh_token"):
            ended = public.send("POST", "/revoke", data={"token": tokens[kind], "client_id": client_id})
            assert ended.status_code == 401
        assert world.tools(tokens["access_token"])


class TestStolenCodes:
    def test_who_has_the_code_alone_gets_nothing_and_learns_nothing(self, world: World) -> None:
        client_id, thief = world.register(CALLBACK)["client_id"], world.register(CALLBACK)["client_id"]
        code = world.allow(world.ask(client_id, CALLBACK))["code"]
        attempts: list[tuple[str, str, Json]] = [
            (thief, CALLBACK, {}),
            (client_id, CALLBACK, {"code_verifier": "x" * 43}),
            (client_id, CALLBACK, {"code_verifier": CHALLENGE}),
            (client_id, CALLBACK, {"code_verifier": "short"}),
            (client_id, "http://127.0.0.1:9999/callback", {}),
            (client_id, f"{CALLBACK}/", {}),
            (client_id, "", {}),
        ]
        refusals = [world.redeem(who, uri, code, **more) for who, uri, more in attempts]
        assert {(*_error(one), one.json()["error_description"]) for one in refusals} == {
            (400, "invalid_grant", "The code or the token is not valid for this request.")
        }
        assert world.redeem(client_id, CALLBACK, code).status_code == 200, "the program is none the worse"
        (trace,) = world.attempts.of_tenant("acme")
        assert "authorization_code answered" in {step.outcome for step in trace.steps}
        traced = [step for step in trace.steps if step.step == "token"]
        assert {step.outcome for step in traced} >= {
            "the code_verifier does not match the code_challenge",
            "the redirect_uri differs from the authorized one",
        }

    def test_a_code_that_was_used_ends_what_was_made_of_it_whoever_sends_it(self, world: World) -> None:
        client_id = world.register(CALLBACK)["client_id"]
        code = world.allow(world.ask(client_id, CALLBACK))["code"]
        tokens = world.redeem(client_id, CALLBACK, code).json()
        thief = world.register(CALLBACK)["client_id"]
        assert _error(world.redeem(thief, CALLBACK, code, code_verifier="x" * 43)) == (400, "invalid_grant")
        assert world.call(tokens["access_token"]).status_code == 401

    def test_a_code_lives_for_a_minute(self, world: World) -> None:
        client_id = world.register(CALLBACK)["client_id"]
        code = world.allow(world.ask(client_id, CALLBACK))["code"]
        world.clock.instant += timedelta(seconds=60)
        assert _error(world.redeem(client_id, CALLBACK, code)) == (400, "invalid_grant")

    @pytest.mark.parametrize(
        "more",
        [
            {"code_challenge": None},
            {"code_challenge": "short"},
            {"code_challenge": "x" * 44},
            {"code_challenge_method": None},
            {"code_challenge_method": "plain"},
            {"code_challenge_method": "s256"},
            {"code_challenge": [CHALLENGE, CHALLENGE]},
        ],
    )
    def test_no_code_is_given_without_a_proof_to_come(self, world: World, more: Json) -> None:
        client_id = world.register(CALLBACK)["client_id"]
        assert redirect_parameters(world.ask(client_id, CALLBACK, **more))["error"] == "invalid_request"


class TestReplayedPages:
    @pytest.fixture
    def client_id(self, world: World) -> str:
        return world.register(CALLBACK)["client_id"]

    def test_a_form_that_is_sent_twice_gives_one_code_which_is_used_once(self, world: World, client_id: str) -> None:
        consent = world.submit(world.ask(client_id, CALLBACK), key=world.key)
        first, second = (redirect_parameters(world.submit(consent, **ALLOWED)) for _ in range(2))
        assert first == second
        tokens = world.redeem(client_id, CALLBACK, first["code"]).json()
        again = world.submit(consent, **ALLOWED)
        assert is_refused(again)
        assert "This page was used before." in again.text
        assert world.tools(tokens["access_token"]), "a page that is sent again ends nothing"

    def test_another_browser_cannot_use_a_page(self, world: World, client_id: str) -> None:
        for page in (world.ask(client_id, CALLBACK), world.submit(world.ask(client_id, CALLBACK), key=world.key)):
            for cookie in ("", "almanac_sign_in=" + "0" * 32, "__Host-almanac_sign_in=" + "a" * 32, "x=y"):
                sealed = urlencode({"request": sealed_request(page), "key": world.key, **ALLOWED})
                assert is_refused(_post(world, sealed, cookie=cookie))

    def test_a_page_is_good_for_ten_minutes(self, world: World, client_id: str) -> None:
        page = world.ask(client_id, CALLBACK)
        world.clock.instant += timedelta(minutes=10)
        assert is_refused(world.submit(page, key=world.key))

    def test_a_page_that_was_changed_is_refused(self, world: World, client_id: str) -> None:
        consent = world.submit(world.ask(client_id, CALLBACK), key=world.key)
        sealed = sealed_request(consent)
        for at in range(0, len(sealed), 7):
            changed = sealed[:at] + ("A" if sealed[at] != "A" else "B") + sealed[at + 1 :]
            if changed.rstrip("ABCD") == sealed.rstrip("ABCD"):
                continue  # the last character of base64 has bits that say nothing
            assert is_refused(world.submit(_page(changed), **ALLOWED)), at
        for other in ("", ".", "x.y", sealed.partition(".")[0], f"{sealed}.{sealed}", "A" * 70_000):
            assert world.submit(_page(other), **ALLOWED).status_code in (400, 413), other[:50]

    def test_no_other_site_can_send_the_form(self, world: World, client_id: str) -> None:
        consent = world.submit(world.ask(client_id, CALLBACK), key=world.key)
        form = urlencode({"request": sealed_request(consent), **ALLOWED})
        for origin in ("https://evil.example.com", "http://127.0.0.1:9999", "http://localhost:8787"):
            refused = _post(world, form, origin=origin)
            assert is_refused(refused)
            assert "another site" in refused.text

    def test_the_pages_cannot_be_framed_or_lead_elsewhere(self, world: World, client_id: str) -> None:
        page = world.ask(client_id, CALLBACK)
        for shown in (page, world.submit(page, key=world.key), world.submit(page, key="alm_x")):
            policy = shown.headers["content-security-policy"]
            assert "frame-ancestors 'none'" in policy
            assert f"form-action 'self' {CALLBACK.removesuffix('/callback')};" in policy
            assert "script-src" not in policy
            assert "default-src 'none'" in policy
            assert (shown.headers["x-frame-options"], shown.headers["referrer-policy"]) == ("DENY", "no-referrer")
            assert "access-control-allow-origin" not in shown.headers

    def test_the_cookie_of_a_public_server_is_bound_to_its_host(self, public: World) -> None:
        set_by = public.ask(public.register(CALLBACK)["client_id"], CALLBACK).headers["set-cookie"]
        assert set_by.startswith("__Host-")
        assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= {*set_by.split("; ")}


ALLOWED: Json = {"decision": "allow", "project": "web", "family": "time", "access": "read", "lifetime": "day"}


def _page(sealed: str) -> httpx2.Response:
    """A page with this in its form."""
    return httpx2.Response(200, text=f'name="request" value="{sealed}"')


def _post(world: World, form: str, **headers: str) -> httpx2.Response:
    sent = {"content-type": "application/x-www-form-urlencoded", "origin": world.origin} | headers
    return world.plain("POST", f"{world.origin}/authorize", sent, form)


def _next_minute(world: World) -> None:
    """So that no limit of requests is met."""
    world.clock.instant += timedelta(seconds=3)


def _error(answer: httpx2.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/json"
    return answer.status_code, answer.json()["error"]
