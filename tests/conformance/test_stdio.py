"""The SDK's stdio server over the same tools, driven by the official client in a process of its own."""

import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

_PROGRAM = """
import anyio
from almanac.protocol.wire.reference import serve_stdio
from almanac.protocol.toolset import Toolset
from tests.conformance.everything.family import CALLER, SERVER, family, host

anyio.run(serve_stdio, Toolset([family()]), host(), CALLER, SERVER)
"""


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_stdio_lists_calls_and_reports(mode: str, repository: Path) -> None:
    seen: list[float] = []

    async def note_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async def main() -> None:
        program = StdioServerParameters(command=sys.executable, args=["-c", _PROGRAM], cwd=repository)
        async with Client(stdio_client(program), mode=mode) as client:
            assert "add" in [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("add", {"left": 2, "right": 3})
            assert result.structured_content == {"total": 5, "asked_at": "2026-11-21T12:00:00+00:00"}
            sparse = await client.call_tool("nulls", {})
            assert sparse.structured_content == {"ended_at": None, "nested": {"a": None, "b": 1}}
            await client.call_tool("test_tool_with_progress", {}, progress_callback=note_progress)
            await client.call_tool("test_x_mcp_header", {"region": "west"})
            assert seen == [0, 50, 100]

    anyio.run(main)
