"""A team that changes its mind, from the first note to the question where a decision comes from."""

from tests.project_app import ProjectApp
from tests.unit.families.knowledge.stored_graph import (
    connect,
    effects,
    extract_memory,
    fact,
    knowledge_of,
    note_of,
    pin_memory,
    states,
)


def test_a_team_finds_where_a_decision_comes_from_and_what_became_of_the_one_before(app: ProjectApp):
    knowledge = knowledge_of(app)
    outage = app.do("record_turn", content="The deploy on Tuesday took the shop down.", session_id="s1")["turn_id"]
    tuesdays = pin_memory(app, "We deploy on Tuesdays.")
    runs_on = fact(knowledge, "Deploys", "Tuesday", "happen_on")
    lesson = extract_memory(app, "Tuesday is the busiest day of the shop.", derived_from_turn_ids=[outage])
    app.wait(days=3)
    note = note_of(app, "New deployment day")

    thursdays = pin_memory(app, "We deploy on Thursdays.")
    connect(app, thursdays, "derives_from", lesson)
    connect(app, thursdays, "derives_from", note)
    assert effects(connect(app, thursdays, "supersedes", tuesdays)) == ["superseded", "salience_moved"]
    assert effects(connect(app, thursdays, "supersedes", runs_on)) == ["fact_ended"]

    hits = app.do("search_memory", query="On which day do we deploy?")["hits"]
    assert thursdays in [hit["id"] for hit in hits]
    assert tuesdays not in [hit["id"] for hit in hits]
    why = app.do("list_edges", id=thursdays, kinds=["derives_from"], direction="out", hops=3)
    assert {edge["dst_id"]: (edge["hop"], edge["how"]) for edge in why["edges"]} == {
        lesson: (1, "stated"),
        note: (1, "stated"),
        outage: (2, "made_of"),
    }
    before = app.do("list_edges", id=thursdays, kinds=["supersedes"])
    assert states(before) == {thursdays: "remembered", tuesdays: "superseded", runs_on: "ended"}
    assert app.do("get_memory", memory_id=tuesdays)["memory"]["superseded_by"] == thursdays

    # The new day does not work out either.
    connect(app, thursdays, "supersedes", tuesdays, remove=True)
    connect(app, thursdays, "supersedes", runs_on, remove=True)
    connect(app, tuesdays, "supersedes", thursdays)
    hits = app.do("search_memory", query="On which day do we deploy?")["hits"]
    assert tuesdays in [hit["id"] for hit in hits]
    assert thursdays not in [hit["id"] for hit in hits]
    assert states(app.do("list_edges", id=runs_on)) == {runs_on: "active"}
