"""An agent with one connection to the hub, by the official client. Each result, of a refusal too, is held against the
tool's output schema."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.e2e.target import OUTPUT_SCHEMAS, SECONDS, Target, result_text

Json = dict[str, Any]


class PlannerAgent:
    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self._client = client
        self._portal = portal

    def do(self, tool: str, /, **arguments: Any) -> Any:
        """The data of a call that must succeed; for tools of other families their whole result."""
        result = self._call(tool, arguments)
        assert not result.is_error, result_text(result)
        answer: Json = json.loads(result_text(result))
        assert answer == result.structured_content
        if not {"ok", "data", "error"} <= answer.keys():
            return answer
        assert (answer["ok"], answer["error"]) == (True, None)
        return answer["data"]

    def assert_refused(self, tool: str, sentence: str, /, **arguments: Any) -> None:
        """A call that must be refused with an error that says `sentence`, in the envelope and as isError."""
        result = self._call(tool, arguments)
        assert result.is_error, result_text(result)
        answer: Json = json.loads(result_text(result))
        assert answer == result.structured_content
        assert (answer["ok"], answer["data"]) == (False, None)
        assert sentence in answer["error"]
        # A sentence or two: what is the matter, and what to do.
        assert answer["error"][-1] in ".?!", answer["error"]

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        """Return the refusal of a call that must be refused, by a tool without the planner's envelope."""
        result = self._call(tool, arguments)
        assert result.is_error, result_text(result)
        return result_text(result)

    def _call(self, tool: str, arguments: Json) -> CallToolResult:
        result = self._portal.call(self._client.call_tool, tool, arguments)
        if result.structured_content is not None:
            self._portal.call(self._client.session.validate_tool_result, tool, result)
        return result


@contextmanager
def connect_agent(target: Target, mode: str = "auto") -> Generator[PlannerAgent]:
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(
            httpx2.AsyncClient(headers={"x-api-key": target.key, **OUTPUT_SCHEMAS}, timeout=SECONDS)
        ) as http,
        portal.wrap_async_context_manager(
            Client(streamable_http_client(target.url, http_client=http), mode=mode)
        ) as client,
    ):
        yield PlannerAgent(client, portal)
