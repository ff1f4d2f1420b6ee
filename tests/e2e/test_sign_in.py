"""Signing in: a program by OAuth, as the official client does it, and a person to the dashboard."""

import json
import os
import re
from collections.abc import Mapping
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect as listen
from websockets.typing import Origin

from almanac.identity.oauth.clients import Clients, FetchedDocument
from almanac.kernel.clock import SystemClock
from tests.e2e.target import SECONDS, TENANT, Target, eventually
from tests.integration.sign_in.programs import PROGRAMS, Program
from tests.integration.sign_in.sign_in_flow import Server, connect
from tests.integration.sign_in.world import Storage

CALLBACK = "http://127.0.0.1:4711/callback"
_HIDDEN = re.compile(r'name="request" value="([^"]*)"')


def test_a_program_signs_in_renews_its_tokens_and_is_shut_out_again(issuing_target: Target):
    storage = Storage()
    assert anyio.run(_tools, issuing_target, storage) == issuing_target.list_tools("/time")
    assert storage.tokens is not None
    assert storage.tokens.refresh_token is not None
    assert storage.client is not None
    token = storage.tokens.access_token
    bearer = {"authorization": f"Bearer {token}"}
    # The grant reads in one family only.
    assert issuing_target.post(path="/calendar", key="", headers=bearer).status_code in (401, 403)
    form = {"client_id": storage.client.client_id, "refresh_token": storage.tokens.refresh_token}
    renewed = anyio.run(_post, issuing_target, "/token", form | {"grant_type": "refresh_token"})
    assert renewed.status_code == 200, renewed.text
    assert renewed.headers["cache-control"] == "no-store"
    fresh = renewed.json()["access_token"]
    assert issuing_target.post(path="/time", key="", headers={"authorization": f"Bearer {fresh}"}).status_code == 200
    assert issuing_target.command_line is not None
    listed = issuing_target.command_line("keys", "grants", "--tenant", TENANT)
    assert token.split("_")[1] in listed
    assert token.split("_")[2] not in listed
    ended = anyio.run(_post, issuing_target, "/revoke", {"client_id": storage.client.client_id, "token": fresh})
    assert ended.status_code == 200
    again = anyio.run(_post, issuing_target, "/token", form | {"grant_type": "refresh_token"})
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


async def _tools(at: Target, storage: Storage) -> list[str]:
    """The tools that the official client lists after a whole sign-in."""
    url, shown = f"{at.origin}/mcp", list[str]()

    async def go_to(page: str) -> None:
        shown.append(page)

    async def come_back() -> AuthorizationCodeResult:
        answer = await _person(at, shown[-1])
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    metadata = OAuthClientMetadata(client_name="The SDK", redirect_uris=[CALLBACK])  # pyright: ignore[reportArgumentType]
    provider = OAuthClientProvider(url, metadata, storage, go_to, come_back)
    async with (
        httpx2.AsyncClient(transport=at.transport(), auth=provider, timeout=SECONDS) as http,
        Client(streamable_http_client(url, http_client=http), mode="auto") as client,
    ):
        return [tool.name for tool in (await client.list_tools()).tools]


async def _person(at: Target, url: str) -> dict[str, str]:
    """What the program is answered once a person has shown a key and allowed it to read the time."""
    async with httpx2.AsyncClient(transport=at.transport(), timeout=SECONDS) as browser:
        page = await browser.get(url)
        assert page.status_code == 200, page.text
        headers = {"cookie": page.headers["set-cookie"].partition(";")[0], "origin": at.origin}
        consent = await browser.post(
            f"{at.origin}/authorize", data={"request": _sealed_request(page), "key": at.key}, headers=headers
        )
        assert consent.status_code == 200, consent.text
        chosen = {"decision": "allow", "project": "default", "family": ["time"], "access": "read", "lifetime": "day"}
        answer = await browser.post(
            f"{at.origin}/authorize", data={"request": _sealed_request(consent), **chosen}, headers=headers
        )
    assert answer.status_code == 303, answer.text
    query = parse_qs(urlsplit(answer.headers["location"]).query)
    return {name: values[0] for name, values in query.items()}


def _sealed_request(page: httpx2.Response) -> str:
    found = _HIDDEN.search(page.text)
    assert found, page.text
    return unescape(found[1])


async def _post(at: Target, path: str, form: dict[str, Any]) -> httpx2.Response:
    async with httpx2.AsyncClient(transport=at.transport(), timeout=SECONDS) as http:
        return await http.post(at.origin + path, data=form)


MAKERS = ("claude.ai", "Claude Code", "ChatGPT", "Codex", "VS Code", "Copilot CLI", "Cursor", "opencode", "Gemini CLI")
OTHER_WAYS = [program for program in PROGRAMS if program.name not in (*MAKERS, "Inspector")]


@pytest.mark.parametrize(
    "program",
    [
        *(program for program in PROGRAMS if program not in OTHER_WAYS),
        *(pytest.param(program, marks=pytest.mark.soak) for program in OTHER_WAYS),
    ],
    ids=lambda program: program.name,
)
def test_each_program_signs_in_with_what_it_sends(issuing_target: Target, all_tools: list[str], program: Program):
    connected = connect(program, _server(issuing_target))
    assert [*connected.tools] == [*connected.renewed] == all_tools


@pytest.mark.parametrize("how", ["the grant", "the key"])
def test_what_is_revoked_ends_within_half_a_minute(issuing_target: Target, how: str):
    assert issuing_target.command_line is not None
    key = issuing_target.issue("--project", "default")
    (claude,) = [program for program in PROGRAMS if program.name == "claude.ai"]
    tokens = connect(claude, _server(issuing_target, key)).tokens
    bearer = {"authorization": f"Bearer {tokens['access_token']}"}
    rows = json.loads(issuing_target.command_line("keys", "grants", "--tenant", TENANT, "--json"))
    (row,) = [row for row in rows if row["id"] == tokens["access_token"].split("_")[1]]
    assert (row["client"], row["key"]) == ("claude.ai", key.split("_")[1])
    assert row["used"]
    if how == "the grant":
        issuing_target.command_line("keys", "revoke-grant", row["id"])
    else:
        issuing_target.command_line("keys", "revoke", row["key"])
    form = {"client_id": claude.document, "refresh_token": tokens["refresh_token"], "grant_type": "refresh_token"}
    refused = anyio.run(_post, issuing_target, "/token", form)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    eventually(
        lambda: issuing_target.post(path="/time", key="", headers=bearer).status_code == 401, seconds=35, every=2
    )
    steps = issuing_target.command_line("keys", "sign-ins", "--json")
    assert "authorization_code answered" in steps
    secrets = [text.rpartition("_")[2] for text in (key, tokens["access_token"], tokens["refresh_token"])]
    assert not [secret for secret in secrets if secret in steps]


@pytest.fixture(scope="module")
def all_tools(at: Target) -> list[str]:
    """The tools of a key without bounds."""
    return at.list_tools()


def _server(at: Target, key: str = "") -> Server:
    """The target as programs reach it. Their documents are in its store as if they had been read from their hosts."""
    assert at.command_line is not None
    assert at.open_store is not None
    command_line, store = at.command_line, at.open_store()

    def send(method: str, url: str, headers: Mapping[str, str], content: str = "") -> httpx2.Response:
        async def send_request() -> httpx2.Response:
            async with httpx2.AsyncClient(transport=at.transport(), timeout=SECONDS) as http:
                return await http.request(method, url, headers=headers, content=content)

        return anyio.run(send_request)

    def publish(url: str, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        Clients(store, SystemClock(), os.urandom, lambda url: FetchedDocument(body)).find(url, lambda: None)

    def type_in(name: str, uri: str, has_secret: bool) -> tuple[str, str | None]:
        more = ["--secret"] if has_secret else []
        made = json.loads(command_line("keys", "add-client", name, "--redirect-uri", uri, "--json", *more))
        return made["client_id"], made.get("client_secret")

    return Server(mcp=f"{at.origin}/mcp", key=key or at.key, send=send, publish=publish, type_in=type_in)


def test_a_person_signs_in_to_the_dashboard_with_a_key_and_reads_pages(issuing_target: Target):
    anyio.run(_look_around, issuing_target)


async def _look_around(at: Target) -> None:
    own = {"origin": at.origin, "sec-fetch-site": "same-origin"}
    async with httpx2.AsyncClient(transport=at.transport(), base_url=at.origin, timeout=SECONDS) as browser:
        form = await browser.get("/ui")
        assert 'name="key" type="password"' in form.text
        shown = {"key": at.key, "project": "default", "next": "/ui/board"}
        foreign = await browser.post("/ui/login", data=shown, headers=own | {"sec-fetch-site": "cross-site"})
        assert foreign.status_code == 403
        signed = await browser.post("/ui/login", data=shown, headers=own)
        assert (signed.status_code, signed.headers["location"]) == (303, "/ui/board"), signed.text
        for path, title in (("/ui/board", "Board"), ("/ui/", "Today"), ("/ui/memory", "Memory")):
            page = await browser.get(path)
            assert page.status_code == 200
            assert f"<h1>{title}</h1>" in page.text
            assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        (style,) = set(re.findall(r'href="(/ui/static/[0-9a-f]+/almanac.css)"', page.text))
        assert (await browser.get(style)).headers["content-type"] == "text/css; charset=utf-8"
        made = _fields(page.text, "/ui/logout")
        assert (await browser.post("/ui/logout", data=made, headers=own)).status_code == 303
        assert 'name="key" type="password"' in (await browser.get("/ui/board")).text


def _fields(page: str, action: str) -> dict[str, str]:
    """The hidden fields of the form that is sent there."""
    inside = page.partition(f'action="{action}"')[2].partition("</form>")[0]
    return dict(re.findall(r'<input type="hidden" name="([a-z]+)" value="([^"]*)"', inside))


def test_a_page_of_the_dashboard_on_aws_is_told_of_changes_once_by_ticket(issuing_target: Target):
    if issuing_target.stack is None or issuing_target.feed_url is None:
        pytest.skip("a laptop tells pages by a stream")
    at, feed = issuing_target, issuing_target.feed_url

    async def ticket() -> str:
        own = {"origin": at.origin, "sec-fetch-site": "same-origin"}
        async with httpx2.AsyncClient(transport=at.transport(), base_url=at.origin, timeout=SECONDS) as browser:
            await browser.post("/ui/login", data={"key": at.key, "project": "default"}, headers=own)
            page = await browser.get("/ui/team")
            assert 'data-live="wss://' in page.text
            assert re.search(r"connect-src 'self' wss://[^ ;/]+;", page.headers["content-security-policy"])
            (token,) = set(re.findall(r'name="token" value="([0-9a-f]+)"', page.text))
            answer = await browser.post("/ui/ticket", data={"token": token}, headers=own)
            assert answer.status_code == 200, answer.text
            return answer.text

    given = anyio.run(ticket)
    with listen(feed, origin=Origin(at.origin), open_timeout=SECONDS) as socket:
        socket.send(json.dumps({"type": "follow", "ticket": given}))
        assert json.loads(socket.recv(timeout=SECONDS)) == {"type": "following"}
        at.ask("set_broadcast", "/team", key=f"page-{given[:6]}", value=1)
        assert json.loads(socket.recv(timeout=SECONDS)) == {"type": "changed"}
    with listen(feed, origin=Origin(at.origin), open_timeout=SECONDS) as socket:
        socket.send(json.dumps({"type": "follow", "ticket": given}))
        assert json.loads(socket.recv(timeout=SECONDS))["code"] == "unauthorized"
    with pytest.raises(InvalidStatus), listen(feed, origin=Origin("https://evil.example"), open_timeout=SECONDS):
        pass
