"""One tool call over HTTP, by a client small enough to be there at once: MCP's handshake, then the call.

The official client takes over a second to import. It is what the tests drive the server with.
"""

import http.client
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import almanac

SECONDS = 60.0
REVISION = "2025-11-25"
_SESSION = "Mcp-Session-Id"
_MAX_BYTES = 64 * 1024 * 1024
Json = dict[str, Any]


class Failed(Exception):
    """The call did not reach a tool: `exit_status` 2 where no server answered, 1 where it refused."""

    def __init__(self, message: str, exit_status: int) -> None:
        super().__init__(message)
        self.exit_status = exit_status


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    structured: Any
    is_error: bool


def call_tool(url: str, key: str, tool: str, arguments: Json) -> Answer:
    """Raises Failed with one line that says what to do."""
    client = _Client(url, key)
    client.open()
    result = client.ask("tools/call", {"name": tool, "arguments": arguments})
    blocks = [cast(Json, block) for block in _listed(result.get("content")) if isinstance(block, dict)]
    text = "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    return Answer(text, result.get("structuredContent"), bool(result.get("isError")))


class _Client:
    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._headers = {
            "x-api-key": key,
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "user-agent": f"almanac/{almanac.__version__}",
        }

    def open(self) -> None:
        about = {"name": "almanac call", "version": almanac.__version__}
        hello = self.ask("initialize", {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": about})
        self._headers["mcp-protocol-version"] = str(hello.get("protocolVersion", REVISION))
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: Json) -> Json:
        """The result of a request. Raises Failed for an error."""
        return self._result(self._send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))

    def _result(self, body: bytes) -> Json:
        answer = _read(body)
        if answer is None or not ("result" in answer or "error" in answer):
            raise Failed(f"{self._url} is no MCP server: it answered something else.", 2)
        if "error" in answer:
            raise Failed(str(cast(Json, answer["error"]).get("message", "The server refused the request.")), 1)
        return answer["result"]

    def _send(self, message: Json) -> bytes:
        if not self._url.lower().startswith(("http://", "https://")):
            raise _no_address(self._url)
        try:
            request = urllib.request.Request(self._url, json.dumps(message).encode(), self._headers)  # noqa: S310
            with urllib.request.urlopen(request, timeout=SECONDS) as response:  # noqa: S310 - the scheme is checked
                self._remember(response.headers)
                return _body(response)
        except urllib.error.HTTPError as refused:
            return self._refusal(refused)
        except (ValueError, http.client.InvalidURL) as wrong:
            raise _no_address(self._url) from wrong
        except (OSError, http.client.HTTPException) as problem:
            raise self._unreached(problem) from problem

    def _remember(self, headers: Mapping[str, str]) -> None:
        if session := headers.get(_SESSION):
            self._headers[_SESSION] = session

    def _refusal(self, refused: urllib.error.HTTPError) -> bytes:
        """What was said in MCP's words, of an answer with another status than 200."""
        with refused:
            body = _body(refused)
        if _read(body) is None:
            raise Failed(f"{self._url} answered with status {refused.code}. Check the address.", 2)
        return body

    def _unreached(self, problem: Exception) -> Failed:
        cause = problem.reason if isinstance(problem, urllib.error.URLError) else problem
        if isinstance(cause, TimeoutError):
            return Failed(f"{self._url} did not answer within {SECONDS:g} seconds. Look at the server's log.", 2)
        if isinstance(cause, ssl.SSLError):
            return Failed(f"{self._url} has no certificate that is trusted here. Check the address.", 2)
        hint = "Start one with `almanac serve`, or name another with --url."
        return Failed(f"No server answers at {self._url}. {hint}", 2)


def _body(response: Any) -> bytes:
    return response.read(_MAX_BYTES)


def _read(body: bytes) -> Json | None:
    """A JSON object, or the last one of an event stream."""
    events = [line.removeprefix(b"data:") for line in body.splitlines() if line.startswith(b"data:")]
    try:
        read: object = json.loads(events[-1] if events else body)
    except ValueError:
        return None
    return cast(Json, read) if isinstance(read, dict) else None


def _listed(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _no_address(url: str) -> Failed:
    return Failed(f"{url} is no address of a server. Write it like http://127.0.0.1:8787/mcp.", 2)
