"""The laptop's HTTP server in this process, with a person's browser and programs that sign in."""

import asyncio
import json
import os
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from html import unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from almanac.composition.families import late_families, needs_of_tools
from almanac.composition.services import services_for
from almanac.gateway.http.door import http_handler
from almanac.gateway.oauth.authorize import Parts
from almanac.gateway.oauth.door import SignInDoor
from almanac.gateway.oauth.request import Seal
from almanac.identity.access.authorize import AccessTokens
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.public_limits import PublicLimits
from almanac.identity.browser_sessions import BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.attempts import Attempts, FirstCalls
from almanac.identity.oauth.clients import Clients, FetchDocument, FetchedDocument
from almanac.identity.oauth.grants import ClientGrants
from almanac.identity.oauth.resources import Origins
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from almanac.local.http.fair_queue import Shares
from almanac.local.http.fair_threads import FairThreads
from almanac.local.http.server import HttpServer
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.recorded import RecordedTelemetry

FAMILIES = ("time", "team")
VERIFIER = "a-verifier-of-at-least-forty-three-characters-0"
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
LOOPBACK = "http://127.0.0.1:8787"
PUBLIC = "https://mcp.example.com"
_HIDDEN = re.compile(r'name="request" value="([^"]*)"')
Json = dict[str, Any]


class World:
    """`origin` is where clients reach the server: a loopback address, or its public URL."""

    def __init__(self, folder: Path, clock: FixedClock, origin: str = LOOPBACK) -> None:
        self.clock, self.origin = clock, origin
        folder.mkdir(exist_ok=True)
        self.store = SqliteStore(folder / "store.db", clock=clock, cursor_secret=bytes(32))
        self.documents: dict[str, Json | None] = {}
        self.fetched: list[str] = []
        self.fetch: FetchDocument | None = None
        tenants, self.keys = Tenants(self.store, clock), ApiKeys(self.store, clock, os.urandom)
        tenants.create("acme", project="web")
        tenants.create_project("acme", "moon")
        self.sessions = BrowserSessions(self.store, clock, os.urandom)
        self.key = self.issue()
        self.grants, self.attempts = (
            ClientGrants(self.store, clock, os.urandom),
            Attempts(self.store, clock, os.urandom),
        )
        origins = Origins(None if origin.startswith("http:") else origin)
        directory = StoredDirectory(self.store)
        families = late_families(services_for(self.store, clock), FAMILIES)
        tokens = AccessTokens(
            directory, origins, needs_of_tools(lambda: families), FirstCalls(lambda: self.store, clock)
        )
        gatekeeper = Gatekeeper(directory, self.store, clock, tokens=tokens)
        self.telemetry = RecordedTelemetry()
        parts = Parts(
            clients=Clients(self.store, clock, os.urandom, self._fetch),
            grants=self.grants,
            attempts=self.attempts,
            limits=PublicLimits(self.store, clock),
            keys=self.keys,
            sessions=self.sessions,
            tenants=tenants,
            gatekeeper=gatekeeper,
            seal=Seal(lambda: b"a secret of the tests"),
            clock=clock,
            random_bytes=os.urandom,
            families=FAMILIES,
        )
        self.clients = parts.clients
        door = SignInDoor(lambda: parts, origins, families=FAMILIES, telemetry=self.telemetry)
        handler = http_handler(*families, clock=clock, telemetry=self.telemetry)
        shares = Shares(threads=2, gates=2)
        self._executor = ThreadPoolExecutor(shares.all_threads)
        self.app = HttpServer(
            handler, gatekeeper, self.telemetry, FairThreads(self._executor, shares), health={}, sign_in=door
        )
        self._loop = asyncio.new_event_loop()
        self._http = self.http()

    def close(self) -> None:
        self._loop.run_until_complete(self._http.aclose())
        self._loop.close()
        self._executor.shutdown()

    def issue(self, **terms: Any) -> str:
        given: Json = {"tenant": "acme", "project": "*", "actor": "ann"} | terms
        return self.keys.issue(Grant(**given)).key.text

    def run(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    def http(self, **options: Any) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(self.app, client=("203.0.113.7", 4711)), **options)

    def send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        url = path if "://" in path else self.origin + path
        return self.run(self._http.request(method, url, **options))

    def call(
        self,
        token: str = "",
        path: str = "/mcp",
        method: str = "tools/list",
        **headers: str,
    ) -> httpx2.Response:
        return self.message(token, {"method": method, "params": {}}, path, headers)

    def message(
        self, token: str, message: Json, path: str = "/mcp", headers: Mapping[str, str] = MappingProxyType({})
    ) -> httpx2.Response:
        sent = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25", **headers}
        if token:
            sent["authorization"] = f"Bearer {token}"
        return self.send("POST", path, json={"jsonrpc": "2.0", "id": 1, **message}, headers=sent)

    def tools(self, token: str, path: str = "/mcp") -> set[str]:
        answer = self.call(token, path)
        assert answer.status_code == 200, answer.text
        return {tool["name"] for tool in answer.json()["result"]["tools"]}

    def plain(self, method: str, url: str, headers: Any, content: str = "") -> httpx2.Response:
        """A request without the browser's cookies."""

        async def send() -> httpx2.Response:
            async with self.http() as http:
                return await http.request(method, url, headers=headers, content=content)

        return self.run(send())

    def publish(self, url: str, *redirect_uris: str, **more: Any) -> None:
        self.documents[url] = {
            "client_id": url,
            "client_name": "A client",
            "redirect_uris": list(redirect_uris),
            **more,
        }

    def register(self, *redirect_uris: str, **metadata: Any) -> Json:
        answer = self.send("POST", "/register", json={"redirect_uris": list(redirect_uris), **metadata})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def ask(self, client_id: str, redirect_uri: str, **more: Any) -> httpx2.Response:
        """Send a client's request, and return the page that the browser shows."""
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": redirect_uri,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "a state",
            "resource": f"{self.origin}/mcp",
        } | more
        given = {name: value for name, value in asked.items() if value is not None}
        return self.visit(f"/authorize?{urlencode(given, doseq=True)}")

    def visit(self, url: str) -> httpx2.Response:
        # The jar of httpx sends no Secure cookie over ASGI; a browser does.
        return self.send("GET", url, headers=self._cookie())

    def submit(self, page: httpx2.Response, **fields: Any) -> httpx2.Response:
        form = urlencode({"request": sealed_request(page), **fields}, doseq=True)
        headers = {"content-type": "application/x-www-form-urlencoded", "origin": self.origin} | self._cookie()
        return self.send("POST", "/authorize", content=form, headers=headers)

    def allow(self, page: httpx2.Response, key: str | None = None, **chosen: Any) -> Json:
        """Show a key and allow the client. Return the answer to the client."""
        assert page.status_code == 200, page.text
        consent = self.submit(page, key=key or self.key)
        assert consent.status_code == 200, consent.text
        offered = re.findall(r'name="family" value="([a-z]+)"', consent.text)
        fields = {"decision": "allow", "project": "web", "family": offered, "access": "write", "lifetime": "quarter"}
        answer = self.submit(consent, **(fields | chosen))
        assert answer.status_code == 303, answer.text
        return redirect_parameters(answer)

    def token(self, headers: Any = None, **form: Any) -> httpx2.Response:
        return self.send("POST", "/token", data=form, headers=headers or {})

    def redeem(self, client_id: str | None, redirect_uri: str, code: str, **more: Any) -> httpx2.Response:
        asked = {
            "grant_type": "authorization_code",
            "client_id": client_id,
            "redirect_uri": redirect_uri,
            "code": code,
            "code_verifier": VERIFIER,
        } | more
        return self.token(**{name: value for name, value in asked.items() if value is not None})

    def sign_in(self, redirect_uri: str = "http://127.0.0.1:4711/callback", **more: Any) -> tuple[str, Json]:
        """A registered client and its tokens."""
        client_id = self.register(redirect_uri)["client_id"]
        code = self.allow(self.ask(client_id, redirect_uri), **more)["code"]
        tokens = self.redeem(client_id, redirect_uri, code)
        assert tokens.status_code == 200, tokens.text
        return client_id, tokens.json()

    def _cookie(self) -> dict[str, str]:
        held = [f"{cookie.name}={cookie.value}" for cookie in self._http.cookies.jar]
        return {"cookie": "; ".join(held)} if held else {}

    def _fetch(self, url: str) -> FetchedDocument:
        self.fetched.append(url)
        if self.fetch is not None:
            return self.fetch(url)
        document = self.documents.get(url)
        if document is None:
            raise Unavailable("The metadata document of this program cannot be read now.", "Try again later.")
        return FetchedDocument(json.dumps(document).encode(), "max-age=3600")


def sealed_request(page: httpx2.Response) -> str:
    found = _HIDDEN.search(page.text)
    assert found, page.text
    return unescape(found[1])


def redirect_parameters(response: httpx2.Response) -> Json:
    """The parameters with which the browser is sent back, each of which comes once."""
    query = parse_qs(urlsplit(response.headers["location"]).query, keep_blank_values=True)
    assert all(len(values) == 1 for values in query.values())
    return {name: values[0] for name, values in query.items()}


class Storage:
    """Storage of a client. It has a client id from the beginning if a person typed one."""

    def __init__(self, client: OAuthClientInformationFull | None = None) -> None:
        self.client = client
        self.tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info
