"""Example calls for the pages of tools, made by the real families on an empty store at a fixed time."""

import itertools
import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, cast

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.gateway.http.hosts import host_for, hub_server
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.http import HttpEndpoint, Request

_NOW = datetime(2026, 3, 16, 13, 0, tzinfo=UTC)
_CALLER = Caller(Scope("acme", "web"), actor="ann@example.org", key_id="docs", default_timezone="America/New_York")
_HEADERS = {"content-type": "application/json", "mcp-protocol-version": "2025-11-25"}
_RANDOM = re.compile(r"(?<![0-9A-Za-z])\d([0-9A-Z]{25}|[0-9a-z]{25})(?![0-9A-Za-z])")
_WIDTH = 100

CALLS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("resolve_datetime", {"expression": "next Tuesday at 2pm"}),
    ("calendar_create_event", {"title": "Review the plan", "date": "2026-03-17", "time": "14:00"}),
    ("kanban_create_card", {"columnId": "col_todo", "title": "Write the page", "dueDate": "2026-03-18"}),
    ("notes_create", {"title": "Plan", "body": "# Plan\n\nShip on Friday.", "tags": ["work"]}),
    ("journal_create", {"title": "A good day", "date": "2026-03-16", "body": "Walked to work.", "mood": "good"}),
    ("calendar_list_events", {"dateFrom": "2026-03-16", "dateTo": "2026-03-20"}),
    ("daily_overview", {"startDate": "2026-03-16", "days": 3}),
    (
        "book_slot",
        {
            "calendar_id": "primary",
            "start": "2026-03-18T09:00:00-04:00",
            "end": "2026-03-18T09:30:00-04:00",
            "summary": "Call Ben",
        },
    ),
    ("claim", {"key": "file:src/auth.py", "holder": "claude-code@ann#7f3a", "ttl_ms": 900_000}),
)
"""The calls in order. Later calls show what earlier ones made."""


@cache
def examples() -> Mapping[str, tuple[str, str]]:
    """Return arguments and answer as JSON, by tool. Raises RuntimeError if a call fails."""
    with tempfile.TemporaryDirectory() as folder:
        clock = FixedClock(_NOW)
        store = SqliteStore(Path(folder) / "docs.db", clock=clock, cursor_secret=bytes(32))
        families = every_family(services_for(store, clock))
        endpoint = HttpEndpoint(
            Toolset(families), host_for(families, clock, ConsoleTelemetry()), server=hub_server(families)
        )
        made = {tool: (arguments, _answer(endpoint, tool, arguments)) for tool, arguments in CALLS}
        store.close()
    names: dict[str, str] = {}
    numbers = itertools.count(1)

    def replace_id(found: re.Match[str]) -> str:
        """Return a fixed id in place of a random id, which would differ in each run."""
        if found[0] not in names:
            number = f"{next(numbers):04d}"
            names[found[0]] = found[0][:10] + "0" * 12 + number
        return names[found[0]]

    return {
        tool: (_format_json(arguments), _RANDOM.sub(replace_id, _format_json(answer)))
        for tool, (arguments, answer) in made.items()
    }


def example_lines(tool: str) -> Iterator[str]:
    """Yield the lines of the example section of a tool's page, none for a tool without an example."""
    if tool in examples():
        arguments, answer = examples()[tool]
        yield f"An example, with the arguments\n\n```json\n{arguments}\n```\n"
        yield f"and the answer\n\n```json\n{answer}\n```\n"


def _answer(endpoint: HttpEndpoint, tool: str, arguments: Mapping[str, Any]) -> Any:
    params = {"name": tool, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    said = json.loads(endpoint.answer(Request("POST", _HEADERS, body), _CALLER).body)
    result = said.get("result", {})
    if "structuredContent" not in result or result.get("isError"):
        raise RuntimeError(f"the example of {tool} does not work any more: {json.dumps(said)[:500]}")
    return result["structuredContent"]


def _format_json(value: Any, indent: int = 0) -> str:
    """Return the value as JSON, with short objects and lists on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= _WIDTH:
        return flat
    pad = " " * (indent + 2)
    match value:
        case dict():
            named = cast(dict[str, Any], value).items()
            inner, ends = [f"{json.dumps(name)}: {_format_json(each, indent + 2)}" for name, each in named], "{}"
        case list():
            inner, ends = [_format_json(each, indent + 2) for each in cast(list[Any], value)], "[]"
        case _:
            return flat
    return f"{ends[0]}\n{pad}" + f",\n{pad}".join(inner) + f"\n{' ' * indent}{ends[1]}"
