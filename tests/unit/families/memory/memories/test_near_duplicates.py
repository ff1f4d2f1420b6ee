"""What is nearly remembered already, as pin_memory tells it."""

import pytest

from almanac.families.memory.memories.near_duplicates import near_duplicates
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.questions.port import Answer, Search, SearchRequest
from tests.project_app import ProjectApp
from tests.unit.families.memory.remembered import memory, project_of, record_turn

RULE = "Never push to the main branch without a review by somebody of the platform team"


@pytest.mark.parametrize("follows", [False, True], ids=["before the index has it", "after"])
def test_nearly_the_same_is_named_and_both_are_kept(app: ProjectApp, follows: bool):
    first = app.do("pin_memory", content=RULE)["memory"]["id"]
    if follows:
        app.follow()

    made = app.do("extract_semantic", content=f"{RULE.upper()}!")

    assert made["near_duplicates"] == [{"id": first, "similarity": 1.0}]
    assert {made["memory"]["id"], first} == {
        app.do("get_memory", memory_id=one)["memory"]["id"] for one in (made["memory"]["id"], first)
    }


@pytest.mark.parametrize(
    "other",
    [
        "Never push to the release branch on a Friday",
        "A review by somebody of the platform team takes a day",
        "Deploys happen on Tuesdays",
    ],
)
def test_what_only_shares_words_is_no_duplicate(app: ProjectApp, other: str):
    app.do("pin_memory", content=RULE)

    assert app.do("pin_memory", content=other)["near_duplicates"] == []


def test_turns_and_what_was_forgotten_are_no_duplicates(app: ProjectApp):
    record_turn(app, RULE)
    forgotten = app.do("pin_memory", content=RULE)["memory"]["id"]
    lapsing = app.do("pin_memory", content=RULE, tags=["soon"], ttl_ms=1000)["memory"]["id"]
    app.do("forget_memory", memory_id=forgotten)
    app.wait(seconds=1)

    made = app.do("pin_memory", content=RULE, tags=["again"])

    assert made["near_duplicates"] == []
    assert made["memory"]["id"] not in (forgotten, lapsing)


def test_the_most_alike_comes_first(app: ProjectApp):
    same = app.do("pin_memory", content=RULE, tags=["x"])["memory"]["id"]
    longer = app.do("pin_memory", content=f"{RULE} and two others")["memory"]["id"]

    duplicates = app.do("pin_memory", content=RULE)["near_duplicates"]

    assert [one["id"] for one in duplicates] == [same, longer]
    assert duplicates[0]["similarity"] > duplicates[1]["similarity"] >= 0.8


class SilentSearch:
    def search(self, scope: Scope, request: SearchRequest) -> Answer:
        raise Unavailable("The index does not answer.")

    def once(self) -> Search:
        return self


def test_search_that_does_not_answer_is_no_failure(app: ProjectApp):
    app.do("pin_memory", content=RULE)

    assert near_duplicates(project_of(app), SilentSearch(), memory(RULE)) == ()
