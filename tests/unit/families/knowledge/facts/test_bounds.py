"""Test the limits and refusals of facts, and the effects of changes elsewhere."""

import pytest

from almanac.families.knowledge.core.knowledge import Knowledge, open_knowledge
from almanac.families.knowledge.core.records import FACTS, PREDICATES, SLOTS
from almanac.families.knowledge.facts import cardinality, fact_changes
from almanac.families.knowledge.queries.fact_query import FactQuery
from almanac.families.knowledge.queries.pages import page_of
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.facts.test_record_fact import lives, spans


def project(app: ProjectApp) -> Knowledge:
    return open_knowledge(app.services, app.caller, app.clock)


def refusal_of(app: ProjectApp, what: str, **more: object) -> str:
    arguments: Json = {"subject": "Ann", "predicate": "lives_in", "object": what, **more}
    return app.refusal("record_fact", **arguments)


def test_a_slot_takes_so_many_facts_and_says_what_to_do(app: ProjectApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_changes, "MAX_IN_SLOT", 2)
    for number in range(2):
        lives(app, f"Room {number}", valid_from=number)
    assert "one subject per day" in refusal_of(app, "Rome", valid_from=9)
    assert lives(app, "Room 1", valid_from=1)["deduped"]


def test_a_cardinality_is_changed_so_often(app: ProjectApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cardinality, "MAX_STATED", 2)
    lives(app, "a", valid_from=1, cardinality="one")
    lives(app, "b", valid_from=2, cardinality="many", change_cardinality=True)
    assert "Use another predicate" in refusal_of(app, "c", cardinality="one", change_cardinality=True)


def test_no_cardinality_is_known_before_the_one_that_it_replaces(app: ProjectApp) -> None:
    lives(app, "a", cardinality="one")
    app.wait(hours=-1)
    lives(app, "b", subject="Bob", cardinality="many", change_cardinality=True)
    row = project(app).rows(PREDICATES).get("lives_in")
    assert row is not None
    assert [one.known_at for one in row.stated] == [app.now + 3_600_000] * 2


def test_an_end_before_the_fact_that_holds_is_not_an_end_of_it(app: ProjectApp) -> None:
    lives(app, "Rome", valid_from=10)
    assert "which is now" in refusal_of(app, "Rome", valid_to=5)
    assert spans(app) == ["Rome 10-"]


def test_of_many_sources_fifty_are_kept(app: ProjectApp) -> None:
    turns = [app.do("record_turn", content=f"turn {number}")["turn_id"] for number in range(60)]
    lives(app, "Rome", sources=turns[:40])
    fact = lives(app, "Rome", sources=turns[40:])["fact"]
    assert [one["id"] for one in fact["sources"]] == [*turns[40:], *turns[:30]]
    (stored,) = project(app).rows(FACTS).every()
    assert len(stored.sources) == 50


def test_metadata_that_grow_too_large_are_refused(app: ProjectApp) -> None:
    lives(app, "Rome", metadata={"a": "x" * 10_000})
    assert "over 16384" in refusal_of(app, "Rome", metadata={"b": "x" * 10_000})


def test_a_correction_elsewhere_takes_its_turn_there(app: ProjectApp) -> None:
    wrong = lives(app, "Rome", subject="An", valid_from=10)["fact"]["fact_id"]
    lives(app, "Rome", corrects=wrong)
    slot = project(app).rows(SLOTS).get("An", "lives_in")
    assert slot is not None
    assert (slot.version, slot.facts) == (2, 1)


def test_what_ended_a_fact_is_told_anew_where_it_was_corrected(app: ProjectApp) -> None:
    kiel = lives(app, "Kiel", valid_from=5)["fact"]["fact_id"]
    wrong = lives(app, "Rome", valid_from=10)["fact"]["fact_id"]
    right = lives(app, "Oslo", corrects=wrong)
    assert right["superseded"] == [{"fact_id": kiel, "valid_to": 10}]
    assert app.events("fact_superseded")[-1].payload["superseded_by"] == [right["fact"]["fact_id"]]


def test_pages_go_through_several_names_of_one_subject(app: ProjectApp) -> None:
    for number, subject in enumerate(("Bob", "Rob", "Bobby", "Bob", "Rob")):
        lives(app, f"Room {number}", subject=subject, valid_from=number)
    names = ("Rob", "Bob", "Bobby")
    for predicate in (None, "lives_in"):
        asked = FactQuery(subjects=names, predicate=predicate, active_only=False)
        after, found = None, list[str]()
        while True:
            page = page_of(project(app), asked, limit=2, after=after)
            found += [row.fact.id for row in page.rows]
            if (after := page.next_position) is None:
                break
        assert len(found) == 5
        assert set(found) == {one.id for one in project(app).rows(FACTS).every()}
