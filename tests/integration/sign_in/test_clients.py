"""Clients as they are: the official SDK's, and the requests that ten programs send."""

from base64 import b64encode
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlencode, urlsplit

import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

from tests.integration.sign_in.world import CHALLENGE, Storage, World, answered, sealed_in

CALLBACK = "http://127.0.0.1:4711/callback"
DOCUMENT = "https://client.example.com/oauth/client.json"


async def listed(world: World, storage: Storage, document: str | None, path: str = "/mcp") -> list[str]:
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


async def _person(world: World, url: str) -> dict[str, Any]:
    async with world.http() as browser:
        page = await browser.get(url)
        cookie = {"cookie": page.headers["set-cookie"].partition(";")[0]}

        consent = await browser.post(
            world.origin + "/authorize", data={"request": sealed_in(page), "key": world.key}, headers=cookie
        )
        chosen = {"decision": "allow", "project": "web", "family": ["time"], "access": "read", "lifetime": "day"}
        answer = await browser.post(
            world.origin + "/authorize", data={"request": sealed_in(consent), **chosen}, headers=cookie
        )
    return answered(answer)


@pytest.mark.parametrize("way", ["document", "registration", "typed"])
def test_the_official_client_signs_in(world: World, way: str) -> None:
    world.publish(DOCUMENT, CALLBACK)
    storage = Storage()
    if way == "typed":
        client, _ = world.clients.add("Typed", (CALLBACK,), with_secret=False)
        typed = {"client_id": client.id, "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
        storage = Storage(OAuthClientInformationFull.model_validate(typed))
    tools = world.run(listed(world, storage, DOCUMENT if way == "document" else None))
    assert tools
    assert storage.client is not None
    assert (storage.client.client_id == DOCUMENT) == (way == "document")
    assert world.fetched == ([DOCUMENT] if way == "document" else [])
    steps = [step.step for step in world.attempts.latest()]
    assert {"authorize", "key", "consent", "token"} <= set(steps)


CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata"
CODE = "https://claude.ai/oauth/claude-code-client-metadata"
CHATGPT = "https://chatgpt.com/oauth/client.json"
CODEX = "https://chatgpt.com/oauth/codex/client.json"
VSCODE = "https://vscode.dev/oauth/client-metadata.json"
OPENCODE = "https://opencode.ai/oauth/opencode/client.json"
LOCAL = ["http://localhost/callback", "http://127.0.0.1/callback"]

# Name, URL of its document or None where it registers, URIs that this lists, the URI that it sends, and what else.
CLIENTS: list[tuple[str, str | None, list[str], str, dict[str, Any]]] = [
    ("claude.ai", CLAUDE, ["https://claude.ai/api/mcp/auth_callback"], "https://claude.ai/api/mcp/auth_callback",
     {"scope": "almanac offline_access"}),
    ("claude.com", None, ["https://claude.com/api/mcp/auth_callback"], "https://claude.com/api/mcp/auth_callback", {}),
    ("Claude Code", CODE, LOCAL, "http://localhost:53682/callback", {"scope": "almanac"}),
    ("Claude Code by address", CODE, LOCAL, "http://127.0.0.1:53682/callback", {}),
    ("Claude Code, registered", None, ["http://localhost:3118/callback"], "http://localhost:3118/callback",
     {"application_type": "native"}),
    ("ChatGPT", CHATGPT, ["https://chatgpt.com/connector_platform_oauth_redirect"],
     "https://chatgpt.com/connector_platform_oauth_redirect", {}),
    ("Codex", CODEX, ["http://127.0.0.1/callback"], "http://127.0.0.1:1455/callback/q83vEjRW_-9a", {"twice": True}),
    ("VS Code", VSCODE, ["https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"],
     "http://127.0.0.1:33418", {}),
    ("VS Code on the web", VSCODE, ["https://vscode.dev/redirect", "http://127.0.0.1/"], "https://vscode.dev/redirect",
     {"state": "https://vscode.dev/?x=1&y=%7B%22a%22%3A1%7D"}),
    ("Copilot CLI", None, ["http://127.0.0.1:33333"], "http://127.0.0.1:44444", {}),
    ("Cursor", None, ["cursor://anysphere.cursor-mcp/oauth/callback"], "cursor://anysphere.cursor-mcp/oauth/callback",
     {"application_type": "web"}),
    ("Cursor agents", None, ["https://www.cursor.com/agents/mcp/oauth/callback"],
     "https://www.cursor.com/agents/mcp/oauth/callback", {}),
    ("opencode", OPENCODE, ["http://127.0.0.1/callback"], "http://127.0.0.1:19876/mcp/oauth/callback", {}),
    ("Gemini CLI", None, ["http://localhost:7777/oauth/callback"], "http://localhost:7777/oauth/callback",
     {"client_name": "Gemini CLI MCP Client", "scope": ""}),
    ("Inspector", None, ["http://127.0.0.1:6274/oauth/callback"], "http://127.0.0.1:6274/oauth/callback",
     {"basic": True, "token_endpoint_auth_method": "client_secret_basic"}),
]  # fmt: skip


@pytest.mark.parametrize("client", CLIENTS, ids=[client[0] for client in CLIENTS])
def test_a_client_signs_in_with_what_it_sends(public: World, client: Any) -> None:
    _name, document, listed_uris, uri, more = client
    challenge = public.call().headers["www-authenticate"]
    resource_url = challenge.partition('resource_metadata="')[2].partition('"')[0]
    resource = public.send("GET", resource_url).json()
    assert resource["resource"] == f"{public.origin}/mcp"
    issuer = resource["authorization_servers"][0]
    server = public.send("GET", f"{issuer}/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == issuer

    headers: dict[str, str] = {}
    if document is not None:
        assert server["client_id_metadata_document_supported"]
        assert "none" in server["token_endpoint_auth_methods_supported"]
        public.publish(document, *listed_uris, token_endpoint_auth_method="none", grant_types=["authorization_code"])
        client_id, secret = document, None
    else:
        known = {
            key: more[key] for key in ("application_type", "client_name", "token_endpoint_auth_method") if key in more
        }
        made = public.send("POST", server["registration_endpoint"], json={"redirect_uris": listed_uris, **known}).json()
        client_id, secret = made["client_id"], made.get("client_secret")
        assert made["redirect_uris"] == listed_uris
    target = f"{public.origin}/mcp"
    asked = {"resource": [target, target] if more.get("twice") else target, "scope": more.get("scope")}
    page = public.ask(client_id, uri, **asked, state=more.get("state", "s"))
    answer = public.allow(page)
    assert answer["state"] == more.get("state", "s")
    assert answer["iss"] == issuer
    form: dict[str, Any] = {"resource": target}
    given: str | None = client_id
    if more.get("basic"):
        pair = f"{quote_plus(client_id)}:{quote_plus(secret or '')}"
        headers["authorization"] = "Basic " + b64encode(pair.encode()).decode()
        given = None
    elif secret is not None:
        form["client_secret"] = secret
    tokens = public.redeem(given, uri, answer["code"], headers=headers, **form).json()
    assert public.tools(tokens["access_token"])
    renewed = public.token(
        headers,
        grant_type="refresh_token",
        refresh_token=tokens["refresh_token"],
        **({} if more.get("basic") else {"client_id": client_id}),
        **({"client_secret": secret} if secret and not more.get("basic") else {}),
    ).json()
    assert public.tools(renewed["access_token"]) == public.tools(tokens["access_token"])


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


def asked_with(world: World, client_id: str, **cookies: str) -> Any:
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
    page = asked_with(world, client_id, almanac_local_8787=session)
    assert "Allow this program?" in page.text
    assert session.split("_")[1] in page.text
    assert page.text.index("<option>moon</option>") < page.text.index("<option>web</option>")
    fields = {"decision": "allow", "project": "moon", "family": ["time"], "access": "read", "lifetime": "day"}
    answer = world.submit(page, **fields)
    tokens = world.redeem(client_id, CALLBACK, answered(answer)["code"]).json()
    assert world.tools(tokens["access_token"])
    (grant,) = world.grants.of_tenant("acme")
    assert (grant.key_id, grant.project, grant.readonly) == (session.split("_")[1], "moon", True)


def test_a_person_with_a_session_may_choose_another_key_or_deny(world: World) -> None:
    client_id = world.register(CALLBACK)["client_id"]
    page = asked_with(world, client_id, almanac_local_8787=dashboard_session(world))
    other = world.submit(page, decision="other")
    assert 'name="key" type="password"' in other.text
    assert world.key.split("_")[1] in world.submit(other, key=world.key).text
    assert answered(world.submit(page, decision="deny"))["error"] == "access_denied"


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
    page = asked_with(world, client_id, **{name: session})
    assert 'name="key" type="password"' in page.text


def test_the_session_of_a_read_only_key_gives_no_more(world: World) -> None:
    session = dashboard_session(world, "web", project="web", readonly=True)
    client_id = world.register(CALLBACK)["client_id"]
    page = asked_with(world, client_id, almanac_local_8787=session)
    fields = {"decision": "allow", "project": "moon", "family": ["time"], "access": "write", "lifetime": "day"}
    assert world.submit(page, **fields).status_code == 400
    assert answered(world.submit(page, **fields | {"project": "web"}))["code"]
    assert "Read and change" not in page.text
