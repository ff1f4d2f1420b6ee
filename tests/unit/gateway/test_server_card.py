"""Test the server card that clients and registries read before they connect."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.families import families_for_docs
from almanac.gateway.http.hosts import hub_server
from almanac.gateway.http.server_card import catalog, server_card
from almanac.protocol.message.revisions import SUPPORTED
from tools.documents.main import registry_entry

Json = dict[str, Any]
NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
INPUT = frozenset(
    {"description", "isRequired", "isSecret", "format", "default", "placeholder", "value", "choices", "name"}
)


@pytest.mark.parametrize(
    ("origin", "name", "urn"),
    [
        ("https://mcp.example.com", "com.example.mcp/almanac", "urn:air:mcp.example.com:almanac"),
        ("https://almanac.test:8443", "test.almanac/almanac", "urn:air:almanac.test:almanac"),
        ("http://127.0.0.1:8787", "localhost/almanac", "urn:air:localhost:almanac"),
        ("http://localhost:8787", "localhost/almanac", "urn:air:localhost:almanac"),
        ("http://[::1]:8787", "localhost/almanac", "urn:air:localhost:almanac"),
    ],
)
def test_card_and_catalog_name_the_server_by_its_host(origin: str, name: str, urn: str) -> None:
    card, (entry,) = server_card(origin), catalog(origin)["entries"]

    assert card["name"] == name
    assert (entry["identifier"], entry["url"]) == (urn, f"{origin}/mcp/server-card")
    assert entry["type"] == "application/mcp-server-card+json"
    assert [remote["url"] for remote in card["remotes"]] == [f"{origin}/mcp"]


@pytest.mark.parametrize("made", [server_card("https://mcp.example.com"), registry_entry()], ids=["card", "registry"])
def test_both_keep_the_limits_of_their_schemas(made: Json) -> None:
    assert made.keys() == {"$schema", "name", "title", "description", "version", "remotes"}
    assert NAME.fullmatch(made["name"])
    assert len(made["name"]) <= 200
    assert 1 <= len(made["description"]) <= 100
    for remote in made["remotes"]:
        variables = remote.get("variables", {})
        assert remote["type"] == "streamable-http"
        assert set(re.findall(r"\{(\w+)\}", remote["url"])) == variables.keys()
        assert all(one.keys() <= INPUT for one in (*remote["headers"], *variables.values()))
        assert [one["isSecret"] for one in remote["headers"]] == [True]


def test_the_card_says_what_the_server_says_of_itself() -> None:
    card, server = server_card("https://mcp.example.com"), hub_server(families_for_docs())

    assert (card["title"], card["version"]) == (server.title, server.version)
    assert card["name"].endswith(f"/{server.name}")
    assert [remote["supportedProtocolVersions"] for remote in card["remotes"]] == [list(SUPPORTED)]


def test_the_entry_of_the_repository_is_the_one_that_is_made(repository: Path) -> None:
    assert json.loads((repository / "server.json").read_text()) == registry_entry()
