"""A cardinality that follows from how a predicate is used: counted by subject, and asked for where unclear."""

from dataclasses import replace
from typing import Any

import pytest

from almanac.families.knowledge.facts.cardinality import cardinality_from_use
from tests.app import Json
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp

SINCE = 1_700_000_000_000


def state(app: ProjectApp, subject: str, object: str, **more: Any) -> Json:
    return app.do("record_fact", subject=subject, predicate="eats_for_lunch", object=object, **more)


def several(app: ProjectApp, *subjects: str) -> list[Json]:
    """State for each subject that two things hold from one instant on; return the second answers."""
    return [[state(app, subject, what, valid_from=SINCE) for what in ("soup", "bread")][1] for subject in subjects]


def active(app: ProjectApp, subject: str) -> list[str]:
    return sorted(one["object"] for one in app.do("query_facts", subject=subject)["facts"])


@pytest.mark.parametrize(
    ("predicate", "several", "replaced", "is_many"),
    [
        ("eats", 2, 0, False),
        ("eats", 3, 0, True),
        ("eats", 3, 1, False),
        ("eats", 8, 2, True),
        ("eats", 8, 3, False),
        ("lives_in", 50, 0, False),
    ],
)
def test_enough_subjects_decide(predicate: str, several: int, replaced: int, is_many: bool) -> None:
    assert (cardinality_from_use(predicate, several, replaced) == "many") is is_many


def test_it_is_asked_for_until_use_says_it_and_then_nothing_ends_any_more(app: ProjectApp) -> None:
    first, second, third = several(app, "Ann", "Ben", "Cy")
    for made in (first, second):
        assert "state many" in str(made["notes"])
        assert len(made["contradicts"]) == 1
    assert "If not, state one." in str(third["notes"])
    assert third["contradicts"] == []
    state(app, "Dan", "soup")
    app.wait(minutes=1)
    later = state(app, "Dan", "bread")
    assert (later["superseded"], later.get("notes", [])) == ([], [])
    assert active(app, "Dan") == ["bread", "soup"]
    assert app.do("detect_contradictions")["contradictions"] == []


def test_one_subject_counts_once_however_much_is_said_of_it(app: ProjectApp) -> None:
    made = [state(app, "Ann", f"dish {number}", valid_from=SINCE) for number in range(6)]
    assert "state many" in str(made[-1]["notes"])


def test_where_objects_are_replaced_the_newer_one_still_ends_the_older(app: ProjectApp) -> None:
    for subject in ("Eve", "Fay"):
        state(app, subject, "soup")
        app.wait(minutes=1)
        assert state(app, subject, "bread")["superseded"]
    *_, last = several(app, "Ann", "Ben", "Cy", "Dan")
    assert "state many" in str(last["notes"])
    assert active(app, "Eve") == ["bread"]


def test_what_follows_from_use_is_stated_otherwise_by_anybody(app: ProjectApp) -> None:
    several(app, "Ann", "Ben", "Cy")
    ben = replace(app.caller, actor="ben", key_id="other")
    state(app, "Dan", "soup", cardinality="one", caller=ben)
    app.wait(minutes=1)
    assert state(app, "Dan", "bread")["superseded"]
    several(app, "Gus", "Hal", "Ida", "Jo")
    assert app.do("detect_contradictions")["contradictions"]


def test_facts_with_ends_that_overlap_count(app: ProjectApp) -> None:
    subjects = ("Ann", "Ben", "Cy")
    for subject in subjects:
        state(app, subject, "soup", valid_from=SINCE, valid_to=SINCE + 1000)
    made = [state(app, one, "bread", valid_from=SINCE + 500, valid_to=SINCE + 1500) for one in subjects]
    assert "If not, state one." in str(made[-1]["notes"])


def test_a_call_asks_the_store_as_much_with_many_subjects_as_with_few(app: ProjectApp) -> None:
    seen = list[Request]()
    store = ObservedStore(app.store, seen.append)
    app.open_again(store=store)
    counts = list[int]()
    for number in range(300):
        subject = f"subject {number}"
        app.do("record_fact", subject=subject, predicate="sits_by", object="soup", valid_from=SINCE)
        before = len(seen)
        app.do("record_fact", subject=subject, predicate="sits_by", object="bread", valid_from=SINCE + 1)
        counts.append(len(seen) - before)
    assert max(counts[10:]) <= max(counts[:10])
