"""Test invalidate_fact: ending a fact, and taking the end back."""

from typing import Any

from almanac.families.knowledge.core.knowledge import open_knowledge
from almanac.families.knowledge.core.records import FACTS, MAX_ENDINGS, SLOTS
from almanac.kernel.instants import iso
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.facts.test_record_fact import AWS_KEY, active, lives, spans


def end(app: ProjectApp, fact_id: str, **more: Any) -> Json:
    return app.do("invalidate_fact", fact_id=fact_id, **more)


def test_a_fact_ends_now_and_held_until_then(app: ProjectApp) -> None:
    fact = lives(app, "Rome")["fact"]["fact_id"]
    app.wait(hours=1)
    done = end(app, fact, reason="moved")

    assert (done["fact"]["valid_to"], done["fact"]["active"], done["already"]) == (app.now, False, False)
    assert (done["fact"]["ended_because"], done["fact"]["reason"]) == ("invalidated", "moved")
    assert active(app, subject="Ann") == []
    assert active(app, subject="Ann", point_in_time=app.now - 1) == ["Rome"]
    app.wait(hours=1)
    assert end(app, fact)["already"]
    (told,) = app.events("fact_invalidated")
    assert (told.payload["reason"], told.payload["undone"], told.payload["valid_to"]) == (
        "moved",
        False,
        app.now - 3_600_000,
    )


def test_a_fact_that_is_ended_as_soon_as_it_was_recorded_did_hold(app: ProjectApp) -> None:
    fact = lives(app, "Rome")["fact"]["fact_id"]
    end(app, fact)
    assert active(app, subject="Ann") == []
    assert active(app, subject="Ann", point_in_time=app.now) == ["Rome"]


def test_a_fact_that_ends_before_it_begins_never_held_and_is_not_found_by_search(app: ProjectApp) -> None:
    rome = lives(app, "Rome", valid_from=10)["fact"]["fact_id"]
    oslo = lives(app, "Oslo", valid_from=20)["fact"]["fact_id"]
    app.follow()
    done = end(app, oslo, at=15)

    assert done["holds_again"] == [rome]
    assert app.events("fact_invalidated")[0].payload["holds_again"] == [rome]
    assert spans(app) == ["Rome 10-", "Oslo 20-20"]
    assert active(app, text="Ann lives in Oslo") == ["Rome"]
    app.follow()
    assert active(app, text="Ann lives in Oslo", active_only=False) == ["Rome"]
    assert end(app, oslo, at=15)["already"]


def test_undo_brings_it_back_with_what_it_ended(app: ProjectApp) -> None:
    rome = lives(app, "Rome", valid_from=10)["fact"]["fact_id"]
    oslo = lives(app, "Oslo", valid_from=20)["fact"]["fact_id"]
    end(app, oslo, at=20)
    back = end(app, oslo, undo=True)

    assert (back["undone"], back["already"], back["fact"]["active"]) == (True, False, True)
    assert back["superseded"] == [{"fact_id": rome, "valid_to": 20}]
    assert [event.key for event in app.events("fact_superseded")] == [rome, rome]
    assert [event.payload["undone"] for event in app.events("fact_invalidated")] == [False, True]
    assert active(app, text="lives in Oslo") == ["Oslo"]
    assert end(app, oslo, undo=True)["already"]
    assert len(app.events("fact_invalidated")) == 2


def test_what_was_known_of_its_end_is_known_of_then(app: ProjectApp) -> None:
    fact = lives(app, "Rome", valid_from=10)["fact"]["fact_id"]
    instants = [app.now]
    for arguments in ({"at": 50, "reason": "first"}, {"at": 40, "reason": "second"}, {"undo": True}):
        app.wait(hours=1)
        instants.append(app.now)
        end(app, fact, **arguments)

    asked = [app.do("query_facts", subject="Ann", active_only=False, known_at=at)["facts"] for at in instants]
    assert [(one["valid_to"], one.get("reason")) for (one,) in asked] == [
        (None, None),
        (50, "first"),
        (40, "second"),
        (None, None),
    ]
    assert app.do("query_facts", subject="Ann", known_at=instants[0] - 1)["facts"] == []


def test_an_end_behind_the_stated_one_is_refused(app: ProjectApp) -> None:
    fact = lives(app, "Rome", valid_from=10, valid_to=50)["fact"]["fact_id"]
    assert f"recorded to end at {iso(50)}" in app.refusal("invalidate_fact", fact_id=fact, at=60)
    assert end(app, fact, at=50)["already"]
    assert end(app, fact)["already"]
    assert end(app, fact, at=40)["fact"]["valid_to"] == 40


def test_the_end_of_a_fact_is_changed_up_to_200_times(app: ProjectApp) -> None:
    fact = lives(app, "Rome", valid_from=10)["fact"]["fact_id"]
    for number in range(MAX_ENDINGS):
        end(app, fact, at=1000 + number)
    assert "changed 200 times" in app.refusal("invalidate_fact", fact_id=fact, at=5000)


def test_unknown_ids_are_refused(app: ProjectApp) -> None:
    lives(app, "Rome")
    assert "Use a fact_id from query_facts" in app.refusal("invalidate_fact", fact_id="\U0001f600#")


def test_secrets_in_a_reason_are_taken_out(app: ProjectApp) -> None:
    fact = lives(app, "Rome")["fact"]["fact_id"]
    assert AWS_KEY not in str(end(app, fact, reason=f"leaked {AWS_KEY}"))
    assert AWS_KEY not in str(app.events())
    assert [row["where"] for row in app.do("list_redactions")["redactions"]] == ["fact"]


def test_each_change_takes_a_turn_in_the_slot_and_none_is_earlier_than_the_last(app: ProjectApp) -> None:
    knowledge = open_knowledge(app.services, app.caller, app.clock)
    fact = lives(app, "Rome")["fact"]["fact_id"]
    app.wait(hours=-1)
    lives(app, "Oslo", valid_from=5)
    end(app, fact, at=app.now + 7_200_000)
    slot = knowledge.rows(SLOTS).get("Ann", "lives_in")
    facts = list(knowledge.rows(FACTS).every())

    assert slot is not None
    assert (slot.facts, slot.version, slot.last_at) == (2, 3, app.now + 3_600_000)
    assert {one.recorded_at for one in facts} == {slot.last_at}
    assert facts[-1].endings[0].known_at == slot.last_at
