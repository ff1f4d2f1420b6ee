"""The official client, in every mode it has, against the fixture family on loopback."""

from collections.abc import Awaitable, Callable, Generator
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from almanac.protocol.message.revisions import HANDSHAKE, STATELESS
from tests.conformance.everything.family import CALLER, endpoint
from tests.conformance.shim import serve_endpoint

MODES = ["auto", "legacy", *STATELESS]


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    with serve_endpoint(endpoint(), CALLER) as address:
        yield address


async def _elicit(*_: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"name": "Ada", "ok": True, "color": "blue", "context": "a test"})


async def _sample(*_: Any) -> CreateMessageResult:
    return CreateMessageResult(role="assistant", content=TextContent(text="Hello!"), model="fake")


async def _list_roots(*_: Any) -> ListRootsResult:
    return ListRootsResult(roots=[])


def _with_client(url: str, mode: str, use: Callable[[Client], Awaitable[None]], **options: Any) -> None:
    async def main() -> None:
        async with (
            httpx2.AsyncClient(headers={"x-api-key": "k"}) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode, **options) as client,
        ):
            await use(client)

    anyio.run(main)


def test_the_same_revisions_are_served_as_the_client_knows() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == HANDSHAKE
    assert tuple(MODERN_PROTOCOL_VERSIONS) == STATELESS


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_settles_on_the_newest_revision_of_its_era(url: str, mode: str) -> None:
    async def use(client: Client) -> None:
        assert client.session.protocol_version == (HANDSHAKE[-1] if mode == "legacy" else STATELESS[-1])

    _with_client(url, mode, use)


@pytest.mark.parametrize("query", ["", "?output_schemas=1"])
@pytest.mark.parametrize("mode", MODES)
def test_tools_are_listed_with_all_that_they_declare_and_called(url: str, mode: str, query: str) -> None:
    async def use(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == sorted(tools)
        added = tools["add"]
        assert added.title == "Add"
        assert added.annotations is not None
        assert added.annotations.read_only_hint is True
        assert (added.output_schema is not None) is bool(query)
        result = await client.call_tool("add", {"left": 2, "right": 3})
        assert result.structured_content == {"total": 5, "asked_at": "2026-11-21T12:00:00+00:00"}
        assert isinstance(result.content[0], TextContent)
        assert '"total":5' in result.content[0].text

    _with_client(url + query, mode, use)


@pytest.mark.parametrize("mode", MODES)
def test_what_goes_wrong_is_told_apart(url: str, mode: str) -> None:
    async def use(client: Client) -> None:
        refused = await client.call_tool("add", {"left": "two"})
        assert refused.is_error
        defect = await client.call_tool("fall_over", {})
        assert defect.is_error
        assert "hunter2" not in str(defect.content)
        assert "REF-1" in str(defect.content)
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("nobody", {})
        assert unknown.value.code == -32602

    _with_client(url, mode, use)


@pytest.mark.parametrize("mode", MODES)
def test_resources_are_listed_and_read(url: str, mode: str) -> None:
    async def use(client: Client) -> None:
        first = await client.list_resources()
        rest = await client.list_resources(cursor=first.next_cursor)
        assert [one.uri for one in (*first.resources, *rest.resources)] == [
            "test://static-binary",
            "test://static-text",
            "test://watched-resource",
            "skill://alpha/SKILL.md",
            "skill://beta/SKILL.md",
            "skill://damaged/SKILL.md",
        ]
        (page,) = (await client.read_resource("test://static-text")).contents
        assert isinstance(page, TextResourceContents)
        assert page.text == "The content of the static text resource."
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["test://template/{id}/data", "skill://{name}/{+path}"]
        (skill,) = (await client.read_resource("skill://beta/SKILL.md")).contents
        assert isinstance(skill, TextResourceContents)
        assert skill.text.endswith("Say who asks.\n")
        (filled,) = (await client.read_resource("test://template/seven/data")).contents
        assert isinstance(filled, TextResourceContents)
        assert '"id": "seven"' in filled.text

    _with_client(url, mode, use)


@pytest.mark.parametrize("mode", MODES)
def test_prompts_are_listed_rendered_and_completed(url: str, mode: str) -> None:
    async def use(client: Client) -> None:
        assert "test_simple_prompt" in [prompt.name for prompt in (await client.list_prompts()).prompts]
        rendered = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
        assert isinstance(rendered.messages[0].content, TextContent)
        assert "arg1='a'" in rendered.messages[0].content.text
        prompt = PromptReference(name="test_prompt_with_arguments")
        assert (await client.complete(prompt, {"name": "arg1", "value": "par"})).completion.values == [
            "paris",
            "park",
            "party",
        ]
        template = ResourceTemplateReference(uri="test://template/{id}/data")
        assert (await client.complete(template, {"name": "id", "value": "zzz"})).completion.values == []

    _with_client(url, mode, use)


@pytest.mark.parametrize("mode", MODES)
def test_progress_arrives_before_the_result(url: str, mode: str) -> None:
    seen: list[float] = []

    async def note_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async def use(client: Client) -> None:
        await client.call_tool("test_tool_with_progress", {}, progress_callback=note_progress)
        assert seen == [0, 50, 100]

    _with_client(url, mode, use)


@pytest.mark.parametrize("mode", ["auto", *STATELESS])
@pytest.mark.parametrize(
    "name",
    [
        "test_input_required_result_elicitation",
        "test_input_required_result_request_state",
        "test_input_required_result_multi_round",
        "test_input_required_result_multiple_inputs",
    ],
)
def test_a_tool_gets_its_answers_from_the_client(url: str, mode: str, name: str) -> None:
    async def use(client: Client) -> None:
        result = await client.call_tool(name, {})
        assert not result.is_error
        assert result.content

    _with_client(
        url,
        mode,
        use,
        elicitation_callback=_elicit,
        sampling_callback=_sample,
        list_roots_callback=_list_roots,
    )


def test_a_prompt_gets_its_answers_from_the_client(url: str) -> None:
    async def use(client: Client) -> None:
        rendered = await client.get_prompt("test_input_required_result_prompt")
        assert isinstance(rendered.messages[0].content, TextContent)
        assert rendered.messages[0].content.text == "Use this context: a test"

    _with_client(url, STATELESS[-1], use, elicitation_callback=_elicit)


def test_an_argument_is_repeated_in_a_header_by_the_client_itself(url: str) -> None:
    async def use(client: Client) -> None:
        await client.list_tools()
        result = await client.call_tool("test_x_mcp_header", {"region": "Zürich ", "priority": 3})
        assert not result.is_error

    _with_client(url, STATELESS[-1], use)
