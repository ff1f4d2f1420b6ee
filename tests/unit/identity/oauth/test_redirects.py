"""Test redirect URIs. Those of real clients are accepted, and ambiguous ones are refused."""

import pytest

from almanac.identity.oauth.redirects import display_host, form_target, may_redirect, may_register

SENT = [
    ("https://claude.ai/api/mcp/auth_callback", ["https://claude.ai/api/mcp/auth_callback"], "claude.ai"),
    ("http://localhost:3118/callback", ["http://localhost/callback", "http://127.0.0.1/callback"], "claude.ai"),
    ("http://127.0.0.1:53211/callback", ["http://localhost/callback", "http://127.0.0.1/callback"], "claude.ai"),
    ("https://chatgpt.com/connector/oauth/abc", ["https://chatgpt.com/connector/oauth/abc"], "chatgpt.com"),
    ("http://127.0.0.1:1455/callback/Xy0_-aBcDeFg", ["http://127.0.0.1/callback"], "chatgpt.com"),
    ("https://vscode.dev/redirect", ["https://vscode.dev/redirect", "http://127.0.0.1:33418/"], "vscode.dev"),
    ("http://127.0.0.1:33418", ["http://127.0.0.1:33418/"], "vscode.dev"),
    ("http://127.0.0.1:50000/", ["http://127.0.0.1/"], "vscode.dev"),
    ("http://127.0.0.1:41234", ["http://127.0.0.1:33418"], ""),
    ("cursor://anysphere.cursor-mcp/oauth/callback", ["cursor://anysphere.cursor-mcp/oauth/callback"], ""),
    ("http://127.0.0.1:19876/mcp/oauth/callback", ["http://127.0.0.1/callback"], "opencode.ai"),
    ("http://localhost:7777/oauth/callback", ["http://localhost:7777/oauth/callback"], ""),
    ("http://[::1]:9000/callback", ["http://[::1]/callback"], ""),
]


@pytest.mark.parametrize(("uri", "registered", "host"), SENT)
def test_what_clients_send_is_accepted(uri: str, registered: list[str], host: str) -> None:
    assert all(map(may_register, registered))
    assert may_redirect(uri, registered, host)


HOSTILE = [
    *("http://127.0.0.1.evil.com/callback", "http://localhost.evil.com/callback", "http://localhost@evil.com/callback"),
    *("http://127.0.0.1@evil.com/callback", "http://127.0.0.1:80@evil.com/callback", "http://user@127.0.0.1/callback"),
    *(
        "http://127.1/callback",
        "http://2130706433/callback",
        "http://0x7f000001/callback",
        "http://0177.0.0.1/callback",
    ),
    *(
        "http://127.0.0.1./callback",
        "http://localhost./callback",
        "http://LOCALHOST/callback",
        "http://127.0.0.2/callback",
    ),
    *("http://0.0.0.0/callback", "http://[::]/callback", "http://[::ffff:127.0.0.1]/callback", "http://[::1]/callback"),
    *(
        "https://127.0.0.1/callback",
        "https://localhost/callback",
        "ftp://127.0.0.1/callback",
        "HTTP://127.0.0.1/callback",
    ),
    *(
        "http://127.0.0.1/callback#",
        "http://127.0.0.1/callback#x",
        "http://127.0.0.1/callback?x=1",
        "http://127.0.0.1/",
    ),
    *("http://127.0.0.1/callback/../evil", "http://127.0.0.1/callback/%2e%2e/evil", "http://127.0.0.1/callback/./x"),
    *("http://127.0.0.1/callbackevil", "http://127.0.0.1/Callback", "http://127.0.0.1/other", "http://127.0.0.1"),
    *("http://127.0.0.1:/callback", "http://127.0.0.1:0/callback", "http://127.0.0.1:99999/callback"),
    *("http://127.0.0.1:1:2/callback", "http://127.0.0.1\\@evil.com/callback", "http:/127.0.0.1/callback"),
    *("http:127.0.0.1/callback", "//127.0.0.1/callback", "/callback", "callback", "", " http://127.0.0.1/callback"),
    *("http://127.0.0.1/callback\n", "http://127.0.0.1/call back", "http://127.0.0.1/callback\x00"),
    *("http://evil.com/callback", "https://evil.com/callback", "https://app.example.com.evil.com/callback"),
    *(
        "https://app.example.com/callback/more",
        "https://app.example.com:444/callback",
        "https://app.example.com/callback?",
    ),
    *("https://APP.example.com/callback", "https://app.example.com./callback", "https://a@app.example.com/callback"),
    *(
        "https://app.example.com/callback#x",
        "https://xn--pp-8ka.example.com/callback",
        "https://äpp.example.com/callback",
    ),
    *("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "intent://x#Intent;end", "blob:x"),
    *(
        "about:blank",
        "app.other:/callback",
        "app:/callback/x",
        "http://127.0.0.1/callback;x",
        "http://127.0.0.1/callback%00",
    ),
    "http://127.0.0.1/" + "a" * 3000,
]
REGISTERED = [
    "http://127.0.0.1/callback",
    "http://localhost/callback",
    "https://app.example.com/callback",
    "app:/callback",
]


@pytest.mark.parametrize("uri", HOSTILE)
def test_what_reads_in_two_ways_or_leads_elsewhere_is_refused(uri: str) -> None:
    assert len(HOSTILE) >= 60
    assert not may_redirect(uri, REGISTERED)


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        "http://evil.com/",
        "https://127.0.0.1/x",
        "https://10.0.0.1/x",
        "data:,x",
        "https:///x",
        "x",
    ],
)
def test_unsafe_uris_cannot_be_registered(uri: str) -> None:
    assert not may_register(uri)


def test_the_page_names_where_it_leads() -> None:
    assert display_host("http://127.0.0.1:4711/callback") == "127.0.0.1:4711"
    assert display_host("cursor://anysphere.cursor-mcp/oauth/callback") == "cursor:"
    assert form_target("https://claude.ai/api/mcp/auth_callback") == "https://claude.ai"
    assert (form_target("cursor://x/y"), form_target("http://[::1]:9/x")) == ("cursor:", "http:")
