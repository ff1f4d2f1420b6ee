"""Resources and origins: which address of this server a grant is for."""

import pytest

from almanac.identity.oauth.resources import Origins, canonical_resource, check_public_url, covers
from almanac.identity.oauth.scopes import RequestedAccess, granted_scope, read_scopes
from almanac.kernel.errors import InvalidInput

ORIGIN = "https://mcp.example.com"
FAMILIES = ["time", "calendar", "planner"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (ORIGIN, "/mcp"),
        (ORIGIN + "/", "/mcp"),
        (ORIGIN + "/mcp", "/mcp"),
        (ORIGIN + "/mcp/", "/mcp"),
        ("https://MCP.Example.com/mcp", "/mcp"),
        ("https://mcp.example.com:443/mcp", "/mcp"),
        (ORIGIN + "/mcp/time", "/mcp/time"),
        (ORIGIN + "/mcp?set=core", "/mcp"),
        (ORIGIN + "/mcp/time?readonly=1&output_schemas=1", "/mcp/time"),
    ],
)
def test_resources_of_this_server(text: str, path: str) -> None:
    assert canonical_resource(text, ORIGIN) == ORIGIN + path


@pytest.mark.parametrize(
    "text",
    [
        *(
            "https://other.example.com/mcp",
            "http://mcp.example.com/mcp",
            "https://mcp.example.com.evil.com/mcp",
            "",
            "mcp",
        ),
        *("https://mcp.example.com:444/mcp", "https://a@mcp.example.com/mcp", ORIGIN + "/mcp?x=1", ORIGIN + "/mcp#x"),
        *(ORIGIN + "/mcp?", ORIGIN + "/mcp?set=core&x=1", ORIGIN + "/mcp?set=core#x", ORIGIN + "/other?set=core"),
        *(
            ORIGIN + "/other",
            ORIGIN + "/mcp/a/b",
            ORIGIN + "/mcp//",
            ORIGIN + "/mcp/../x",
            ORIGIN + "\\/mcp",
            "https:///mcp",
        ),
    ],
)
def test_resources_of_others(text: str) -> None:
    assert canonical_resource(text, ORIGIN) is None


def test_a_grant_is_good_at_its_path_and_below() -> None:
    hub, family = ORIGIN + "/mcp", ORIGIN + "/mcp/time"
    assert [covers(hub, ORIGIN, path) for path in ("/mcp", "/mcp/", "/mcp/time", "/mcpx", "/")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert [covers(family, ORIGIN, path) for path in ("/mcp/time", "/mcp", "/mcp/team")] == [True, False, False]
    assert not covers(hub, "https://other.example.com", "/mcp")


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8787", "http://127.0.0.1:8787"),
        ("localhost:8787", "http://localhost:8787"),
        ("[::1]:8787", "http://[::1]:8787"),
        ("LOCALHOST", "http://localhost"),
        ("evil.com:8787", None),
        ("127.0.0.1.evil.com:8787", None),
        ("127.0.0.1:8787@evil.com", None),
        ("192.168.1.5:8787", None),
        ("", None),
    ],
)
def test_without_a_public_url_only_loopback_is_an_issuer(host: str, origin: str | None) -> None:
    assert Origins().of({"host": host}) == origin
    assert Origins(ORIGIN).of({"host": host}) == ORIGIN


def test_a_public_url_names_its_host() -> None:
    origins = Origins(ORIGIN + "/")
    assert origins.is_own_host({"host": "mcp.example.com"})
    assert origins.is_own_host({"host": "MCP.example.com:443"})
    assert not origins.is_own_host({"host": "evil.com"})
    assert check_public_url("http://localhost:8787") == "http://localhost:8787"


@pytest.mark.parametrize(
    "url",
    [
        "http://mcp.example.com",
        "https://h.com/path",
        "mcp.example.com",
        "https://u@h.com",
        "https://h.com?x",
        "https://",
        "",
    ],
)
def test_what_cannot_be_a_public_url(url: str) -> None:
    with pytest.raises(InvalidInput, match="public URL"):
        check_public_url(url)


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("", RequestedAccess()),
        ("*", RequestedAccess()),
        ("almanac offline_access", RequestedAccess()),
        ("unknown words", RequestedAccess()),
        ("time:read", RequestedAccess(("time",), writes=False)),
        ("time:write calendar:write offline_access nonsense", RequestedAccess(("time", "calendar"), writes=True)),
        ("time:read calendar:write", RequestedAccess(("time", "calendar"), writes=False)),
        ("almanac time:read", RequestedAccess()),
    ],
)
def test_scopes_that_are_asked_for(text: str, wish: RequestedAccess) -> None:
    assert read_scopes(text, FAMILIES) == wish


def test_the_answer_says_what_was_granted() -> None:
    assert granted_scope(None, readonly=False, every=FAMILIES) == "almanac"
    assert granted_scope(None, readonly=True, every=FAMILIES) == "time:read calendar:read planner:read"
    assert granted_scope(("time",), readonly=False, every=FAMILIES) == "time:write"
