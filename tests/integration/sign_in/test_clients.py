"""Clients as they are: the official SDK's, and the requests that ten programs send."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

from tests.integration.sign_in.programs import PROGRAMS, Program
from tests.integration.sign_in.sign_in_flow import Server, connect, list_tools
from tests.integration.sign_in.world import CHALLENGE, Json, Storage, World, redirect_parameters, sealed_request

CALLBACK = "http://127.0.0.1:4711/callback"
DOCUMENT = "https://client.example.com/oauth/client.json"


async def list_tools_signed_in(world: World, storage: Storage, document: str | None, path: str = "/mcp") -> list[str]:
    """The tools that the official client lists after a whole sign-in."""
    person: dict[str, Any] = {}

    async def go_to(url: str) -> None:
        person["url"] = url

    async def come_back() -> AuthorizationCodeResult:
        answer = await _person(world, person["url"])
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    metadata = OAuthClientMetadata(client_name="The SDK", redirect_uris=[CALLBACK])  # pyright: ignore[reportArgumentType]
    provider = OAuthClientProvider(world.origin + path, metadata, storage, go_to, come_back, document)
    async with (
        world.http(auth=provider) as http,
        Client(streamable_http_client(world.origin + path, http_client=http), mode="auto") as client,
    ):
        return [tool.name for tool in (await client.list_tools()).tools]


async def _person(world: World, url: str, **allowed: Any) -> dict[str, Any]:
    async with world.http() as browser:
        page = await browser.get(url)
        cookie = {"cookie": page.headers["set-cookie"].partition(";")[0]}

        consent = await browser.post(
            world.origin + "/authorize", data={"request": sealed_request(page), "key": world.key}, headers=cookie
        )
        chosen = {"decision": "allow", "project": "web", "family": ["time"], "access": "read", "lifetime": "day"}
        answer = await browser.post(
            world.origin + "/authorize", data={"request": sealed_request(consent), **chosen, **allowed}, headers=cookie
        )
    return redirect_parameters(answer)


@pytest.mark.parametrize("way", ["document", "registration", "typed"])
def test_the_official_client_signs_in(world: World, way: str) -> None:
    world.publish(DOCUMENT, CALLBACK)
    storage = Storage()
    if way == "typed":
        client, _ = world.clients.add("Typed", (CALLBACK,), with_secret=False)
        typed = {"client_id": client.id, "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
        storage = Storage(OAuthClientInformationFull.model_validate(typed))
    tools = world.run(list_tools_signed_in(world, storage, DOCUMENT if way == "document" else None))
    assert tools
    assert storage.client is not None
    assert (storage.client.client_id == DOCUMENT) == (way == "document")
    assert world.fetched == ([DOCUMENT] if way == "document" else [])
    steps = [step.step for step in world.attempts.latest()]
    assert {"authorize", "key", "consent", "token"} <= set(steps)


async def call_with_consents(
    world: World, tool: str, arguments: Json, allows: list[Json]
) -> tuple[list[str], list[str]]:
    """The tools that the official client lists before it calls `tool`, and the pages that a person was led to. Each
    time he allows the next of `allows`."""
    pages: list[str] = []

    async def go_to(url: str) -> None:
        pages.append(url)

    async def come_back() -> AuthorizationCodeResult:
        answer = await _person(world, pages[-1], **allows[len(pages) - 1])
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    metadata = OAuthClientMetadata(client_name="The SDK", redirect_uris=[CALLBACK])  # pyright: ignore[reportArgumentType]
    provider = OAuthClientProvider(f"{world.origin}/mcp", metadata, Storage(), go_to, come_back)
    async with (
        world.http(auth=provider) as http,
        Client(streamable_http_client(f"{world.origin}/mcp", http_client=http), mode="auto") as client,
    ):
        before = [one.name for one in (await client.list_tools()).tools]
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result
        return before, pages


@pytest.mark.parametrize(
    ("tool", "first", "then"),
    [
        ("list_claims", {"family": ["time"], "access": "read"}, {"family": ["time", "team"], "access": "read"}),
        ("send_message", {"family": ["time", "team"], "access": "read"}, {"family": ["team"], "access": "write"}),
    ],
)
def test_the_official_client_asks_for_more_when_a_tool_needs_it(
    world: World, tool: str, first: Json, then: Json
) -> None:
    arguments = {} if tool == "list_claims" else {"to": ["ben"], "subject": "Lunch", "body": "At noon."}
    seen: tuple[list[str], list[str]] = world.run(call_with_consents(world, tool, arguments, [first, then]))
    before, pages = seen
    assert tool not in before
    assert len(pages) == 2
    wished = parse_qs(urlsplit(pages[1]).query)["scope"][0].split()
    assert {"almanac", f"team:{then['access']}"} & {*wished}


def stateless(world: World, token: str, tool: str) -> Any:
    """The answer to a call of the stateless revision, whose headers name the tool."""
    meta = {"protocolVersion": "2026-07-28", "clientCapabilities": {}, "clientInfo": {"name": "p", "version": "1"}}
    params = {"name": tool, "arguments": {}, "_meta": {f"io.modelcontextprotocol/{k}": v for k, v in meta.items()}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool}
    headers |= {"accept": "application/json, text/event-stream", "authorization": f"Bearer {token}"}
    return world.send("POST", "/mcp", json=message, headers=headers)


@pytest.mark.parametrize(
    ("granted", "tool", "scope"),
    [
        ({"family": ["time"], "access": "read"}, "list_claims", "team:read time:read"),
        ({"family": ["time"], "access": "write"}, "list_claims", "team:write time:write"),
        ({"family": ["time"], "access": "read"}, "claim", "team:write time:write"),
        ({"family": ["time", "team"], "access": "read"}, "claim", "almanac"),
    ],
)
def test_a_challenge_for_more_names_all_that_the_grant_needs(
    world: World, granted: Json, tool: str, scope: str
) -> None:
    _, tokens = world.sign_in(**granted)
    refused = stateless(world, tokens["access_token"], tool)
    assert refused.status_code == 403
    metadata = f'resource_metadata="{world.origin}/.well-known/oauth-protected-resource/mcp"'
    expected = f'Bearer realm="almanac", error="insufficient_scope", scope="{scope}", {metadata}'
    assert refused.headers["www-authenticate"] == expected
    assert refused.json()["needed_scope"] == scope
    # A client of an older revision names the tool in the body only: it reads why.
    calling: Json = {"method": "tools/call", "params": {"name": tool, "arguments": {}}}
    older = world.message(tokens["access_token"], calling)
    assert older.status_code == 200
    assert "this API key" in older.json()["error"]["message"]


def test_a_family_that_was_not_granted_is_asked_for_at_its_own_address(world: World) -> None:
    _, tokens = world.sign_in(family=["time"], access="read")
    refused = world.call(tokens["access_token"], "/mcp/team")
    assert refused.status_code == 403
    assert 'scope="team:read time:read"' in refused.headers["www-authenticate"]


def test_a_key_is_never_asked_to_sign_in_for_more(world: World) -> None:
    key = world.issue(project="web", families=("time",), readonly=True)
    answer = stateless(world, key, "claim")
    assert "www-authenticate" not in answer.headers
    assert "may use only the families time" in answer.json()["error"]["message"]


def at(world: World) -> Server:
    """The world as programs reach it."""

    def publish(url: str, document: Json) -> None:
        world.documents[url] = document

    def type_in(name: str, uri: str, has_secret: bool) -> tuple[str, str | None]:
        client, secret = world.clients.add(name, (uri,), with_secret=has_secret)
        return client.id, secret

    return Server(
        mcp=f"{world.origin}/mcp", key=world.issue(project="web"), send=world.plain, publish=publish, type_in=type_in
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_a_program_signs_in_with_what_it_sends(public: World, program: Program) -> None:
    everything = public.tools(public.issue(project="web"))
    connected = connect(program, at(public))
    assert set(connected.tools) == set(connected.renewed) == everything
    assert public.fetched == ([] if program.document is None else [program.document])


def test_the_ten_programs_are_replayed() -> None:
    makers = ("claude.ai", "Claude Code", "ChatGPT", "Codex", "VS Code", "Copilot", "Cursor", "opencode", "Gemini")
    assert all(any(program.name.startswith(maker) for program in PROGRAMS) for maker in (*makers, "Inspector"))


def test_a_program_that_registers_each_time_it_connects_breaks_none_of_its_connections(public: World) -> None:
    (claude,) = [program for program in PROGRAMS if program.name == "claude.ai registers"]
    first, second = (connect(claude, at(public)) for _ in range(2))
    for tokens in (first.tokens, second.tokens):
        assert list_tools(at(public), tokens["access_token"], claude.revision) == first.tools


def test_the_redirect_is_the_clients_own(world: World) -> None:
    client_id = world.register("http://127.0.0.1/callback")["client_id"]
    page = world.ask(client_id, "http://127.0.0.1:5050/callback")
    consent = world.submit(page, key=world.key)
    answer = world.submit(consent, decision="allow", project="web", family=["time"], access="read", lifetime="day")
    parts = urlsplit(answer.headers["location"])
    assert (parts.scheme, parts.netloc, parts.path) == ("http", "127.0.0.1:5050", "/callback")
    assert set(parse_qs(parts.query)) == {"code", "state", "iss"}


def dashboard_session(world: World, looks_at: str = "moon", **terms: Any) -> str:
    """The cookie of a browser that signed in to the dashboard and looks at a project."""
    record = world.keys.find(world.issue(**terms).split("_")[1])
    assert record is not None
    return world.sessions.begin(record, looks_at)


def request_with_cookies(world: World, client_id: str, **cookies: str) -> Any:
    query = urlencode(
        {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        }
    )
    sent = "; ".join(f"{name}={value}" for name, value in cookies.items())
    return world.send("GET", f"/authorize?{query}", headers={"cookie": sent})


def test_a_session_of_the_dashboard_stands_for_its_key(world: World) -> None:
    session = dashboard_session(world)
    client_id = world.register(CALLBACK)["client_id"]
    page = request_with_cookies(world, client_id, almanac_local_8787=session)
    assert "Allow this program?" in page.text
    assert session.split("_")[1] in page.text
    assert page.text.index("<option>moon</option>") < page.text.index("<option>web</option>")
    fields = {"decision": "allow", "project": "moon", "family": ["time"], "access": "read", "lifetime": "day"}
    answer = world.submit(page, **fields)
    tokens = world.redeem(client_id, CALLBACK, redirect_parameters(answer)["code"]).json()
    assert world.tools(tokens["access_token"])
    (grant,) = world.grants.of_tenant("acme")
    assert (grant.key_id, grant.project, grant.readonly) == (session.split("_")[1], "moon", True)


def test_a_person_with_a_session_may_choose_another_key_or_deny(world: World) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    page = request_with_cookies(world, client_id, almanac_local_8787=dashboard_session(world))
    other = world.submit(page, decision="other")
    assert 'name="key" type="password"' in other.text
    assert world.key.split("_")[1] in world.submit(other, key=world.key).text
    assert redirect_parameters(world.submit(page, decision="deny"))["error"] == "access_denied"


@pytest.mark.parametrize("spoilt", ["revoked", "ended", "forged", "another port", "none"])
def test_a_session_that_does_not_hold_is_asked_for_a_key(world: World, spoilt: str) -> None:
    session = dashboard_session(world)
    client_id, name = world.register(CALLBACK)["client_id"], "almanac_local_8787"
    if spoilt == "revoked":
        world.keys.revoke(session.split("_")[1])
    elif spoilt == "ended":
        record = world.keys.find(session.split("_")[1])
        assert record is not None
        world.sessions.end(record, session.split("_")[2])
    elif spoilt == "forged":
        session = session[:-4] + ("aaaa" if not session.endswith("aaaa") else "bbbb")
    elif spoilt == "another port":
        name = "almanac_local_9999"
    else:
        session = ""
    page = request_with_cookies(world, client_id, **{name: session})
    assert 'name="key" type="password"' in page.text


def test_the_session_of_a_read_only_key_gives_no_more(world: World) -> None:
    session = dashboard_session(world, "web", project="web", readonly=True)
    client_id = world.register(CALLBACK)["client_id"]
    page = request_with_cookies(world, client_id, almanac_local_8787=session)
    fields = {"decision": "allow", "project": "moon", "family": ["time"], "access": "write", "lifetime": "day"}
    assert world.submit(page, **fields).status_code == 400
    assert redirect_parameters(world.submit(page, **fields | {"project": "web"}))["code"]
    assert "Read and change" not in page.text
