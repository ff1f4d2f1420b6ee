"""query_facts: by parts, by time, by meaning; pages, empty answers and names alike."""

from typing import Any

import pytest

from almanac.families.knowledge.core.knowledge import SubjectAliases
from almanac.families.knowledge.facts import names_alike
from almanac.families.knowledge.queries import pages
from almanac.families.knowledge.queries.question import Question, subject_names
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.facts.test_record_fact import active, lives


def record(app: ProjectApp, subject: str, predicate: str, what: str, **more: Any) -> Json:
    return app.do("record_fact", subject=subject, predicate=predicate, object=what, **more)


@pytest.fixture
def town(app: ProjectApp) -> ProjectApp:
    """Three people, two predicates; Ann has moved."""
    for subject, where, at in (("Ann", "Rome", 10), ("Ann", "Oslo", 20), ("Bob", "Rome", 10), ("Cem", "Rome", 30)):
        record(app, subject, "lives_in", where, valid_from=at)
    record(app, "Ann", "likes", "Rome", valid_from=15)
    return app


def triples(app: ProjectApp, **asked: Any) -> list[str]:
    found = app.do("query_facts", **asked)["facts"]
    return [f"{one['subject']} {one['predicate']} {one['object']}" for one in found]


def test_facts_are_found_by_any_of_their_parts(town: ProjectApp) -> None:
    lives_in = ["Ann lives_in Oslo", "Bob lives_in Rome", "Cem lives_in Rome"]
    assert triples(town) == ["Ann likes Rome", *lives_in]
    assert triples(town, subject="Ann") == ["Ann likes Rome", lives_in[0]]
    assert triples(town, predicate="lives_in") == lives_in
    assert triples(town, object="Rome") == ["Ann likes Rome", *lives_in[1:]]
    assert triples(town, object="Rome", predicate="lives_in") == lives_in[1:]
    assert triples(town, subject="Ann", object="Rome") == ["Ann likes Rome"]
    assert triples(town, subject="Ann", predicate="lives_in") == [lives_in[0]]
    assert triples(town, subject="Ann", predicate="lives_in", object="Rome", active_only=False) == ["Ann lives_in Rome"]


def test_what_held_at_an_instant_is_answered_whatever_holds_now(town: ProjectApp) -> None:
    for known_at in (None, town.now):
        asked: Json = {} if known_at is None else {"known_at": known_at}
        assert triples(town, subject="Ann", point_in_time=19, **asked) == ["Ann likes Rome", "Ann lives_in Rome"]
        assert triples(town, subject="Ann", point_in_time=14, active_only=True, **asked) == ["Ann lives_in Rome"]
        assert triples(town, point_in_time=9, **asked) == []


def test_a_fact_with_an_end_to_come_is_active_until_then(app: ProjectApp) -> None:
    lives(app, "Rome", valid_to=app.now + 3_600_000)
    lives(app, "Oslo", subject="Bob", valid_from=app.now + 3_600_000)
    assert (active(app, subject="Ann"), active(app, subject="Bob")) == (["Rome"], [])
    app.wait(hours=1)
    assert (active(app, subject="Ann"), active(app, subject="Bob")) == ([], ["Oslo"])


def test_history_shows_all_of_a_subject_and_what_ended_each(town: ProjectApp) -> None:
    facts = town.do("query_facts", subject="Ann", history=True)["facts"]
    assert [(one["predicate"], one["object"], one.get("ended_because")) for one in facts] == [
        ("likes", "Rome", None),
        ("lives_in", "Rome", "superseded"),
        ("lives_in", "Oslo", None),
    ]
    assert facts[1]["superseded_by"] == [facts[2]["fact_id"]]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"subject": "Ann"},
        {"subject": "Ann", "predicate": "lives_in"},
        {"predicate": "lives_in"},
        {"object": "Rome"},
        {"object": "Rome", "predicate": "lives_in"},
        {"subject": "Ann", "history": True},
        {"active_only": False},
        {"point_in_time": 12},
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_bring_each_fact_once_with_the_end_it_has(town: ProjectApp, asked: Json, limit: int) -> None:
    whole = town.do("query_facts", **asked)["facts"]
    paged: list[Json] = []
    cursor: Json = {}
    while True:
        page = town.do("query_facts", **asked, limit=limit, **cursor)
        assert len(page["facts"]) <= limit
        paged += page["facts"]
        assert page["has_more"] == (page["next_cursor"] is not None)
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert paged == whole


def test_a_cursor_is_for_its_own_question(town: ProjectApp) -> None:
    cursor = town.do("query_facts", limit=1)["next_cursor"]
    assert "cursor" in town.refusal("query_facts", limit=1, cursor=cursor, subject="Ann")


def test_a_page_reads_no_more_than_its_bound_and_says_where_to_go_on(
    town: ProjectApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MAX_READ", 1)
    page = town.do("query_facts", predicate="lives_in", object="Oslo", point_in_time=5)
    assert page["facts"] == []
    first = town.do("query_facts", subject="Ann", point_in_time=5)
    assert (first["facts"], first["has_more"]) == ([], True)
    assert "Go on with next_cursor" in first["empty"]
    last = town.do("query_facts", subject="Ann", point_in_time=5, cursor=first["next_cursor"])
    assert last["next_cursor"] is None


def test_large_facts_make_short_pages(app: ProjectApp) -> None:
    for number in range(40):
        record(app, "Ann", f"p{number}", "x" * 4000, valid_from=1)
    page = app.do("query_facts", subject="Ann")
    assert 30 < len(page["facts"]) < 40
    rest = app.do("query_facts", subject="Ann", cursor=page["next_cursor"])
    assert len(page["facts"]) + len(rest["facts"]) == 40


def test_facts_are_found_by_meaning_as_they_are_now(town: ProjectApp) -> None:
    assert triples(town, text="where does Bob live")[0] == "Bob lives_in Rome"
    assert triples(town, text="Ann lives in", predicate="lives_in", subject="Ann") == ["Ann lives_in Oslo"]
    assert triples(town, text="Ann lives in Rome", subject="Ann", point_in_time=12) == ["Ann lives_in Rome"]
    town.follow()
    assert triples(town, text="where does Bob live", limit=1) == ["Bob lives_in Rome"]
    assert "Rome" in str(town.do("search_memory", query="where does Bob live", include=["facts"])["hits"])


def test_search_goes_on_where_hits_do_not_hold(app: ProjectApp) -> None:
    # Four rounds of seven hits read all 27, in whatever order facts that are equally similar come.
    for number in range(27):
        lives(app, f"Rome number {number}", valid_from=number)
    found = app.do("query_facts", text="Ann lives in Rome number", limit=2)
    assert [one["object"] for one in found["facts"]] == ["Rome number 26"]


def test_an_empty_answer_says_why(town: ProjectApp) -> None:
    def empty_reason(**asked: Any) -> str:
        return town.do("query_facts", **asked)["empty"]

    assert "about this subject" in empty_reason(subject="Dan")
    assert "with this predicate" in empty_reason(subject="Ann", predicate="eats")
    assert "none holds at that instant" in empty_reason(subject="Ann", point_in_time=1)
    assert "learned after known_at" in empty_reason(subject="Ann", known_at=1)
    assert "none with these parts" in empty_reason(subject="Bob", object="Oslo")
    assert empty_reason(subject="Ann") is None
    town.do("invalidate_fact", fact_id=town.do("query_facts", subject="Bob")["facts"][0]["fact_id"])
    assert "1 such facts are recorded, and none holds now" in empty_reason(subject="Bob")


def test_an_empty_project_says_so(app: ProjectApp) -> None:
    assert "No facts are recorded yet" in app.do("query_facts")["empty"]


@pytest.mark.parametrize(
    ("asked", "alike"),
    [
        ("zoë müller", "Zoe Muller"),
        ("Zoe", "Zoe Muller"),
        ("Zoe Mulller", "Zoe Muller"),
        ("Zoe Mlluer", "Zoe Muller"),
        ("oZe Muller", "Zoe Muller"),
        ("xZoe Muller", "Zoe Muller"),
        ("Bob", "Robert Tables"),
        ("Bill Clinton", "William Clinton"),
        ("rob tables", "Robert Tables"),
        ("Oslo Office", "Oslo"),
    ],
)
def test_names_alike_are_offered(app: ProjectApp, asked: str, alike: str) -> None:
    for name in ("Zoe Muller", "Robert Tables", "William Clinton", "Oslo", "Unrelated Person"):
        record(app, name, "is", "here")
    assert app.do("query_facts", subject=asked)["names_alike"] == [alike]


def test_predicates_alike_are_offered(town: ProjectApp) -> None:
    for asked in ("lives in", "livesIn", "lives_on"):
        assert town.do("query_facts", subject="Ann", predicate=asked)["names_alike"] == ["lives_in"]
    assert town.do("query_facts", subject="Ann", predicate="eats")["names_alike"] == []


@pytest.mark.parametrize(
    ("asked", "alike"),
    [
        ("acme corp", ["Acme Corp"]),
        ("Acme", ["Acme Corp"]),
        ("Acme Corp Limited", ["Acme Corp"]),
        ("Amce Corp", ["Acme Corp"]),
        ("PostgreSQL", ["Postgres 16"]),
        ("Bob Tables", ["Robert Tables"]),
        ("Globex", []),
    ],
)
def test_objects_alike_are_offered(app: ProjectApp, asked: str, alike: list[str]) -> None:
    for name in ("Acme Corp", "Postgres 16", "Robert Tables", "Oslo", "5"):
        record(app, "Ann", "has", name)
    for narrowed in ({}, {"subject": "Ann"}, {"predicate": "has"}, {"subject": "Ann", "predicate": "has"}):
        found = app.do("query_facts", object=asked, **narrowed)
        assert (found["objects_alike"], found["names_alike"]) == (alike, [])
        assert found["empty"] == "No fact is recorded with this object."


def test_an_unknown_subject_and_an_unknown_object_are_both_answered_with_similar_names(town: ProjectApp) -> None:
    found = town.do("query_facts", subject="Anne", object="Olso")
    assert (found["names_alike"], found["objects_alike"]) == (["Ann"], ["Oslo"])
    assert town.do("query_facts", subject="Anne", object="Oslo")["objects_alike"] == []


def test_objects_of_the_named_subject_and_predicate_are_compared_before_others(
    app: ProjectApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names_alike, "MAX_FACTS", 10)
    for number in range(names_alike.MAX_FACTS):
        record(app, f"A{number}", "is", f"a thing {number}")
    record(app, "Zoe", "drinks", "Earl Grey")
    assert app.do("query_facts", object="Earl Gray")["objects_alike"] == []
    assert app.do("query_facts", object="Earl Gray", subject="Zoe")["objects_alike"] == ["Earl Grey"]
    assert app.do("query_facts", object="Earl Gray", predicate="drinks")["objects_alike"] == ["Earl Grey"]


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        ({"history": True}, "history is about a subject"),
        ({"same_as": True}, "same_as is about a subject"),
        ({"subject": "Ann", "history": True, "point_in_time": 5}, "history does not go with point_in_time"),
        ({"subject": "Ann", "history": True, "text": "x"}, "history does not go with text"),
        ({"text": "x", "cursor": "y"}, "A search by text has one page"),
        ({"subject": " "}, "subject is blank"),
        ({"cursor": "y"}, "cursor"),
    ],
)
def test_what_does_not_go_together_is_refused(town: ProjectApp, asked: Json, refusal: str) -> None:
    assert refusal in town.refusal("query_facts", **asked)


def test_names_that_edges_join_are_followed_when_asked() -> None:
    aliases = SubjectAliases(lambda subject: {"Bob": ("Robert", "Bob", "Rob")}.get(subject, ()))
    assert subject_names(Question(subject=" Bob "), aliases) == ("Bob",)
    assert subject_names(Question(subject=" Bob ", same_as=True), aliases) == ("Bob", "Robert", "Rob")
    many = SubjectAliases(lambda _: tuple(map(str, range(100))))
    assert len(subject_names(Question(subject="Bob", same_as=True), many)) == 50


def test_words_need_a_zone(town: ProjectApp) -> None:
    from_nowhere = _without_zone(town)
    assert "needs a time zone" in town.refusal(
        "query_facts", subject="Ann", point_in_time="yesterday", caller=from_nowhere
    )
    (shown,) = town.do("query_facts", subject="Bob", caller=from_nowhere)["facts"]
    assert "valid_from_local" not in shown


def _without_zone(app: ProjectApp) -> Any:
    return app.caller.__class__(app.caller.scope, actor="ann", key_id="key")
