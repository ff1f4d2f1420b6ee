"""Rules that hold for each tool of each family, present and to come."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.families import families_for_docs
from almanac.protocol.family import Family
from almanac.protocol.tool import Tool
from tools.documents.main import documents

MAX_DESCRIPTION = 1500
MAX_TOKENS_PER_TOOL = 800
"""Of what a model reads: name, description and input schema. Four characters to a token, by the usual rule of thumb."""
TOKENS_OF_FAMILIES = {
    "time": 1600,
    "calendar": 2860,
    "planner": 6067,
    "context": 3040,
    "memory": 3175,
    "knowledge": 1545,
    "code": 1261,
    "skills": 821,
    "team": 4131,
}
"""As counted by `tokens`, within 2 %. A commit that adds a tool or changes texts changes them, with its reason."""
MAX_PROPERTY_TEXT = 90
MAX_TOOLS_PER_FAMILY = 32
MAX_INSTRUCTIONS_BYTES = 2048
MAX_OUTPUT_TOKENS = 1500
"""The output schema stays with most clients."""

LOOK_ALIKE = (
    ("book_slot", "calendar_create_event"),
    ("cancel_booking", "calendar_delete_event"),
    ("context_getCurrent", "context_orient"),
    ("context_orient", "get_snapshot"),
    ("context_recall", "search_memory"),
    ("context_reportEvent", "context_store"),
    ("context_searchCode", "search_code"),
    ("context_store", "notes_create"),
    ("context_store", "pin_memory"),
    ("context_store", "record_fact"),
    ("context_summarize", "summarize_session"),
    ("convert_datetime", "convert_timezone"),
    ("create_edge", "items_link"),
    ("extract_semantic", "context_store"),
    ("find_free_slots", "get_availability"),
    ("forget_memory", "context_delete"),
    ("get_event", "calendar_get_event"),
    ("get_memory", "context_get"),
    ("get_temporal_context", "context_orient"),
    ("journal_create", "notes_create"),
    ("list_events", "calendar_list_events"),
    ("list_pending_reviews", "list_reviews"),
    ("list_skills", "list_default_skills"),
    ("record_turn", "context_store"),
    ("search_memory", "notes_search"),
    ("set_broadcast", "context_store"),
    ("update_booking", "calendar_update_event"),
)
"""A user's words fit both."""

JSON_TYPES = {"boolean": bool, "integer": int, "string": str}

FAMILIES = families_for_docs()
TOOLS = [tool for family in FAMILIES for tool in family.tools]
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
every_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def schemas_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for child in [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]:
        yield from schemas_in(child)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from schemas_in(schema[key])


def tokens(tool: Tool) -> int:
    return len(tool.name + tool.description + json.dumps(json.loads(tool.listing.input))) // 4


def test_no_two_tools_share_a_name_or_alias():
    names = [name for tool in TOOLS for name in (tool.name, *tool.aliases)]

    assert len(names) == len(set(names))


@every_tool
def test_a_name_is_one_that_every_client_takes(tool: Tool):
    assert re.fullmatch(r"[a-z][a-zA-Z0-9_]{0,39}", tool.name)


@every_tool
def test_a_description_says_enough_and_not_too_much(tool: Tool):
    assert 80 <= len(tool.description) <= MAX_DESCRIPTION
    assert tool.title
    assert tool.title != tool.name


@every_tool
def test_all_four_hints_are_given(tool: Tool):
    hints = tool.annotations

    assert all(
        isinstance(hints[f"{hint}Hint"], bool) for hint in ("readOnly", "destructive", "idempotent", "openWorld")
    )
    assert not (hints["readOnlyHint"] and hints["destructiveHint"])


@every_tool
def test_input_is_a_closed_object_without_root_combinators(tool: Tool):
    schema = tool.input_schema

    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert not schema.keys() & {"anyOf", "oneOf", "allOf", "not", "$ref"}


@every_tool
def test_output_is_an_object_without_root_combinators(tool: Tool):
    schema = tool.output_schema

    assert schema is not None
    assert schema["type"] == "object"
    assert schema["properties"]
    assert not schema.keys() & {"anyOf", "oneOf", "allOf", "not", "$ref"}


@every_tool
def test_schemas_use_nothing_that_a_client_refuses(tool: Tool):
    for schema in [*schemas_in(tool.input_schema), *schemas_in(tool.output_schema or {})]:
        assert "$ref" not in schema
        assert not isinstance(schema.get("type"), list)


@every_tool
def test_each_value_of_an_enumeration_is_of_its_type(tool: Tool):
    # A client that validates results refuses all of a tool otherwise: to JSON Schema, true is no integer.
    for schema in [*schemas_in(tool.input_schema), *schemas_in(tool.output_schema or {})]:
        for value in schema.get("enum", []):
            assert "type" not in schema or type(value) is JSON_TYPES[schema["type"]], value


@every_tool
def test_every_argument_is_described_and_typed(tool: Tool):
    for name, schema in tool.input_schema.get("properties", {}).items():
        assert schema.get("description"), f"{name} has no description"
        assert "type" in schema or "anyOf" in schema, f"{name} has no type"


@every_tool
def test_a_tool_fits_the_token_budget(tool: Tool):
    assert tokens(tool) <= MAX_TOKENS_PER_TOOL
    assert len(json.dumps(tool.output_schema)) // 4 <= MAX_OUTPUT_TOKENS


@every_family
def test_a_family_fits_its_limits(family: Family):
    assert 1 <= len(family.tools) <= MAX_TOOLS_PER_FAMILY
    assert len(family.instructions.encode()) <= MAX_INSTRUCTIONS_BYTES


@every_family
def test_a_family_costs_a_model_what_is_recorded(family: Family):
    counted, recorded = sum(map(tokens, family.tools)), TOKENS_OF_FAMILIES[family.name]

    assert abs(counted - recorded) <= 0.02 * recorded, f"{family.name} costs {counted} tokens"


@every_tool
def test_a_text_of_a_property_is_short(tool: Tool):
    texts = [schema.get("description", "") for schema in schemas_in(tool.input_schema)]

    assert [text for text in texts if len(text) > MAX_PROPERTY_TEXT] == []


@every_tool
def test_a_description_gives_no_commands_about_order(tool: Tool):
    assert not re.search(r"(?i)\bcall (this|it)( tool)? (first|at the start)\b|\balways (call|use)\b", tool.description)


@pytest.mark.parametrize(("one", "other"), LOOK_ALIKE)
def test_of_two_tools_that_look_alike_one_says_when_to_use_the_other(one: str, other: str):
    texts = {tool.name: tool.description.partition("\n\n")[0] for tool in TOOLS}

    assert re.search(rf"\b{other}\b", texts[one]) or re.search(rf"\b{one}\b", texts[other])


@every_family
def test_instructions_name_only_tools_and_arguments_that_exist(family: Family):
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", family.instructions))
    own = {name for tool in family.tools for name in _words_of(tool)}

    assert named <= own | {tool.name for tool in TOOLS}


def _words_of(tool: Tool) -> set[str]:
    """Names of arguments and results, and the values that they may have."""
    schemas = [*schemas_in(tool.input_schema), *schemas_in(tool.output_schema or {})]
    properties = {name for schema in schemas for name in schema.get("properties", {})}
    return properties | {str(value) for schema in schemas for value in schema.get("enum", [])}


@pytest.mark.parametrize(("path", "text"), list(documents()), ids=lambda value: value if "/" in value[:12] else "")
def test_derived_documents_are_current(path: str, text: str, repository: Path):
    assert (repository / path).read_text() == text, f"{path} is not current: run make docs"
