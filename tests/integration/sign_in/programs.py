"""Programs that sign in, and the requests that each was seen to send.

They are written from observed requests, because a library would send the requests that it considers right.
"""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Literal

from msgspec import Struct

PRM, ASM = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
OIDC = "/.well-known/openid-configuration"


class Program(Struct, frozen=True, kw_only=True):
    """`document` is the URL of the program's metadata document; without one it registers, or is `typed` in by a person.

    `looks_for` are paths at the host that it tries in vain before the metadata, `scope` what it asks for: all that the
    challenge names, as well as offline_access where the server lists it, or a text of its own. `callback` may need the
    address of the server.
    """

    name: str
    callback: str | Callable[[str], str]
    listed: tuple[str, ...] = ()
    document: str | None = None
    typed: Literal["", "public", "secret"] = ""
    metadata: Mapping[str, Any] = {}
    discovers: Literal["challenge", "path", "root"] = "challenge"
    looks_for: tuple[str, ...] = ()
    scope: str | None = "challenge"
    offline: bool = False
    state: str = "a-state"
    resources: int = 1
    basic: bool = False
    revision: str = "2025-11-25"


def _codex(mcp: str) -> str:
    suffix = urlsafe_b64encode(sha256(mcp.encode()).digest()[:9]).decode()
    return f"http://127.0.0.1:1455/callback/{suffix}"


CLAUDE = "https://claude.ai/api/mcp/auth_callback"
_CLAUDE: dict[str, Any] = {
    "client_name": "Claude",
    "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "none",
}
_CODE = ("http://localhost/callback", "http://127.0.0.1/callback")
_CHATGPT: dict[str, Any] = {"client_name": "ChatGPT", "token_endpoint_auth_method": "private_key_jwt"}
_VSCODE = ("https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect", "http://127.0.0.1/")
_VSCODE_AS = {"client_name": "Visual Studio Code", "application_type": "native", "token_endpoint_auth_method": "none"}
_CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback"
_OPENCODE = "http://127.0.0.1:19876/mcp/oauth/callback"
_INSPECTOR = "http://127.0.0.1:6274/oauth/callback"
_GEMINI = {"client_name": "Gemini CLI MCP Client", "grant_types": ["authorization_code", "refresh_token"]}

PROGRAMS: tuple[Program, ...] = (
    Program(
        name="claude.ai",
        document="https://claude.ai/oauth/mcp-oauth-client-metadata",
        listed=(CLAUDE, "https://claude.com/api/mcp/auth_callback"),
        metadata=_CLAUDE,
        callback=CLAUDE,
        offline=True,
    ),
    Program(
        name="claude.ai registers",
        listed=(CLAUDE,),
        metadata=_CLAUDE | {"scope": "almanac offline_access"},
        callback=CLAUDE,
        offline=True,
        looks_for=(f"{ASM}/mcp",),
    ),
    Program(name="claude.ai with a typed id", typed="public", callback=CLAUDE, offline=True),
    Program(name="claude.ai with a typed id and secret", typed="secret", callback=CLAUDE, offline=True),
    Program(
        name="claude.com",
        document="https://claude.ai/oauth/mcp-oauth-client-metadata",
        listed=(CLAUDE, "https://claude.com/api/mcp/auth_callback"),
        metadata=_CLAUDE,
        callback="https://claude.com/api/mcp/auth_callback",
    ),
    Program(
        name="Claude Code",
        document="https://claude.ai/oauth/claude-code-client-metadata",
        listed=_CODE,
        metadata={"client_name": "Claude Code", "token_endpoint_auth_method": "none"},
        callback="http://localhost:53682/callback",
    ),
    Program(
        name="Claude Code 2.1.229",
        document="https://claude.ai/oauth/claude-code-client-metadata",
        listed=_CODE,
        metadata={"client_name": "Claude Code", "token_endpoint_auth_method": "none"},
        callback="http://127.0.0.1:53682/callback",
        revision="2026-07-28",
    ),
    Program(
        name="Claude Code registers",
        listed=("http://localhost:3118/callback",),
        metadata={"client_name": "Claude Code (almanac)", "application_type": "native"},
        callback="http://localhost:3118/callback",
        looks_for=(f"{ASM}/mcp", f"{OIDC}/mcp"),
    ),
    Program(name="Claude Code with --client-id", typed="secret", callback="http://localhost:8080/callback"),
    Program(
        name="ChatGPT",
        document="https://chatgpt.com/oauth/client.json",
        listed=("https://chatgpt.com/connector_platform_oauth_redirect",),
        metadata=_CHATGPT,
        callback="https://chatgpt.com/connector_platform_oauth_redirect",
    ),
    Program(
        name="ChatGPT by connector",
        document="https://chatgpt.com/oauth/k3xWq9/client.json",
        listed=("https://chatgpt.com/connector/oauth/k3xWq9",),
        metadata=_CHATGPT,
        callback="https://chatgpt.com/connector/oauth/k3xWq9",
    ),
    Program(
        name="ChatGPT registers",
        listed=("https://chatgpt.com/connector/oauth/k3xWq9",),
        metadata={"client_name": "ChatGPT", "token_endpoint_auth_method": "client_secret_post"},
        callback="https://chatgpt.com/connector/oauth/k3xWq9",
    ),
    Program(
        name="Codex",
        document="https://chatgpt.com/oauth/codex/client.json",
        listed=("http://127.0.0.1/callback",),
        metadata={"client_name": "Codex", "token_endpoint_auth_method": "none"},
        callback=_codex,
        resources=2,
        looks_for=(f"{OIDC}",),
    ),
    Program(name="Codex registers", metadata={"client_name": "Codex"}, callback=_codex),
    Program(
        name="VS Code",
        document="https://vscode.dev/oauth/client-metadata.json",
        listed=(*_VSCODE, "http://127.0.0.1:33418/"),
        metadata=_VSCODE_AS | {"grant_types": ["authorization_code", "refresh_token", "device_code"]},
        callback="http://127.0.0.1:33418",
        state="https://vscode.dev/redirect?nonce=1&x=%7B%22a%22%3A%5B1%2C2%5D%7D" + "y" * 1900,
    ),
    Program(
        name="VS Code on the web",
        document="https://vscode.dev/oauth/client-metadata.json",
        listed=_VSCODE,
        metadata=_VSCODE_AS,
        callback="https://vscode.dev/redirect",
    ),
    Program(
        name="VS Code registers",
        listed=(*_VSCODE, "http://127.0.0.1:33418/"),
        metadata=_VSCODE_AS | {"grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]},
        callback="http://127.0.0.1:51123/",
    ),
    Program(
        name="Copilot CLI",
        document="https://copilot.example.com/oauth/client.json",
        listed=("http://127.0.0.1:33333",),
        metadata={"client_name": "GitHub Copilot CLI"},
        callback="http://127.0.0.1:44444",
    ),
    Program(name="Copilot CLI registers", listed=("http://127.0.0.1:33333",), callback="http://127.0.0.1:44444/"),
    Program(
        name="Cursor",
        listed=(_CURSOR,),
        metadata={"client_name": "Cursor", "application_type": "web", "token_endpoint_auth_method": "none"},
        callback=_CURSOR,
        discovers="path",
    ),
    Program(
        name="Cursor on loopback",
        listed=("http://localhost:8787/callback", _CURSOR),
        metadata={"client_name": "Cursor", "application_type": "web"},
        callback="http://localhost:8787/callback",
    ),
    Program(
        name="Cursor's cloud agents",
        listed=("https://www.cursor.com/agents/mcp/oauth/callback",),
        metadata={"client_name": "Cursor"},
        callback="https://www.cursor.com/agents/mcp/oauth/callback",
    ),
    Program(
        name="opencode",
        document="https://opencode.ai/oauth/opencode/client.json",
        listed=("http://127.0.0.1/callback",),
        metadata={"client_name": "OpenCode", "token_endpoint_auth_method": "none"},
        callback=_OPENCODE,
    ),
    Program(
        name="opencode registers",
        metadata={"client_name": "OpenCode", "client_uri": "https://opencode.ai"},
        callback=_OPENCODE,
        discovers="root",
    ),
    Program(
        name="Gemini CLI",
        metadata=_GEMINI | {"token_endpoint_auth_method": "none", "scope": ""},
        callback="http://localhost:7777/oauth/callback",
        scope="",
    ),
    Program(
        name="Gemini CLI at the host",
        metadata=_GEMINI,
        callback="http://localhost:60123/oauth/callback",
        scope="",
        discovers="path",
        looks_for=(f"{ASM}/mcp", f"{OIDC}/mcp", f"/mcp{OIDC}"),
    ),
    Program(
        name="Inspector",
        document="https://inspector.example.com/oauth/client.json",
        listed=(_INSPECTOR,),
        metadata={"client_name": "MCP Inspector"},
        callback=_INSPECTOR,
        revision="2026-07-28",
    ),
    Program(
        name="Inspector registers",
        metadata={"client_name": "MCP Inspector", "token_endpoint_auth_method": "client_secret_basic"},
        callback=_INSPECTOR,
        basic=True,
    ),
    Program(name="Inspector with a typed id", typed="public", callback=_INSPECTOR),
)
