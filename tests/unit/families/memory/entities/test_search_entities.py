"""search_entities as an agent calls it: by name, before and after the turns are counted."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from almanac.families.memory.entities.counts import COUNT
from almanac.families.memory.entities.records import ENTITIES, MAX_KEPT_TURNS, TURN_ENTITIES
from almanac.kernel.caller import Scope
from almanac.platform.store.port import ConditionFailed
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import MemoryBuilder

Rows = Sequence[dict[str, Any]]


@pytest.fixture
def builder(app: ProjectApp) -> MemoryBuilder:
    return MemoryBuilder(app)


def find_entities(app: ProjectApp, query: str, **more: Any) -> Rows:
    """The entities, which must be the same before and after the turns are counted."""
    before = app.do("search_entities", query=query, **more)["entities"]
    app.react()
    assert app.do("search_entities", query=query, **more)["entities"] == before
    return before


def test_an_entity_says_who_mentions_it_and_when(app: ProjectApp, builder: MemoryBuilder) -> None:
    first, at = builder.turn("TS2345 again in `src/auth.py`"), app.now
    app.react()
    app.wait(hours=1)
    second = builder.turn("src/Auth.py:12 is fixed, no TS2345")
    assert find_entities(app, "SRC/auth.py") == [
        {
            "kind": "file",
            "entity": "src/auth.py",
            "mentions": 2,
            "first_at": at,
            "last_at": app.now,
            "turn_ids": [second, first],
            "match": "exact",
        }
    ]
    assert [each["kind"] for each in find_entities(app, "ts2345")] == ["error_code"]


@pytest.mark.parametrize(
    ("query", "entity", "match"),
    [
        ("auth.py", "src/app/auth.py", "part"),
        ("app/auth.py", "src/app/auth.py", "part"),
        ("./src/app/auth.py:12", "src/app/auth.py", "exact"),
        ("src\\app\\auth.py", "src/app/auth.py", "exact"),
        ("src/", "src/app/auth.py", "prefix"),
        ("app", "src/app/auth.py", "part"),
        ("getUserName()", "getUserName", "exact"),
        ("getuser", "getUserName", "prefix"),
        ("join", "os.path.join", "part"),
        ("path.join", "os.path.join", "part"),
        ("EACCES", "EACCES", "exact"),
        ("git rebase", "git rebase -i main", "prefix"),
        ("where did we change src/app/auth.py last time?", "src/app/auth.py", "exact"),
    ],
)
def test_a_name_is_matched_exactly_by_its_beginning_or_by_a_part(
    app: ProjectApp, builder: MemoryBuilder, query: str, entity: str, match: str
) -> None:
    builder.turn("src/app/auth.py has getUserName and os.path.join; EACCES came after `git rebase -i main`")
    assert [(each["entity"], each["match"]) for each in find_entities(app, query)] == [(entity, match)]


def test_exact_matches_come_first_then_what_most_turns_name(app: ProjectApp, builder: MemoryBuilder) -> None:
    for _ in range(2):
        builder.turn("see get_user_names and api.get_user")
    builder.turn("see get_user_address")
    builder.turn("see get_user")
    rows = [(each["entity"], each["match"]) for each in find_entities(app, "get_user")]
    assert rows == [
        ("get_user", "exact"),
        ("get_user_names", "prefix"),
        ("get_user_address", "prefix"),
        ("api.get_user", "part"),
    ]


def test_kinds_and_k_narrow_the_answer(app: ProjectApp, builder: MemoryBuilder) -> None:
    builder.turn("errors.py errors.js TS2345 https://example.com/errors PROJ-12 error_of")
    assert {each["kind"] for each in find_entities(app, "err", kinds=["file"])} == {"file"}
    assert [each["kind"] for each in find_entities(app, "proj-12", kinds=["ticket", "url"])] == ["ticket"]
    answer = app.do("search_entities", query="err", k=1)
    assert (len(answer["entities"]), answer["truncated"]) == (1, True)
    for k in (0, 101):
        assert "k" in app.refusal("search_entities", query="err", k=k)
    assert "kinds" in app.refusal("search_entities", query="err", kinds=["person"])


def test_a_turn_that_is_forgotten_is_no_mention_until_it_is_restored(app: ProjectApp, builder: MemoryBuilder) -> None:
    kept = builder.turn("src/auth.py is broken")
    app.wait(minutes=1)
    gone = builder.turn("src/auth.py and src/other.py")
    assert find_entities(app, "auth.py")[0]["mentions"] == 2
    builder.forget(gone)
    assert (find_entities(app, "auth.py")[0]["mentions"], find_entities(app, "auth.py")[0]["turn_ids"]) == (1, [kept])
    assert find_entities(app, "other.py") == []
    builder.restore(gone)
    assert find_entities(app, "auth.py")[0]["turn_ids"] == [gone, kept]
    assert [each["entity"] for each in find_entities(app, "other.py")] == ["src/other.py"]


def test_a_turn_forgotten_before_it_was_counted_is_never_counted(app: ProjectApp, builder: MemoryBuilder) -> None:
    gone = builder.turn("src/auth.py is broken")
    builder.forget(gone)
    assert find_entities(app, "auth.py") == []
    assert list(builder.project.rows(ENTITIES).every("file")) == []


def test_events_that_come_again_count_once(app: ProjectApp, builder: MemoryBuilder) -> None:
    turn = builder.turn("src/auth.py is broken")
    app.react()
    for event in app.events("turn_recorded"):
        app.store.write([*COUNT.handle(event, app.services), builder.project.rows(ENTITIES).delete("file", "none")])
    [row] = find_entities(app, "auth.py")
    assert (row["mentions"], row["turn_ids"]) == (1, [turn])


def test_a_turn_that_is_rewritten_is_counted_as_it_is_now(app: ProjectApp, builder: MemoryBuilder) -> None:
    turn = builder.turn("src/auth.py is broken")
    app.react()
    builder.rewrite(turn, "src/other.py is broken")
    app.react()
    assert find_entities(app, "auth.py") == []
    assert find_entities(app, "other.py")[0]["mentions"] == 1


def test_counting_turns_of_many_entities_stays_within_one_write(app: ProjectApp, builder: MemoryBuilder) -> None:
    turn = builder.turn(" ".join(f"src/file{number}.py" for number in range(200)))
    assert len(COUNT.handle(app.events("turn_recorded")[0], app.services)) == 41
    app.react()
    builder.rewrite(turn, " ".join(f"src/other{number}.py" for number in range(200)))
    assert len(COUNT.handle(app.events("turn_rewritten")[0], app.services)) == 81
    app.react()
    assert len(find_entities(app, "src/other", k=100)) == 40
    assert find_entities(app, "src/file") == []


def test_only_the_last_turns_are_named_and_all_are_counted(app: ProjectApp, builder: MemoryBuilder) -> None:
    turns: list[str] = []
    for number in range(70):
        app.wait(minutes=1)
        turns.append(builder.turn("src/auth.py once more"))
        if number == 30:
            app.react()
    [row] = find_entities(app, "src/auth.py")
    assert row["mentions"] == 70
    assert row["turn_ids"] == turns[:-21:-1]
    builder.forget(turns[-1])
    [row] = find_entities(app, "src/auth.py")
    assert (row["mentions"], row["turn_ids"]) == (69, turns[-2:-22:-1])


def test_an_entity_that_nobody_names_any_more_leaves_nothing_behind(app: ProjectApp, builder: MemoryBuilder) -> None:
    turn = builder.turn("src/auth.py and getUserName")
    app.react()
    builder.forget(turn)
    app.react()
    project = builder.project
    assert project.rows(TURN_ENTITIES).get(turn) is None
    assert [each for kind in ("file", "symbol") for each in project.rows(ENTITIES).every(kind)] == []


def test_nothing_of_another_project_or_tenant_is_found(app: ProjectApp, builder: MemoryBuilder) -> None:
    builder.turn("src/secret.py is ours")
    for scope in (Scope("acme", "app"), Scope("other", "web")):
        stranger = replace(app.caller, scope=scope)
        theirs = MemoryBuilder(app, stranger).turn("src/secret.py is theirs")
        app.react()
        [row] = app.do("search_entities", query="secret.py", caller=stranger)["entities"]
        assert row["turn_ids"] == [theirs]
    assert find_entities(app, "secret.py")[0]["mentions"] == 1


@pytest.mark.parametrize("query", ["", "  ", "\u200b\n", "\U0010ffff"])
def test_a_look_up_of_blanks_is_refused(app: ProjectApp, query: str) -> None:
    assert app.refusal("search_entities", query=query)


@pytest.mark.parametrize("query", ["%", "#", "'", "\u00e4\u00f6", "\U0001f984", "x" * 4000, "a/" * 2000, "..", "()"])
def test_odd_names_are_looked_up(app: ProjectApp, builder: MemoryBuilder, query: str) -> None:
    builder.turn("src/auth.py is broken")
    assert find_entities(app, query) == []


def test_long_and_odd_entities_are_kept(app: ProjectApp, builder: MemoryBuilder) -> None:
    url = "https://example.com/" + "%23#!" * 300
    builder.turn(f"see {url} and src/größe#1.py and {'d/' * 100}x.py")
    app.react()
    assert app.defects == []
    assert find_entities(app, "https://example.com/%23")[0]["kind"] == "url"
    assert find_entities(app, "x.py")[0]["match"] == "part"


def test_an_empty_answer_says_what_to_do(app: ProjectApp, builder: MemoryBuilder) -> None:
    assert "No turn" in app.do("search_entities", query="auth.py")["empty_because"]
    builder.turn("src/auth.py is broken")
    assert "search_memory" in app.do("search_entities", query="other.py")["empty_because"]
    assert "kinds" in app.do("search_entities", query="auth.py", kinds=["url"])["empty_because"]


def test_two_turns_counted_at_once_are_both_counted(app: ProjectApp, builder: MemoryBuilder) -> None:
    first = builder.turn("src/auth.py is broken")
    app.wait(minutes=1)
    second = builder.turn("src/auth.py is mended")
    early, late = (COUNT.handle(event, app.services) for event in app.events("turn_recorded"))
    app.store.write(early)
    with pytest.raises(ConditionFailed):
        app.store.write(late)
    app.react()
    [row] = find_entities(app, "auth.py")
    assert (row["mentions"], row["turn_ids"]) == (2, [second, first])


def test_a_turn_counted_while_the_last_mention_goes_is_not_lost(app: ProjectApp, builder: MemoryBuilder) -> None:
    first = builder.turn("src/auth.py is broken")
    app.react()
    builder.forget(first)
    going = COUNT.handle(app.events("memory_forgotten")[0], app.services)
    second = builder.turn("src/auth.py is mended")
    app.store.write(COUNT.handle(app.events("turn_recorded")[1], app.services))
    with pytest.raises(ConditionFailed):
        app.store.write(going)
    app.react()
    [row] = find_entities(app, "auth.py")
    assert (row["mentions"], row["turn_ids"]) == (1, [second])


def test_a_record_of_an_entity_stays_small(app: ProjectApp, builder: MemoryBuilder) -> None:
    for _ in range(50):
        builder.turn("src/auth.py once more")
    app.react()
    record = builder.project.rows(ENTITIES).get("file", "src/auth.py")
    assert record is not None
    assert (record.mentions, len(record.latest)) == (50, MAX_KEPT_TURNS)
