"""Test two agents of a project over three sessions. Each finds the other's turns, decisions and changes."""

from dataclasses import replace
from typing import Any

from tests.e2e.local_stack import ZONE
from tests.e2e.planner_agent import PlannerAgent, connect_agent
from tests.e2e.target import Target, eventually

Json = dict[str, Any]


def test_two_agents_remember_over_three_sessions(agents: tuple[PlannerAgent, PlannerAgent]) -> None:
    ann, ben = agents
    said = [
        {"role": "user", "content": "The payment service must answer within 300 milliseconds.", "speaker": "Ann"},
        {"role": "assistant", "content": "Noted. I will look at the slow queries of the invoices first."},
        {"role": "user", "content": "We decided to deploy on Tuesdays, never on Fridays.", "speaker": "Ann"},
    ]
    first = ann.do("record_turns", turns=said, session_id="monday", tool="claude-code")["results"]
    assert [one["deduped"] for one in first] == [False] * 3
    again = ann.do("record_turns", turns=said, session_id="monday", tool="claude-code")["results"]
    assert [(one["turn_id"], one["deduped"]) for one in again] == [(one["turn_id"], True) for one in first]

    # Found by the next call, by somebody else, in other words.
    hits = ben.do("search_memory", query="which weekday do we deploy on", k=5)["hits"]
    assert hits[0]["id"] == first[2]["turn_id"]
    assert (hits[0]["actor"], hits[0]["session_id"], hits[0]["untrusted"]) == ("ann", "monday", True)

    pinned = ben.do(
        "pin_memory",
        content="Deploys happen on Tuesdays.",
        tags=["deploy"],
        derived_from_turn_ids=[first[2]["turn_id"], "01BX5ZZKBKACTAV9WEVGEMMVRZ"],
    )
    assert pinned["derived_from_dropped"] == ["01BX5ZZKBKACTAV9WEVGEMMVRZ"]
    memory_id = pinned["memory"]["id"]
    ben.do(
        "record_turn", role="user", content="The key is AKIAIOSFODNN7EXAMPLQ, do not share it.", session_id="tuesday"
    )
    (turn, *_) = ann.do("list_recent_turns", session_id="tuesday")["turns"]
    assert "AKIAIOSFODNN7EXAMPLQ" not in turn["content"]
    assert "[REDACTED:" in turn["content"]

    ann.do("forget_memory", memory_id=memory_id)
    assert memory_id not in [hit["id"] for hit in ben.do("search_memory", query="deploys on Tuesdays")["hits"]]
    assert memory_id not in [one["id"] for one in ben.do("get_snapshot", max_tokens=4000)["pinned"]]
    ann.do("forget_memory", memory_id=memory_id, restore=True)
    snapshot = ben.do("get_snapshot", max_tokens=4000)
    assert memory_id in [one["id"] for one in snapshot["pinned"]]
    assert snapshot["tokens"] <= 4000

    for number in range(21):
        ann.do(
            "record_turn", content=f"Step {number}: the invoice of customer {number} was paid.", session_id="wednesday"
        )
    summaries = eventually(
        lambda: ben.do("search_memory", query="invoices that were paid", mode="summaries")["hits"], seconds=60
    )
    assert summaries[0]["kind"] == "consolidated"
    assert summaries[0]["session_id"] == "wednesday"


def test_nothing_of_another_project_is_remembered(
    issuing_target: Target, agents: tuple[PlannerAgent, PlannerAgent]
) -> None:
    ann, _ = agents
    recorded = ann.do("record_turn", content="The heron sleeps in the reeds.", session_id="s")
    other = issuing_target.issue("--timezone", ZONE)
    with connect_agent(replace(issuing_target, key=other)) as stranger:
        found = stranger.do("search_memory", query="where does the heron sleep")["hits"]
        assert recorded["turn_id"] not in [hit["id"] for hit in found]
        assert "No memory or turn has the id" in stranger.refusal("get_memory", memory_id=recorded["turn_id"])
