"""Test sign-in on AWS: its handler with API Gateway's events, and the authorizer that accepts its tokens."""

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.families import late_families, needs_of_tools
from almanac.composition.services import services_for
from almanac.composition.sign_in import open_sign_in
from almanac.gateway.http.authorizer import Unauthorized, authorizer_handler
from almanac.gateway.http.server_card import catalog, server_card
from almanac.identity.access.authorize import AccessTokens
from almanac.identity.access.directory import CachingDirectory, StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.resources import Origins
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.platform.store.sqlite.store import SqliteStore
from tests.doubles.observed_store import ObservedStore
from tests.unit.gateway.recorded import RecordedTelemetry
from tests.unit.gateway.sign_in_clients import PUBLIC, SigningIn


class World:
    def __init__(self, folder: Path, clock: FixedClock) -> None:
        self.clock, self.telemetry = clock, RecordedTelemetry()
        self.store = SqliteStore(folder / "store.db", clock=clock, cursor_secret=bytes(32))
        self.asked: list[Any] = []
        self.read = ObservedStore(self.store, self.asked.append)
        Tenants(self.store, clock).create("acme", project="web")
        self.keys = ApiKeys(self.store, clock, os.urandom)
        self.key = self.keys.issue(Grant(tenant="acme", project="web", actor="ann")).key.text
        origins = Origins(PUBLIC)
        directory = CachingDirectory(StoredDirectory(self.read), clock)
        needs = needs_of_tools(lambda: late_families(services_for(self.store, clock), ("time", "team")))
        gatekeeper = Gatekeeper(directory, self.store, clock, tokens=AccessTokens(directory, origins, needs))
        door = open_sign_in(lambda: self.store, lambda: gatekeeper, clock, origins, self.telemetry)
        self.browser = SigningIn(door.handle)
        self._authorize = authorizer_handler(lambda: gatekeeper, self.telemetry, origin=PUBLIC)

    def judge(self, text: str, path: str = "/mcp/time", host: str = "mcp.example.com", **more: str) -> dict[str, Any]:
        """Return the authorizer's verdict on a request with this key or token."""
        headers = {"Host": host, "Authorization": f"Bearer {text}", **more}
        facts = {"stage": "v1", "identity": {"sourceIp": "203.0.113.7"}}
        return self._authorize({"path": path, "headers": headers, "methodArn": "arn", "requestContext": facts}, None)


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> World:
    return World(tmp_path, clock)


def test_a_program_signs_in_by_events_of_a_rest_api(world: World) -> None:
    client_id = world.browser.register()
    consent = world.browser.submit(world.browser.ask(client_id), key=world.key)
    answer = world.browser.allow(consent, "web")
    assert (answer["state"], answer["iss"]) == ("a state & more", PUBLIC)
    tokens = json.loads(world.browser.redeem(client_id, answer["code"])["body"])
    said = world.judge(tokens["access_token"])
    assert said["policyDocument"]["Statement"][0]["Effect"] == "Allow"
    assert said["context"]["tenant"] == "acme"
    assert all(isinstance(value, str) for value in said["context"].values())


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])
def test_metadata_names_the_public_url_whatever_the_stage(world: World, path: str) -> None:
    answer = world.browser.send("GET", path)
    assert answer["statusCode"] == 200
    assert json.loads(answer["body"])["resource"] == f"{PUBLIC}/mcp"
    assert answer["headers"]["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/mcp/server-card", "application/mcp-server-card+json"),
        ("/mcp/server-card/", "application/mcp-server-card+json"),
        ("/.well-known/mcp/server-card.json", "application/mcp-server-card+json"),
        ("/.well-known/mcp/catalog.json", "application/json"),
    ],
)
def test_the_card_and_its_catalog_are_public_and_may_be_kept(world: World, path: str, kind: str) -> None:
    answer = world.browser.send("GET", path)
    assert (answer["statusCode"], answer["headers"]["content-type"]) == (200, kind)
    assert answer["headers"]["access-control-allow-origin"] == "*"
    assert answer["headers"]["cache-control"] == "public, max-age=3600"
    document = json.loads(answer["body"])
    made = catalog(PUBLIC) if path.endswith("catalog.json") else server_card(PUBLIC)
    assert document == made
    assert world.browser.send("OPTIONS", path)["statusCode"] == 204
    assert world.browser.send("POST", path, "{}")["statusCode"] == 405
    assert world.asked == []


def test_a_stranger_to_the_public_url_is_offered_no_sign_in(world: World) -> None:
    name = "a1b2c3.execute-api.eu-west-1.amazonaws.com"
    metadata = ("/.well-known/oauth-authorization-server", "/.well-known/mcp/catalog.json", "/mcp/server-card")
    for path in ("/authorize", "/token", *metadata):
        assert world.browser.send("POST", path, "", Host=name)["statusCode"] == 404


def test_a_token_costs_one_read_more_than_a_key(world: World) -> None:
    tokens = world.browser.tokens(world.browser.register(), world.key, "web")

    def reads(text: str) -> int:
        world.clock.instant += timedelta(seconds=31)
        world.asked.clear()
        world.judge(text)
        return len(world.asked)

    reads(world.key)
    of_key, of_token = reads(world.key), reads(tokens["access_token"])
    assert of_token == of_key + 1
    world.asked.clear()
    world.judge(tokens["access_token"])
    assert not world.asked, "the grant is remembered as a key is"


def test_a_call_that_was_not_granted_is_denied_with_the_scope_to_ask_for(world: World) -> None:
    client_id = world.browser.register()
    consent = world.browser.submit(world.browser.ask(client_id), key=world.key)
    code = world.browser.allow(consent, "web", family=["time"], access="read")["code"]
    token = json.loads(world.browser.redeem(client_id, code)["body"])["access_token"]
    calling = {"Mcp-Method": "tools/call", "Mcp-Name": "claim"}
    said = world.judge(token, "/mcp", **calling)
    assert said["policyDocument"]["Statement"][0]["Effect"] == "Deny"
    metadata = f'resource_metadata="{PUBLIC}/.well-known/oauth-protected-resource/mcp"'
    asked = f'error="insufficient_scope", scope="team:write time:write", {metadata}'
    assert said["context"]["challenge"] == f'Bearer realm="almanac", {asked}'
    for tool in ("convert_timezone", "no_such_tool"):
        allowed = world.judge(token, "/mcp", **calling | {"Mcp-Name": tool})
        assert allowed["policyDocument"]["Statement"][0]["Effect"] == "Allow", "the function says what is wrong"
    assert world.judge(world.key, "/mcp", **calling)["policyDocument"]["Statement"][0]["Effect"] == "Allow"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/time"])
def test_a_dead_token_is_a_401_and_not_a_denial(world: World, path: str) -> None:
    client_id = world.browser.register()
    tokens = world.browser.tokens(client_id, world.key, "web")
    world.judge(tokens["access_token"], path)
    world.keys.revoke(world.key.split("_")[1])
    world.clock.instant += timedelta(seconds=31)
    with pytest.raises(Unauthorized):
        world.judge(tokens["access_token"], path)
    with pytest.raises(Unauthorized):
        world.judge(tokens["refresh_token"], path)
