"""One tool call through the official client."""

from dataclasses import dataclass
from typing import Any, cast

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

SECONDS = 60.0


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


async def call_tool(url: str, key: str, tool: str, arguments: dict[str, Any]) -> Answer:
    """Raises Failed with one line that says what to do."""
    try:
        async with (
            httpx2.AsyncClient(headers={"x-api-key": key}, timeout=SECONDS) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return _answer(await client.call_tool(tool, arguments))
    except MCPError as refused:
        raise Failed(refused.error.message, 1) from refused
    except (httpx2.HTTPError, httpx2.InvalidURL, ExceptionGroup) as problem:
        raise _failed(url, problem) from problem


def _answer(result: CallToolResult) -> Answer:
    text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
    return Answer(text, result.structured_content, bool(result.is_error))


def _innermost(problem: BaseException) -> BaseException:
    """The client's task groups wrap what happened, sometimes more than once."""
    while isinstance(problem, BaseExceptionGroup):
        problem = cast(BaseExceptionGroup[BaseException], problem).exceptions[0]
    return problem


def _failed(url: str, problem: BaseException) -> Failed:
    problem = _innermost(problem)
    if isinstance(problem, MCPError):
        return Failed(problem.error.message, 1)
    if isinstance(problem, httpx2.TimeoutException):
        return Failed(f"{url} did not answer within {SECONDS:g} seconds. Look at the server's log.", 2)
    if isinstance(problem, (httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
        return Failed(f"{url} is no address of a server. Write it like http://127.0.0.1:8787/mcp.", 2)
    if isinstance(problem, httpx2.TransportError):
        return Failed(f"No server answers at {url}. Start one with `almanac serve`, or name another with --url.", 2)
    raise problem
