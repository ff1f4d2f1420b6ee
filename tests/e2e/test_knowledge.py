"""Test facts of one agent that another asks for: validity, knowledge at a time, and sources."""

from tests.e2e.planner_agent import PlannerAgent


def test_facts_hold_for_their_time_whatever_order_they_come_in(agents: tuple[PlannerAgent, PlannerAgent]) -> None:
    ann, ben = agents
    led = {"subject": "Billing", "predicate": "led by"}
    ann.do("record_fact", **led, object="Cem", valid_from="2026-03-01", cardinality="one")
    ann.do("record_fact", **led, object="Ann", valid_from="2024-01-01")

    def leaders(**when: str) -> list[str]:
        return [fact["object"] for fact in ben.do("query_facts", **led, **when)["facts"]]

    assert leaders() == ["Cem"]
    assert leaders(point_in_time="2025-06-01") == ["Ann"]
    assert leaders(point_in_time="2023-06-01") == []

    (fact,) = ben.do("query_facts", **led)["facts"]
    ben.do("invalidate_fact", fact_id=fact["fact_id"], reason="Cem left")
    assert leaders() == []
    ben.do("invalidate_fact", fact_id=fact["fact_id"], undo=True)
    assert leaders() == ["Cem"]


def test_what_a_fact_stands_on_is_found_from_both_ends(agents: tuple[PlannerAgent, PlannerAgent]) -> None:
    ann, ben = agents
    turn = ann.do("record_turn", content="Ann hands Billing to Cem in March.", session_id="monday")["turn_id"]
    fact = ann.do("record_fact", subject="Billing", predicate="led by", object="Cem")["fact"]["fact_id"]
    ann.do("create_edge", src_id=fact, dst_id=turn, kind="derives_from")
    for end in (fact, turn):
        (edge,) = ben.do("list_edges", id=end)["edges"]
        assert (edge["src_id"], edge["dst_id"], edge["kind"]) == (fact, turn, "derives_from")

    hits = ben.do("search_memory", query="who leads billing", include=["facts"])["hits"]
    assert {"fact", "turn"} <= {hit["kind"] for hit in hits}
