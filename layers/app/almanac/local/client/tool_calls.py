"""Small client for tool calls over HTTP, which makes the MCP handshake and then calls tools.

The official client takes over a second to import. The tests use the official one.
"""

import http.client
import json
import ssl
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from typing import Any, NamedTuple, cast

import almanac
from almanac.local.client.connection import Connection, Reply

SECONDS = 60.0
REVISION = "2025-11-25"
_SESSION = "mcp-session-id"
_PASSING = frozenset({429, 500, 502, 503, 504})
Json = dict[str, Any]


class Failed(Exception):
    """Raised if a call did not reach a tool. `exit_status` is 2 if the server did not answer, and 1 if it refused.

    If `passing` is true, the same call may succeed later. `retry_after` is the delay in seconds, if the server names
    one.
    """

    def __init__(
        self, message: str, exit_status: int, *, passing: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.exit_status = exit_status
        self.passing = passing
        self.retry_after = retry_after


class Answer(NamedTuple):
    """Answer of a tool. `passing` is true if it is an error and the same call may succeed later. `retry_after` is the
    delay in seconds, if the tool names one."""

    text: str
    structured: Any
    is_error: bool
    passing: bool = False
    retry_after: float | None = None


def call_tool(url: str, key: str, tool: str, arguments: Json, seconds: float = SECONDS) -> Answer:
    """Call the tool in a session of its own. `seconds` is the timeout of each request. Raises Failed with a line that
    tells the user what to do."""
    with closing(Session(url, key, seconds=seconds)) as calls:
        return calls.call(tool, arguments)


@contextmanager
def session(url: str, key: str) -> "Generator[Session]":
    """Open a session for any number of calls over one connection. The first call makes the handshake."""
    calls = Session(url, key)
    try:
        yield calls
    finally:
        calls.close()


class Session:
    """MCP session with a key. `more` holds further headers, such as the project for a key of several projects."""

    def __init__(self, url: str, key: str, more: Mapping[str, str] | None = None, *, seconds: float = SECONDS) -> None:
        self._url = url
        self._seconds = seconds
        self._connection: Connection | None = None
        self._is_open = False
        self._offered: Json = {}
        self._headers = {
            "x-api-key": key,
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "user-agent": f"almanac/{almanac.__version__}",
            **(more or {}),
        }

    def call(self, tool: str, arguments: Json) -> Answer:
        """Call the tool. Raises Failed with a line that tells the user what to do."""
        if not self._is_open:
            self._open()
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        blocks = [cast(Json, block) for block in _as_list(result.get("content")) if isinstance(block, dict)]
        text = "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        facts = _as_object(_as_object(result.get("_meta")).get("almanac/error"))
        passing, after = bool(facts.get("retryable")), _seconds(facts.get("retry_after_seconds"))
        return Answer(text, result.get("structuredContent"), bool(result.get("isError")), passing, after)

    def experimental(self, name: str) -> Json:
        """Return what the server reports about an experimental capability, or {} if it does not have it. Raises
        Failed."""
        if not self._is_open:
            self._open()
        return _as_object(_as_object(self._offered.get("experimental")).get(name))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _open(self) -> None:
        about = {"name": "almanac call", "version": almanac.__version__}
        hello = self._ask("initialize", {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": about})
        self._offered = _as_object(hello.get("capabilities"))
        self._headers["mcp-protocol-version"] = str(hello.get("protocolVersion", REVISION))
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._is_open = True

    def _ask(self, method: str, params: Json) -> Json:
        """Return the result of a request. Raises Failed for an error."""
        reply = self._send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        answer = _read(reply.body)
        if answer is None or not ("result" in answer or "error" in answer):
            raise Failed(f"{self._url} is not an MCP server: its answer is no MCP message.", 2)
        if "error" in answer:
            raise _refusal_of(_as_object(answer["error"]), reply)
        return answer["result"]

    def _send(self, message: Json) -> Reply:
        # Use UTF-8, because escapes can make a text three times as long and the size of requests is limited.
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        try:
            self._connection = self._connection or Connection(self._url, self._seconds)
            reply = self._connection.post(body, self._headers)
        except (ValueError, http.client.InvalidURL) as wrong:
            raise Failed(
                f"{self._url} is not the address of a server. Write it like http://127.0.0.1:8787/mcp.", 2
            ) from wrong
        except (OSError, http.client.HTTPException) as problem:
            raise self._unreached_error(problem) from problem
        if session_id := reply.headers.get(_SESSION):
            self._headers[_SESSION] = session_id
        if reply.status >= 300 and _read(reply.body) is None:
            message_text = f"{self._url} answered with status {reply.status}. Check the address."
            raise Failed(message_text, 2, passing=reply.status in _PASSING, retry_after=_retry_after(reply))
        return reply

    def _unreached_error(self, problem: Exception) -> Failed:
        if isinstance(problem, TimeoutError):
            message = f"{self._url} did not answer within {self._seconds:g} seconds. Look at the server's log."
            return Failed(message, 2, passing=True)
        if isinstance(problem, ssl.SSLError):
            return Failed(f"{self._url} has no certificate that is trusted here. Check the address.", 2)
        hint = "Start one with `almanac serve`, or name another with --url."
        return Failed(f"No server answers at {self._url}. {hint}", 2, passing=True)


def _refusal_of(error: Json, reply: Reply) -> Failed:
    message = str(error.get("message", "The server refused the request."))
    return Failed(message, 1, passing=reply.status in _PASSING, retry_after=_retry_after(reply))


def _retry_after(reply: Reply) -> float | None:
    return _seconds(reply.headers.get("retry-after"))


def _seconds(header: object) -> float | None:
    """Return the number of seconds, or None for anything but a number, such as a date."""
    try:
        return max(0.0, float(cast(Any, header)))
    except (TypeError, ValueError):
        return None


def _read(body: bytes) -> Json | None:
    """Return the JSON object in the body, or the last one of an event stream. Return None for any other body."""
    events = [line.removeprefix(b"data:") for line in body.splitlines() if line.startswith(b"data:")]
    try:
        read: object = json.loads(events[-1] if events else body)
    except ValueError:
        return None
    return cast(Json, read) if isinstance(read, dict) else None


def _as_object(value: object) -> Json:
    return cast(Json, value) if isinstance(value, dict) else {}


def _as_list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
