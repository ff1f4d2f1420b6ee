"""A tool is one function; all else is derived from it."""

import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.protocol.arguments.schema import as_listed
from almanac.protocol.tool import Effect, tool


class FoundThing(msgspec.Struct):
    name: str
    size: int | None = None


class MissingThing(msgspec.Struct):
    name: str
    near: list[str]


class Options(msgspec.Struct, forbid_unknown_fields=True):
    depth: Annotated[int, Meta(ge=1, le=9)] = 1
    order: Literal["up", "down"] = "up"


@tool(title="Look for a thing", effect=Effect.READS, aliases=["seek"])
def look(
    name: Annotated[str, Meta(description="What to look for.", examples=["hat"], min_length=1)],
    options: Annotated[Options | None, Meta(description="How to look.")] = None,
    tags: list[str] | None = None,
    *,
    clock: Clock,
    caller: Caller,
) -> FoundThing | MissingThing:
    """Look for a thing.

    By its name.
    """
    return FoundThing(name, 1) if name == "hat" else MissingThing(name, [])


def test_name_description_and_title_come_from_the_declaration():
    assert (look.name, look.title, look.aliases) == ("look", "Look for a thing", ("seek",))
    assert look.description == "Look for a thing.\n\nBy its name."


def test_positional_parameters_are_arguments_and_keyword_only_ones_are_injected():
    assert list(look.input_schema["properties"]) == ["name", "options", "tags"]
    assert look.signature.collaborators == {"clock": Clock, "caller": Caller}


def test_the_input_schema_is_closed_inlined_and_without_nulls():
    assert look.input_schema == {
        "type": "object",
        "properties": {
            "name": {"description": "What to look for.", "examples": ["hat"], "type": "string", "minLength": 1},
            "options": {
                "description": "How to look.",
                "type": "object",
                "properties": {
                    "depth": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
                    "order": {"type": "string", "enum": ["down", "up"], "default": "up"},
                },
                "additionalProperties": False,
            },
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_a_list_of_tools_shows_no_examples_of_single_values():
    listed = json.loads(look.listing.input)

    assert listed["properties"]["name"] == {"description": "What to look for.", "type": "string"}


def test_a_list_of_tools_shows_bounds_that_a_caller_could_miss_and_leaves_the_others_to_the_check():
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "k": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "least": {"type": "number", "minimum": 0, "maximum": 1},
            "weight": {"type": "number", "minimum": 1, "maximum": 5},
            "days": {"type": "integer", "minimum": 2, "default": 0},
            "at": {"anyOf": [{"type": "integer", "minimum": -(10**14), "maximum": 10**14}, {"type": "string"}]},
            "ttl_ms": {"type": "integer", "minimum": 5000, "maximum": 86_400_000},
            "name": {"type": "string", "pattern": "^[a-z]+$", "description": "Lower-case letters."},
            "tags": {"type": "array", "maxItems": 20, "default": [], "items": {"type": "string", "maxLength": 64}},
            "quiet": {"type": "boolean", "default": False},
        },
    }

    assert as_listed(schema)["properties"] == {
        "k": {"type": "integer", "maximum": 100, "default": 10},
        "least": {"type": "number", "maximum": 1},
        "weight": {"type": "number", "minimum": 1, "maximum": 5},
        "days": {"type": "integer"},
        "at": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "ttl_ms": {"type": "integer"},
        "name": {"type": "string", "description": "Lower-case letters."},
        "tags": {"type": "array", "items": {"type": "string"}},
        "quiet": {"type": "boolean"},
    }


def test_a_list_of_tools_does_not_close_objects_since_the_check_accepts_other_names_of_arguments():
    listed = json.loads(look.listing.input)

    assert "additionalProperties" not in listed
    assert "additionalProperties" not in listed["properties"]["options"]
    assert as_listed({"type": "object", "additionalProperties": {"type": "integer"}})["additionalProperties"]


def test_a_list_of_tools_shows_no_example_of_a_list_of_texts():
    schema: dict[str, Any] = {"type": "array", "examples": [["a"]], "items": {"type": "string"}}

    assert as_listed(schema) == {"type": "array", "items": {"type": "string"}}


def test_a_list_of_tools_describes_a_list_and_not_its_entries_again():
    entry = {"type": "object", "properties": {"text": {"type": "string"}}, "description": "One decision."}
    described = as_listed({"type": "array", "description": "Decisions.", "items": entry})

    assert described["items"] == {"type": "object", "properties": {"text": {"type": "string"}}}
    assert as_listed({"type": "array", "items": entry})["items"]["description"] == "One decision."


def test_the_paragraphs_of_a_description_have_no_line_breaks():
    @tool(title="Wrap", effect=Effect.READS)
    def wrapped(name: str) -> FoundThing:
        """Look for a thing,
        and for its name.

        In a second paragraph.
        """
        return FoundThing(name)

    assert wrapped.description == "Look for a thing, and for its name.\n\nIn a second paragraph."


def test_a_list_of_tools_keeps_an_example_that_shows_how_values_are_nested():
    schema = {"type": "array", "examples": [[{"a": 1}]], "items": {"type": "object", "examples": [{"a": 1}]}}

    assert as_listed(schema) == schema


def test_a_result_that_is_one_of_two_structures_is_one_object():
    schema = look.output_schema

    assert schema is not None
    assert schema["type"] == "object"
    assert set(schema["properties"]) == {"name", "size", "near"}
    assert schema["required"] == ["name"]


@pytest.mark.parametrize(
    ("effect", "hints"),
    [
        (Effect.READS, (True, False, True)),
        (Effect.ADDS, (False, False, False)),
        (Effect.SETS, (False, False, True)),
        (Effect.REMOVES, (False, True, True)),
    ],
)
def test_one_effect_gives_the_hints(effect: Effect, hints: tuple[bool, bool, bool]):
    @tool(title="Do", effect=effect, open_world=True)
    def do() -> FoundThing:
        """Do."""
        return FoundThing("x")

    given = do.annotations

    assert (given["readOnlyHint"], given["destructiveHint"], given["idempotentHint"]) == hints
    assert given["openWorldHint"] is True


def test_a_tool_is_still_the_plain_function(clock: Any, caller: Any):
    assert look("hat", clock=clock, caller=caller) == FoundThing("hat", 1)


def test_a_result_that_is_no_object_is_refused_when_its_schema_is_made():
    @tool(title="Count", effect=Effect.READS)
    def count() -> int:
        """Count."""
        return 1

    with pytest.raises(TypeError, match="root object"):
        _ = count.output_schema
