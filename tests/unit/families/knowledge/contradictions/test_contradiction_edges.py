"""Test contradictions that people state by an edge, beside those that rules find, and names joined by same_as."""

from dataclasses import replace
from typing import Any

from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.stored_facts import app_with_fact_search

SINCE = 1_700_000_000_000


def state(app: ProjectApp, subject: str, predicate: str, object: str, **more: Any) -> str:
    made = app.do("record_fact", subject=subject, predicate=predicate, object=object, valid_from=SINCE, **more)
    return made["fact"]["fact_id"]


def contradict(app: ProjectApp, one: str, other: str, **more: Any) -> None:
    app.do("create_edge", src_id=one, dst_id=other, kind="contradicts", **more)


def pairs(app: ProjectApp, **asked: Any) -> list[Json]:
    return app.do("detect_contradictions", **asked)["contradictions"]


def ids(pair: Json) -> set[str]:
    return {pair["fact_a"]["fact_id"], pair["fact_b"]["fact_id"]}


def test_what_somebody_stated_is_shown_of_either_subject_until_it_is_taken_back(app: ProjectApp) -> None:
    billing = state(app, "billing", "runs_on", "the old cluster")
    cluster = state(app, "the old cluster", "has_state", "switched off")
    state(app, "search", "runs_on", "the new cluster")
    assert pairs(app) == []
    ben = replace(app.caller, actor="ben", key_id="other")
    contradict(app, billing, cluster, caller=ben)
    for asked in ({}, {"subject": "billing"}, {"subject": "the old cluster"}):
        (pair,) = pairs(app, **asked)
        assert ids(pair) == {billing, cluster}
        assert (pair["severity"], pair["judged_by"]) == ("high", "stated")
        assert '"ben" stated that the two contradict each other.' in pair["explanation"]
    assert pairs(app, subject="search") == []
    contradict(app, cluster, billing, remove=True)
    assert pairs(app) == []


def test_what_rules_find_is_shown_once_and_what_has_ended_only_for_all_times(app: ProjectApp) -> None:
    one, other = state(app, "Ann", "lives_in", "Oslo"), state(app, "Ann", "lives_in", "Lima")
    contradict(app, one, other)
    (pair,) = pairs(app)
    assert pair["judged_by"] == "rules"
    tea, coffee = state(app, "Ben", "drinks", "tea"), state(app, "Cy", "said_of_ben", "drinks coffee only")
    contradict(app, tea, coffee)
    app.do("invalidate_fact", fact_id=tea)
    app.wait(minutes=1)
    assert pairs(app, subject="Ben") == []
    assert [ids(one) for one in pairs(app, subject="Ben", all_times=True)] == [{tea, coffee}]


def test_stated_and_found_ones_come_once_over_pages(app: ProjectApp) -> None:
    for number in range(3):
        contradict(app, state(app, f"a{number}", "drinks", "tea"), state(app, f"b{number}", "says", "no tea"))
        state(app, f"c{number}", "lives_in", "Oslo")
        state(app, f"c{number}", "lives_in", "Lima")
    for limit in (1, 2, 3, 4, 10):
        seen = list[frozenset[str]]()
        following: Json | None = {}
        while following is not None:
            page = app.do("detect_contradictions", limit=limit, **following)
            assert len(page["contradictions"]) <= limit
            seen += [frozenset(ids(one)) for one in page["contradictions"]]
            following = {"cursor": page["next_cursor"]} if page["more"] else None
        assert len(seen) == len(set(seen)) == 6


def test_other_names_of_a_subject_are_named(app: ProjectApp) -> None:
    state(app, "Ann", "lives_in", "Oslo")
    state(app, "Anna B.", "lives_in", "Lima")
    app.do("create_edge", src_id="subject:Ann", dst_id="subject:Anna B.", kind="same_as")
    notes = app.do("detect_contradictions", subject="Ann")["notes"]
    assert 'same_as joins this subject with "Anna B."' in notes[0]
    assert "notes" not in app.do("detect_contradictions", subject="Cy")


def test_synthesize_names_what_was_stated_against_a_fact(app: ProjectApp) -> None:
    app_with_fact_search(app)
    billing = state(app, "billing", "runs_on", "the old cluster")
    cluster = state(app, "the old cluster", "has_state", "switched off")
    app.follow()
    assert not app.do("synthesize", query="What does billing run on?").get("contradictions")
    contradict(app, billing, cluster)
    (told,) = app.do("synthesize", query="What does billing run on?")["contradictions"]
    assert "stated that the two contradict each other" in str(told)
