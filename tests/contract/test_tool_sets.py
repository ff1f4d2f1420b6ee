"""Test sets of tools: the tools that `?set=` lists, their tokens, and their use with other filters."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.aws import aws_hub
from almanac.composition.families import FAMILIES, TOOL_SETS, families_for_docs
from almanac.identity.access.principal import Principal
from almanac.kernel.caller import Caller, Scope
from almanac.protocol.introduction import introduction
from almanac.protocol.tool import Effect, Tool
from almanac.protocol.toolset import Selection, Toolset
from tests.unit.gateway.events import call_message, message, rest_event

MOST_TOKENS = 8000
"""Limit of a list as a client gets it, at four characters to a token. By o200k_base "core" has about 5,500."""
_FAMILIES = families_for_docs()
_TOOLSET = Toolset(_FAMILIES)
CORE = TOOL_SETS["core"]


def _caller(families: frozenset[str] | None = None, *, readonly: bool = False) -> Caller:
    return Caller(Scope("acme", "web"), "ann", "key", families=families, readonly=readonly)


def _listing_text(tool: Tool) -> str:
    facts = {"name": tool.name, "title": tool.title, "annotations": tool.annotations}
    return f"{json.dumps(facts)}{tool.listing.description}{tool.listing.input}"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The hub's function as it answers `caller` at an address, with no table to open."""
    monkeypatch.setenv("ALMANAC_TABLE", "none")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    handler = aws_hub()

    def answer(sent: Any, query: dict[str, str], caller: Caller | None = None) -> Any:
        event = rest_event(sent, Principal(caller or _caller())) | {"queryStringParameters": query}
        return json.loads(handler(event, None)["body"])

    return answer


@pytest.mark.parametrize("name", sorted(TOOL_SETS))
def test_a_set_names_tools_of_every_family_and_fits_its_budget(name: str) -> None:
    tools = {tool.name: tool for family in _FAMILIES for tool in family.tools}

    assert TOOL_SETS[name] <= tools.keys()
    assert all(TOOL_SETS[name] & {tool.name for tool in family.tools} for family in _FAMILIES)
    assert sum(len(_listing_text(tools[one])) for one in TOOL_SETS[name]) // 4 <= MOST_TOKENS


def test_the_core_set_is_what_the_page_names(repository: Path) -> None:
    told = (repository / "docs/using.md").read_text().partition("The core set is ")[2].partition(".")[0]

    assert re.findall(r"`(\w+)`", told) == sorted(CORE)
    assert len(CORE) == 24


def test_the_function_of_all_families_lists_the_set_and_introduces_nothing_else(hub: Any) -> None:
    listed = hub(message("tools/list"), {"set": "core"})["result"]["tools"]
    client = {"name": "test", "version": "1"}
    opening = message("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
    opened = hub(opening, {"set": "core"})["result"]
    everything = hub(message("tools/list"), {})["result"]["tools"]

    assert {tool["name"] for tool in listed} == CORE
    assert len(everything) == sum(len(family.tools) for family in _FAMILIES)
    assert opened["instructions"] == introduction(_TOOLSET.view(_caller(), Selection(within=CORE)))
    assert "First call context_orient" in opened["instructions"]


def test_an_unknown_set_is_refused_with_those_that_there_are(hub: Any) -> None:
    refused = hub(message("tools/list"), {"set": "small"})["error"]["message"]

    assert 'No set "small" is served here.' in refused
    assert all(name in refused for name in TOOL_SETS)


def test_a_tool_outside_the_set_is_refused_as_by_every_filter(hub: Any) -> None:
    refused = hub(call_message("convert_datetime"), {"set": "core"})["error"]["message"]
    by_pattern = hub(call_message("convert_datetime"), {"tools": "resolve_*"})["error"]["message"]

    assert refused == by_pattern
    assert "convert_datetime cannot be called here: this request is narrowed (families, set, tools" in refused


@pytest.mark.parametrize("key_reads", [False, True])
@pytest.mark.parametrize("own", [None, *FAMILIES])
def test_filters_and_the_scope_of_a_key_narrow_a_set_further(own: str | None, key_reads: bool) -> None:
    caller = _caller(None if own is None else frozenset({own}), readonly=key_reads)
    asked = Selection(families=frozenset(FAMILIES[1:]), tools=("*e*",), readonly=not key_reads, within=CORE)
    expected = {
        tool.name
        for family in _FAMILIES[1:]
        for tool in family.tools
        if own in (None, family.name) and tool.effect is Effect.READS and "e" in tool.name and tool.name in CORE
    }

    assert {tool.name for tool in _TOOLSET.view(caller, asked).tools} == expected
