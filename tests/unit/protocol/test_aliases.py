"""Test that a wrong argument name is corrected if its meaning is clear."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.composition.families import families_for_docs
from almanac.kernel.errors import InvalidInput
from almanac.protocol.arguments.conversion import LIKELY_NAMES, convert, correct_names

TOOLS = {tool.name: tool for family in families_for_docs() for tool in family.tools}
NAMES = sorted({name for tool in TOOLS.values() for name in tool.input_schema["properties"]} | LIKELY_NAMES.keys())


def corrected_names(tool: str, **arguments: Any) -> dict[str, Any]:
    return correct_names(arguments, TOOLS[tool].input_schema["properties"])


@pytest.mark.parametrize(
    ("tool", "wrong", "right"),
    [
        ("notes_create", "content", "body"),
        ("context_store", "text", "content"),
        ("record_turn", "message", "content"),
        ("book_slot", "title", "summary"),
        ("journal_create", "summary", "title"),
        ("kanban_create_card", "name", "title"),
        ("kanban_move_card", "id", "cardId"),
        ("forget_memory", "id", "memory_id"),
        ("acknowledge_message", "id", "message_id"),
        ("answer_handover", "id", "handoverId"),
        ("notes_get", "note_id", "noteId"),
        ("get_memory", "memoryId", "memory_id"),
        ("notes_search", "query", "q"),
        ("search_memory", "limit", "k"),
        ("list_events", "max_results", "limit"),
        ("get_temporal_context", "tz", "timezone"),
        ("convert_timezone", "timezone", "target_timezone"),
        ("convert_datetime", "timezone", "target_time_zone"),
        ("find_free_slots", "start_time", "start"),
        ("find_free_slots", "end_time", "end"),
        ("calendar_create_event", "start_time", "time"),
        ("kanban_create_card", "due_date", "dueDate"),
        ("calendar_create_event", "duration", "durationMinutes"),
    ],
)
def test_a_name_that_models_get_wrong_is_read_as_the_right_one(tool: str, wrong: str, right: str):
    assert corrected_names(tool, **{wrong: "x"}) == {right: "x"}


@pytest.mark.parametrize("wrong", sorted(LIKELY_NAMES))
def test_every_wrong_name_means_something_to_some_tool(wrong: str):
    assert any(wrong not in correct_names({wrong: 1}, tool.input_schema["properties"]) for tool in TOOLS.values())


def test_a_wrong_name_never_replaces_what_was_given_under_the_right_one():
    given_both = {"title": "T", "body": "kept", "content": "other"}

    assert corrected_names("notes_create", **given_both) == given_both


def test_a_name_of_the_tools_own_keeps_its_meaning():
    assert corrected_names("query_facts", text="who owns billing", limit=3) == {"text": "who owns billing", "limit": 3}


def test_an_unknown_name_is_refused_by_its_own_name():
    tool = TOOLS["notes_create"]
    arguments = correct_names({"title": "T", "colour": "red"}, tool.input_schema["properties"])

    with pytest.raises(InvalidInput, match="colour"):
        convert(arguments, tool.signature.arguments, tool.input_schema)


@given(st.sampled_from(sorted(TOOLS)), st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), st.integers()))
def test_renaming_loses_no_value_and_touches_no_right_name(tool: str, arguments: dict[str, int]):
    known = TOOLS[tool].input_schema["properties"]

    read = correct_names(arguments, known)

    assert sorted(read.values()) == sorted(arguments.values())
    assert all(read[name] == value for name, value in arguments.items() if name in known)
    assert correct_names(read, known).keys() >= read.keys() & known.keys()
