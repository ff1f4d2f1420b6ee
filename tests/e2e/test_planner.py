"""The planner through either era of the protocol, and that no tool of it is left out of this suite."""

import ast
from pathlib import Path
from secrets import token_hex

import pytest

from tests.e2e.planner_agent import PlannerAgent, connect_agent
from tests.e2e.target import MODES, Target


@pytest.mark.parametrize("mode", MODES)
def test_what_is_planned_in_each_kind_is_seen_in_its_own_list(planner: Target, mode: str):
    title = f"e2e {token_hex(6)}"
    with connect_agent(planner, mode) as agent:
        agent.do("calendar_create_event", title=title, date="tomorrow", time="09:00")
        column = agent.do("kanban_list_boards")["boards"][0]["columns"][0]["id"]
        agent.do("kanban_create_card", columnId=column, title=title)
        agent.do("notes_create", title=title, body="Nothing is lost.")
        agent.do("journal_create", title=title, date="today")
        assert agent.do("calendar_list_events", q=title, dateFrom="tomorrow")["count"] == 1
        assert title in str(agent.do("kanban_list_cards", columnId=column))
        assert agent.do("notes_search", q=title)["count"] == 1
        assert agent.do("journal_list", q=title)["count"] == 1
        agent.assert_refused("journal_get", "not found", entryId="none")


def test_every_tool_is_called_and_refused_somewhere_in_this_suite(planner: Target):
    calls = [call for file in Path(__file__).parent.glob("test_planner*.py") for call in _calls(file)]
    for how in (PlannerAgent.do, PlannerAgent.assert_refused):
        assert set(planner.families["planner"]) <= {tool for called, tool in calls if called == how.__name__}


def _calls(file: Path) -> list[tuple[str, str]]:
    """Return (method of PlannerAgent, tool) of each call that an agent makes in a file."""
    nodes = ast.walk(ast.parse(file.read_text()))
    return [
        (node.func.attr, node.args[0].value)
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]
