"""Rules on turns, and turns that rules record."""

from typing import Any

from tests.project_app import ProjectApp
from tests.unit.families.memory.turns.stored import session, turns, turns_of

Json = dict[str, Any]


def install(app: ProjectApp, *args: Json, on_kind: str = "broadcast_set", name: str = "note-it") -> None:
    actions = [{"tool": "record_turn", "args": each} for each in args]
    app.do("install_rule", name=name, on_kind=on_kind, actions=actions)


def happen(app: ProjectApp, value: Any = "green", key: str = "build") -> None:
    app.do("set_broadcast", key=key, value=value)
    app.react()
    assert app.defects == []


def test_the_default_rule_review_router_tells_of_turns_that_need_a_review(app: ProjectApp):
    rules = {each["name"]: each for each in app.do("list_default_rules")["defaults"]}
    router = rules["review-router"]
    assert router.get("available", True)
    app.do("install_rule", **{name: value for name, value in router.items() if name not in ("available", "reason")})

    told = app.do("record_turn", content="Please look at the parser", metadata={"tag": "needs_review"})
    app.do("record_turn", content="Nothing to see", metadata={"tag": "done"})
    app.react()

    assert app.defects == []
    assert app.do("get_broadcast", key="review_queue:latest")["value"] == {
        "actor": "ann",
        "turn_id": told["turn_id"],
        "preview": "Please look at the parser",
    }


def test_a_rule_records_a_turn_and_says_why(app: ProjectApp):
    install(
        app,
        {
            "content": "Build is ${payload.value}",
            "session_id": "builds",
            "metadata": {"kind": "build", "value": "${payload.value}"},
            "tool": "rules",
        },
    )

    happen(app)

    (turn,) = turns(app)
    assert (turn.content, turn.session, turn.position) == ("Build is green", "builds", 0)
    assert (turn.role, turn.actor, turn.tool) == ("event", "rule:note-it", "rules")
    assert turn.metadata == {"kind": "build", "value": "green"}
    (event,) = app.events("turn_recorded")
    assert event.payload["caused_by"]["rule"] == "note-it"
    assert event.payload["caused_by"]["depth"] == 1


def test_the_same_turn_is_recorded_once_however_often_a_rule_fires(app: ProjectApp):
    install(app, {"content": "Build changed", "session_id": "builds"})

    for value in ("green", "red", "green"):
        happen(app, value)

    assert len(turns(app)) == 1
    assert session(app, "builds").turns == 1


def test_two_turns_of_one_firing_have_a_place_each(app: ProjectApp):
    install(
        app,
        {"content": "one", "session_id": "s"},
        {"content": "two", "session_id": "s"},
        {"content": "one", "session_id": "s"},
        {"content": "three", "session_id": "s", "client_turn_id": "${payload.value}"},
    )
    app.do("record_turn", content="zero", session_id="s")

    happen(app)
    app.do("record_turn", content="four", session_id="s")

    assert [(each.content, each.position) for each in turns_of(app, "s")] == [
        ("zero", 0),
        ("one", 1),
        ("two", 2),
        ("one", 3),
        ("three", 4),
        ("four", 5),
    ]
    assert session(app, "s").turns == 6


def test_what_a_template_leaves_empty_is_left_out(app: ProjectApp):
    install(app, {"content": "x", "session_id": "${payload.nothing}", "tool": "${payload.value}"})

    happen(app, None)

    assert [(each.session, each.tool) for each in turns(app)] == [(None, None)]


def test_values_of_another_kind_become_text(app: ProjectApp):
    install(app, {"content": "${payload.value}", "session_id": "${payload.value.n}"})

    happen(app, {"n": 7})

    assert [(each.content, each.session) for each in turns(app)] == [('{"n":7}', "7")]


def test_a_turn_that_cannot_be_recorded_is_parked_and_the_rule_says_so(app: ProjectApp):
    install(app, {"content": "${payload.nothing}"})
    install(app, {"content": "${payload.value}", "client_turn_id": "c"}, name="once")

    for value in ("one", "two"):
        app.do("set_broadcast", key="build", value=value)
        app.react()

    rules = {each["name"]: each for each in app.do("list_rules")["rules"]}
    assert "content" in rules["note-it"]["last_error"]
    assert rules["once"].get("last_error") is None
    assert [each.content for each in turns(app)] == ["one"]


def test_secrets_are_taken_out_of_what_rules_record_too(app: ProjectApp):
    # Neither the rule nor what it listens to holds the secret, which both make together.
    install(app, {"content": "key AKIAZ7Q3${payload.value}"})

    happen(app, "MNPLX4RW2TUV")

    (turn,) = turns(app)
    assert turn.content == "key [REDACTED:aws_access_key]"
    assert turn.redacted == ("aws_access_key",)


def test_a_turn_of_a_rule_requires_claims_as_any_other(app: ProjectApp):
    install(app, {"content": "x", "requires_claim": "story:1", "holder": "h"})
    happen(app)
    assert [each.metadata["claim_violation"]["reason"] for each in turns(app)] == ["not_held"]

    install(app, {"content": "y", "requires_claim": "story:1", "holder": "h"})
    app.do("claim", key="story:1", holder="h", ttl_ms=60_000)
    happen(app)
    assert [each.metadata for each in turns(app) if each.content == "y"] == [{}]


def test_a_turn_of_a_rule_that_requires_a_claim_hard_is_parked_without(app: ProjectApp):
    install(app, {"content": "x", "requires_claim": "story:1", "holder": "h", "claim_policy": "hard"})

    app.do("set_broadcast", key="build", value="green")
    app.react()

    assert turns(app) == []
    assert "Nobody holds" in app.do("list_rules")["rules"][0]["last_error"]


def test_a_turn_that_a_rule_recorded_sets_off_no_rule(app: ProjectApp):
    install(app, {"content": "again ${payload.content_preview}"}, on_kind="turn_recorded")

    app.do("record_turn", content="x")
    app.react()

    assert sorted(each.content for each in turns(app)) == ["again x", "x"]
