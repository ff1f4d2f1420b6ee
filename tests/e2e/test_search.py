"""Test search by meaning as an operator sees it: written texts reach the index, and the index agrees with the store."""

import json
from dataclasses import replace
from secrets import token_hex
from typing import Any

import pytest

from almanac.kernel.caller import SHARED_PROJECT
from almanac.search.engine.candidate_query import LOST_INDEX
from tests.e2e.local_stack import ZONE
from tests.e2e.planner_agent import connect_agent
from tests.e2e.target import Target, eventually

_ONE_OF_TWO = {"documents": 1, "removed": 1}


@pytest.fixture
def indexing_target(issuing_target: Target) -> Target:
    if issuing_target.stack is not None and not issuing_target.stack.search:
        pytest.skip("the stack was deployed without a domain of OpenSearch: make tools installs a node")
    return issuing_target


def test_what_is_written_reaches_the_index_which_then_holds_what_is_stored(indexing_target: Target) -> None:
    # A tenant of its own, for which nothing else is on its way to the index.
    tenant, almanac = f"e2e-{token_hex(4)}", indexing_target.command_line
    assert almanac is not None

    def search_row(command: str) -> dict[str, Any]:
        rows = json.loads(almanac("search", command, "--tenant", tenant, "--json"))
        assert {row["project"] for row in rows} == {"default", SHARED_PROJECT}
        return next(row for row in rows if row["project"] == "default")

    almanac("tenants", "create", tenant)
    key = almanac("keys", "issue", "--tenant", tenant, "--timezone", ZONE).strip()
    with connect_agent(replace(indexing_target, key=key)) as agent:
        kept, gone = (agent.do("notes_create", title=title, body="a kite")["id"] for title in ("Kept", "Gone"))
        agent.do("notes_delete", noteId=gone)
        eventually(lambda: {name: search_row("status")[name] for name in ("documents", "removed")} == _ONE_OF_TWO)
        found = agent.do("notes_search", q="kites", mode="meaning")
    assert [note["id"] for note in found["notes"]] == [kept]
    assert LOST_INDEX not in found["search"].get("notes", [])
    verified = search_row("verify")
    assert verified["documents"] == 1
    assert {verified[name] for name in ("missing", "outdated", "superfluous", "stuck")} == {0}
