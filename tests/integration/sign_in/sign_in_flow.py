"""Signing in as a program does, request by request, at any server: in this process, of a laptop, or deployed."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import quote_plus, urlencode, urlsplit

import httpx2
from msgspec import Struct

from tests.integration.sign_in.programs import ASM, PRM, Program
from tests.integration.sign_in.world import CHALLENGE, VERIFIER, Json, redirect_parameters, sealed_request

FORM = {"content-type": "application/x-www-form-urlencoded"}

Publish = Callable[[str, Json], None]
"""Puts a metadata document at its URL."""
Type = Callable[[str, str, bool], tuple[str, str | None]]
"""Makes a client of this name, redirect URI and secret or not, for a person who types its id into a program."""


class Send(Protocol):
    def __call__(self, method: str, url: str, headers: Mapping[str, str], content: str = "") -> httpx2.Response:
        """Sends one request, follows no redirect and keeps no cookie."""
        ...


class Server(Struct, frozen=True, kw_only=True):
    """A server to sign in to. `mcp` is the address that a person gives to a program, and `key` the person's key."""

    mcp: str
    key: str
    send: Send
    publish: Publish
    type_in: Type

    @property
    def origin(self) -> str:
        parts = urlsplit(self.mcp)
        return f"{parts.scheme}://{parts.netloc}"


class ConnectedClient(Struct, frozen=True):
    tools: tuple[str, ...]
    renewed: tuple[str, ...]
    tokens: Json


def connect(program: Program, server: Server) -> ConnectedClient:
    """Signs in as the program does, and lists tools with its first token and with a renewed one."""
    challenge = _challenge_parameters(program, server)
    resource = _resource(program, server, challenge)
    assert resource["resource"] == server.mcp
    issuer = resource["authorization_servers"][0]
    endpoints = _authorization_server(program, server, issuer)
    uri = program.callback if isinstance(program.callback, str) else program.callback(server.mcp)
    client_id, secret = _client(program, server, endpoints, uri)
    asked = [
        ("response_type", "code"),
        ("client_id", client_id),
        ("redirect_uri", uri),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", program.state),
        *[("resource", server.mcp)] * program.resources,
    ]
    if program.scope is not None:
        scope = challenge["scope"] if program.scope == "challenge" else program.scope
        more = ["offline_access"] if program.offline and "offline_access" in endpoints["scopes_supported"] else []
        asked.append(("scope", " ".join([scope, *more])))
    answer = let_in(server, f"{endpoints['authorization_endpoint']}?{urlencode(asked)}")
    assert answer["at"] == uri
    assert (answer["state"], answer["iss"]) == (program.state, endpoints["issuer"])
    headers, proof = _credentials(program, client_id, secret)
    redeemed = [("grant_type", "authorization_code"), ("code", answer["code"]), ("redirect_uri", uri), *proof]
    redeemed += [("code_verifier", VERIFIER), *[("resource", server.mcp)] * program.resources]
    tokens = _token(server, endpoints, headers, redeemed)
    refreshing = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"]), *proof]
    renewed = _token(server, endpoints, headers, [*refreshing, ("resource", server.mcp)])
    first, later = (list_tools(server, each["access_token"], program.revision) for each in (tokens, renewed))
    return ConnectedClient(first, later, tokens)


def _challenge_parameters(program: Program, server: Server) -> Mapping[str, str]:
    """The parameters of the challenge that answers the first message."""
    refused = post(server, "", _first(program.revision), program.revision)
    assert refused.status_code == 401, refused.text
    scheme, _, stated = refused.headers["www-authenticate"].partition(" ")
    assert scheme == "Bearer"
    return dict(re.findall(r'([a-z_]+)="([^"]*)"', stated))


def _resource(program: Program, server: Server, challenge: Mapping[str, str]) -> Json:
    at = {"challenge": challenge["resource_metadata"], "path": f"{server.origin}{PRM}/mcp"}
    return _document(server, at.get(program.discovers, server.origin + PRM))


def _authorization_server(program: Program, server: Server, issuer: str) -> Json:
    for path in program.looks_for:
        absent = server.send("GET", issuer + path, {"mcp-protocol-version": program.revision})
        assert absent.status_code == 404
        assert isinstance(absent.json(), dict), "clients parse the body of a 404"
    found = _document(server, issuer + ASM)
    assert found["issuer"] == issuer
    assert "S256" in found["code_challenge_methods_supported"]
    return found


def _document(server: Server, url: str) -> Json:
    answer = server.send("GET", url, {"accept": "application/json"})
    assert answer.status_code == 200, f"{url}: {answer.text}"
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def _client(program: Program, server: Server, endpoints: Json, uri: str) -> tuple[str, str | None]:
    """The id and the secret of a client, by the way that the program chooses."""
    if program.typed:
        return server.type_in(program.name, uri, program.typed == "secret")
    uris = list(program.listed) or [uri]
    if program.document is not None:
        assert endpoints["client_id_metadata_document_supported"] is True
        assert "none" in endpoints["token_endpoint_auth_methods_supported"]
        server.publish(program.document, {"client_id": program.document, "redirect_uris": uris, **program.metadata})
        return program.document, None
    body = json.dumps({"redirect_uris": uris, **program.metadata})
    answer = server.send("POST", endpoints["registration_endpoint"], {"content-type": "application/json"}, body)
    assert answer.status_code == 201, answer.text
    made: Json = answer.json()
    assert made["redirect_uris"] == uris
    asked = program.metadata.get("token_endpoint_auth_method")
    assert asked in (None, made["token_endpoint_auth_method"])
    return made["client_id"], made.get("client_secret")


def _credentials(program: Program, client_id: str, secret: str | None) -> tuple[dict[str, str], list[tuple[str, str]]]:
    if program.basic:
        pair = f"{quote_plus(client_id)}:{quote_plus(secret or '')}"
        return {"authorization": "Basic " + b64encode(pair.encode()).decode()}, []
    return {}, [("client_id", client_id), *([("client_secret", secret)] if secret else [])]


def _token(server: Server, endpoints: Json, headers: Mapping[str, str], fields: list[tuple[str, str]]) -> Json:
    answer = server.send("POST", endpoints["token_endpoint"], {**FORM, **headers}, urlencode(fields))
    assert answer.status_code == 200, answer.text
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == ("application/json", "no-store")
    tokens: Json = answer.json()
    assert (tokens["token_type"], type(tokens["expires_in"])) == ("Bearer", int)
    assert {"access_token", "refresh_token", "scope"} <= {*tokens}
    return tokens


def let_in(server: Server, url: str, **chosen: Any) -> Json:
    """Show a key, allow all offered access at the page `at`, and return the answer to the program."""
    page = server.send("GET", url, {})
    assert page.status_code == 200, page.text
    browser = {**FORM, "origin": server.origin, "cookie": page.headers["set-cookie"].partition(";")[0]}

    def submit(seen: httpx2.Response, **fields: Any) -> httpx2.Response:
        form = urlencode({"request": sealed_request(seen), **fields}, doseq=True)
        return server.send("POST", f"{server.origin}/authorize", browser, form)

    consent = submit(page, key=server.key)
    assert consent.status_code == 200, consent.text
    offered = re.findall(r'name="family" value="([a-z]+)"', consent.text)
    project = re.findall(r"<option>([^<]+)</option>", consent.text)[0]
    fields = {"decision": "allow", "project": project, "family": offered, "access": "write", "lifetime": "day"}
    answer = submit(consent, **(fields | chosen))
    assert answer.status_code == 303, answer.text
    return {"at": answer.headers["location"].partition("?")[0]} | redirect_parameters(answer)


def _first(revision: str) -> str:
    return "server/discover" if revision >= "2026" else "initialize"


def list_tools(server: Server, token: str, revision: str) -> tuple[str, ...]:
    answer = post(server, token, "tools/list", revision)
    assert answer.status_code == 200, answer.text
    return tuple(tool["name"] for tool in answer.json()["result"]["tools"])


def post(server: Server, token: str, method: str, revision: str) -> httpx2.Response:
    """One message of MCP, as a client of the revision sends it."""
    params: Json = {}
    if method == "initialize":
        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "a program", "version": "1"}}
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    headers |= {"mcp-protocol-version": revision}
    if revision >= "2026":
        headers["mcp-method"] = method
        meta = {"protocolVersion": revision, "clientCapabilities": {}, "clientInfo": {"name": "p", "version": "1"}}
        params["_meta"] = {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}
    if token:
        headers["authorization"] = f"Bearer {token}"
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return server.send("POST", server.mcp, headers, json.dumps(message))
