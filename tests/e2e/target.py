"""Targets of the end-to-end suite: a laptop server, the stack on an emulator, or any address with a key."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from almanac.composition.aws import open_table
from almanac.composition.settings import Settings
from almanac.kernel.clock import SystemClock
from almanac.local.client.feed_watch import feed_url
from almanac.local.data_folder import DataFolder
from almanac.platform.store.port import Store
from tests.e2e import local_stack
from tests.e2e.local_stack import REGION, ZONE, Stack
from tests.integration.local import server_process

TENANT = "e2e"
MODES = ("auto", "legacy")
SECONDS = 180.0
OUTPUT_SCHEMAS = {"x-almanac-output-schemas": "1"}
"""With them the official client checks what is structured in an answer."""


@dataclass(frozen=True)
class Target:
    """An installation under test.

    `url` is the hub's, and `feed_url` the live feed's if it is known. `command_line` runs `almanac` on the target's
    keys, and is None if the tests may not. `home` is the home folder of a server that may write there. `public_url` is
    set if it differs from the hub's.
    """

    url: str
    key: str
    feed_url: str | None
    command_line: Callable[..., str] | None = None
    open_store: Callable[[], Store] | None = None
    stack: Stack | None = None
    home: Path | None = None
    public_url: str | None = None

    @property
    def origin(self) -> str:
        """The address at which people and programs sign in, without a path."""
        return self.public_url or self.url.removesuffix("/mcp")

    def transport(self) -> httpx2.AsyncHTTPTransport:
        """Reaches `origin`, whose name only the emulator knows."""
        return httpx2.AsyncHTTPTransport() if self.stack is None else _ByName(self.stack.endpoint)

    def issue(self, *terms: str) -> str:
        """Another key of the same tenant."""
        assert self.command_line is not None
        return self.command_line("keys", "issue", "--tenant", TENANT, "--timezone", ZONE, *terms).strip()

    def post(self, method: str = "tools/list", path: str = "", key: str | None = None, **more: Any) -> httpx2.Response:
        """One message in the older era's form, without a client; `path` goes behind the hub's. "" sends no key."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": more.pop("params", {})}
        return self.request("POST", path, key=key, content=json.dumps(message), **more)

    def request(self, verb: str, path: str = "", key: str | None = None, **more: Any) -> httpx2.Response:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        headers["mcp-protocol-version"] = "2025-11-25"
        key = self.key if key is None else key
        if key:
            headers["x-api-key"] = key
        headers |= more.pop("headers", {})
        return httpx2.request(verb, self.url + path, headers=headers, timeout=SECONDS, **more)

    def list_tools(self, path: str = "", *, mode: str = "auto", key: str | None = None) -> list[str]:
        """Names of tools, by the official client."""

        async def use(client: Client) -> list[str]:
            return [tool.name for tool in (await client.list_tools()).tools]

        return self._with_client(path, mode, key or self.key, use)

    def call(
        self, tool: str, arguments: dict[str, Any], path: str = "", *, mode: str = "auto", key: str | None = None
    ) -> CallToolResult:
        async def use(client: Client) -> CallToolResult:
            return await client.call_tool(tool, arguments)

        return self._with_client(path, mode, key or self.key, use)

    def ask(self, tool: str, path: str = "", /, *, mode: str = "auto", **arguments: Any) -> dict[str, Any]:
        """The structured result of a call that must succeed."""
        result = self.call(tool, arguments, path, mode=mode)
        assert not result.is_error, result_text(result)
        answer: dict[str, Any] = json.loads(result_text(result))
        assert answer == result.structured_content
        return answer

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """Tools by family, of the families that are served here and that the key may use."""
        found: dict[str, list[str]] = {}
        for name in ("time", "calendar", "planner", "context", "memory", "team", "knowledge", "code", "skills"):
            answer = self.post(path=f"/{name}")
            if answer.status_code not in (403, 404):
                found[name] = [tool["name"] for tool in answer.json()["result"]["tools"]]
        return found

    def _with_client(self, path: str, mode: str, key: str, use: Callable[[Client], Any]) -> Any:
        async def main() -> Any:
            async with (
                httpx2.AsyncClient(headers={"x-api-key": key, **OUTPUT_SCHEMAS}, timeout=SECONDS) as http,
                Client(streamable_http_client(self.url + path, http_client=http), mode=mode) as client,
            ):
                try:
                    return await use(client)
                except MCPError as refused:  # leaving the client with an error would wrap it in groups
                    return refused

        answer = anyio.run(main)
        if isinstance(answer, MCPError):
            raise answer
        return answer


class _ByName(httpx2.AsyncHTTPTransport):
    """Sends each request to one address, under the host name that it was made for."""

    def __init__(self, endpoint: str) -> None:
        super().__init__()
        self._at = httpx2.URL(endpoint)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url.copy_with(scheme=self._at.scheme, host=self._at.host, port=self._at.port)
        sent = httpx2.Request(
            request.method, url, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        return await super().handle_async_request(sent)


def result_text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


@contextmanager
def laptop(folder: Path) -> Generator[Target]:
    """`almanac serve` in a process of its own."""
    almanac = Path(sys.executable).parent / "almanac"

    def command_line(*arguments: str) -> str:
        environment = server_process.environment()
        done = subprocess.run(
            [almanac, *arguments, "--data", folder], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    # Nobody's own clients are to be configured by tests.
    home = folder.with_name("home")
    home.mkdir()
    with server_process.run_server([almanac, "serve", "--port", "0", "--data", folder], HOME=str(home)) as server:
        command_line("tenants", "create", TENANT)
        key = command_line("keys", "issue", "--tenant", TENANT, "--timezone", ZONE).strip()
        yield Target(
            server.url,
            key,
            feed_url(server.url),
            command_line,
            lambda: DataFolder(folder).open_store(SystemClock()),
            home=home,
        )


@contextmanager
def deploy_emulated(search: str | None) -> Generator[Target]:
    """Deploy the template onto ministack. An OpenSearch node at `search` stands for its domain."""
    with local_stack.deploy_on_emulator(search=search) as stack:
        key = local_stack.first_key(stack, TENANT)
        yield Target(
            stack.url,
            key,
            stack.feed_url,
            stack.almanac,
            lambda: open_table(Settings(table=stack.table, region=REGION, endpoint=stack.endpoint)),
            stack=stack,
            public_url=local_stack.PUBLIC_URL,
        )


def target_from_environment() -> Target | None:
    """Return the target that ALMANAC_URL, ALMANAC_API_KEY and, for the live feed, ALMANAC_FEED_URL name."""
    url, key = os.environ.get("ALMANAC_URL", "").rstrip("/"), os.environ.get("ALMANAC_API_KEY", "")
    return Target(url, key, os.environ.get("ALMANAC_FEED_URL")) if url and key else None


def eventually(what: Callable[[], Any], seconds: float = 120, every: float = 0.25) -> Any:
    """Ask until the answer is true, and return it. Work behind a queue can only be awaited by asking."""
    ends = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < ends, f"not within {seconds} seconds"
        time.sleep(every)
    return answer
