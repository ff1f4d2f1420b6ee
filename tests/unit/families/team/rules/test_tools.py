"""Rules as their tools install, list and try them."""

from typing import Any, cast

import msgspec
import pytest
from msgspec import structs

from almanac.families.team.core.project import Project
from almanac.families.team.rules import patterns, predicates
from almanac.families.team.rules.defaults import DEFAULT_RULES
from almanac.families.team.rules.results import RuleAction
from almanac.families.team.tools import rules
from almanac.kernel.errors import InvalidInput, LimitExceeded, NotFound
from almanac.protocol.arguments.conversion import convert
from tests.unit.families.team.rule_world import HERE, WITHOUT_MEMORY, RuleWorld, broadcast, install


@pytest.mark.parametrize(
    ("actions", "path"),
    [
        ([RuleAction(tool="set_broadcast", args={"key": "k"})], "actions[0].args.value"),
        ([RuleAction(tool="pin_memory", args={"content": "x", "colour": 1})], "actions[0].args"),
        ([broadcast("k", "${env.HOME}")], "actions[0].args.value"),
        ([broadcast("k", "x" * 17_000)], "actions"),
    ],
)
def test_actions_that_cannot_be_done_are_refused_at_install(world: RuleWorld, actions: list[Any], path: str):
    with pytest.raises(InvalidInput) as refused:
        install(world, "note", *actions)
    assert refused.value.path == path
    assert rules.list_rules(project=world.project).rules == []


def test_unknown_operators_are_refused_at_install(world: RuleWorld):
    with pytest.raises(InvalidInput, match=r"\$regex"):
        install(world, where={"payload.text": {"$regex": "x"}})


def test_a_project_has_so_many_rules_and_replacing_one_is_always_possible(world: RuleWorld):
    for number in range(80):
        install(world, f"rule-{number}")
    with pytest.raises(LimitExceeded, match="80 rules"):
        install(world, "one-more")
    assert install(world, "rule-7", description="again").replaced
    world.happen(text="x")
    assert sum(rule.fired for rule in rules.list_rules(project=world.project).rules) == 80


def _install_over_wire(world: RuleWorld, arguments: dict[str, Any]) -> Any:
    """Call install_rule as a client does, with arguments as they come over the wire."""
    tool = rules.install_rule
    given = convert(arguments, tool.signature.arguments, tool.input_schema)
    named = {name: getattr(given, name) for name in tool.signature.arguments.__struct_fields__}
    return tool(**named, project=world.project)


WRONG: list[dict[str, Any]] = [
    {"name": "Upper"},
    {"on_kind": "subscribed"},
    {"on_kind": "rule_matched"},
    {"actions": []},
    {"actions": [{"tool": "install_rule", "args": {}}]},
    {"actions": [{"tool": "set_broadcast", "args": {"key": "k", "value": 1}}] * 11},
    {"description": "x" * 2001},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_the_contract_does_not_allow_is_refused(world: RuleWorld, wrong: dict[str, Any]):
    action = {"tool": "set_broadcast", "args": {"key": "k", "value": 1}}
    right = {"name": "a-1", "on_kind": "claim_expired", "actions": [action]}
    assert _install_over_wire(world, right).ok
    with pytest.raises(InvalidInput):
        _install_over_wire(world, right | wrong)


def test_the_default_rules_install_as_they_stand_and_do_what_they_say(world: RuleWorld):
    defaults = msgspec.to_builtins(rules.list_default_rules(here=WITHOUT_MEMORY))["defaults"]
    assert [each["name"] for each in defaults] == [
        *("error-pin", "claim-watchdog", "review-router", "mail-escalation", "review-escalation"),
    ]
    assert [each.get("available", True) for each in defaults] == [False, True, False, False, False]
    for each in defaults:
        _install_over_wire(world, {name: value for name, value in each.items() if name not in ("available", "reason")})
    world.happen("claim_expired", key="file:a", holder="x@y#1", expires_at=7)
    world.happen(content_preview="please look", turn_id="01T", metadata={"tag": "needs_review"})
    found = world.broadcasts()
    assert found["last_abandoned_claim"]["holder"] == "x@y#1"
    assert found["review_queue:latest"] == {"actor": "bob", "turn_id": "01T", "preview": "please look"}


def test_a_dry_run_on_a_sample_tells_what_would_be_done_and_does_nothing(world: RuleWorld):
    install(world, where={"event.actor": "eve"})
    tested = rules.test_rule(
        "note", sample={"payload": {"text": "hi"}, "event": {"actor": "eve"}}, project=world.project
    )
    (trial,) = tested.trials
    assert (tested.source, tested.matched, trial.matches) == ("sample", 1, True)
    assert trial.actions == [broadcast("last", "hi")]
    assert not rules.test_rule("note", sample={}, project=world.project).matched
    assert world.broadcasts() == {}


def test_a_dry_run_on_the_last_events_looks_at_those_of_its_kind(world: RuleWorld):
    for number in range(5):
        world.happen(text=f"t{number}", n=number)
    world.happen("claim_expired", key="file:a")
    tested = rules.test_rule(
        on_kind="turn_recorded",
        where={"payload.n": {"$gte": 3}},
        actions=[broadcast("k", "${payload.text}")],
        limit=4,
        project=world.project,
    )
    assert (tested.source, tested.tested, tested.matched) == ("last_events", 4, 2)
    assert [trial.matches for trial in tested.trials] == [True, True, False, False]
    assert tested.trials[0].actions == [broadcast("k", "t4")]


def test_a_dry_run_of_no_rule_is_refused(world: RuleWorld):
    with pytest.raises(NotFound, match="no rule"):
        rules.test_rule("nothing", project=world.project)
    with pytest.raises(InvalidInput):
        rules.test_rule(project=world.project)
    with pytest.raises(InvalidInput, match=r"\$regex"):
        rules.test_rule(on_kind="turn_recorded", where={"payload.x": {"$regex": "a"}}, project=world.project)
    with pytest.raises(InvalidInput) as refused:
        rules.test_rule(on_kind="turn_recorded", sample={"payload": 3}, project=world.project)
    assert refused.value.path == "sample.payload"


def real(world: RuleWorld) -> Project:
    """The project in an installation with all its real families."""
    return structs.replace(world.project, here=HERE)


@pytest.mark.parametrize(
    ("on_kind", "where", "text", "named"),
    [
        ("turn_recorded", {"payload.metdata.kind": "error"}, "x", "payload.metdata.kind"),
        ("turn_recorded", {"$or": [{"event.at": 1}, {"$not": {"event.who": "ann"}}]}, "x", "event.who"),
        ("turn_recorded", None, "${payload.turn_id} ${ payload.text } $${payload.no}", "payload.text"),
        ("item_created", {"payload.startt": {"$exists": True}, "payload.date": "x"}, "x", "payload.startt"),
    ],
)
def test_a_path_that_the_kind_lacks_is_answered_with_those_that_it_has(
    on_kind: str, where: dict[str, Any] | None, text: str, named: str, world: RuleWorld
):
    actions, project = [broadcast("k", text)], real(world)
    answers = [
        rules.install_rule("note", on_kind, actions, where, project=project),
        rules.test_rule(on_kind=on_kind, where=where, actions=actions, project=project),
        rules.test_rule("note", project=project),
    ]
    for answer in answers:
        (note,) = answer.notes
        assert note.startswith(f"Events of the kind {on_kind} have no {named}. They have payload.")
        assert note.endswith("event.id, event.kind, event.key, event.at, event.actor.")


def test_paths_into_what_a_field_holds_and_paths_of_other_things_are_not_doubted(world: RuleWorld):
    project = real(world)
    for on_kind, where in (
        ("turn_recorded", {"payload.metadata.kind": "error", "payload.tags.0": "x", "event.actor": "ann"}),
        ("item_created", {"$and": [{"payload.start": {"$matches": "^2026"}}, {"payload.date": {"$exists": False}}]}),
        ("memory_pinned", {"payload.shared": True}),
        ("broadcast_set", {"payload.value.state": {"$not": {"$in": ["done"]}}}),
    ):
        installed = rules.install_rule("note", on_kind, [broadcast("k", "${payload}")], where, project=project)
        assert installed.notes == ()
    for rule in DEFAULT_RULES:
        arguments = rule | {"actions": msgspec.convert(rule["actions"], list[RuleAction])}
        assert rules.install_rule(**arguments, project=project).notes == ()


def elsewhere(world: RuleWorld) -> Project:
    """The project in an installation without memory."""
    return structs.replace(world.project, here=WITHOUT_MEMORY)


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ({"on_kind": "turn_recorded"}, "on_kind"),
        ({"actions": [broadcast("k", 1), RuleAction(tool="pin_memory", args={"content": "x"})]}, "actions[1].tool"),
        ({"actions": [RuleAction(tool="record_turn", args={"content": "x"})]}, "actions[0].tool"),
    ],
)
def test_a_rule_whose_source_or_action_does_not_exist_is_refused_with_what_does(
    world: RuleWorld, wanted: dict[str, Any], path: str
):
    arguments: dict[str, Any] = {"name": "a", "on_kind": "claim_expired", "actions": [broadcast("k", 1)]}
    assert rules.install_rule(**arguments, project=elsewhere(world)).rule.runnable
    with pytest.raises(InvalidInput) as refused:
        rules.install_rule(**arguments | wanted, project=elsewhere(world))
    assert refused.value.path == path
    assert ("set_broadcast" if "tool" in path else "slot_booked") in refused.value.hint


def test_stored_rules_that_cannot_run_here_are_shown_as_such(world: RuleWorld):
    install(world, "old")
    (rule,) = rules.list_rules(project=elsewhere(world)).rules
    assert (rule.runnable, rule.not_runnable_because) == (False, 'Nothing in this installation emits "turn_recorded".')


def test_default_rules_that_can_run_install_as_they_are_listed_and_others_say_why_not(world: RuleWorld):
    for each in msgspec.to_builtins(rules.list_default_rules(here=WITHOUT_MEMORY))["defaults"]:
        if each.get("available", True):
            arguments = {name: value for name, value in each.items() if name != "actions"}
            actions = msgspec.convert(each["actions"], list[RuleAction])
            assert rules.install_rule(**arguments, actions=actions, project=elsewhere(world)).ok
        else:
            assert "turn_recorded" in each["reason"] or "send_message" in each["reason"]


@pytest.mark.parametrize("kind", sorted(HERE.kinds))
def test_rules_fire_on_every_kind_that_is_declared_with_fields_of_its_sample(world: RuleWorld, kind: str):
    (source,) = rules.list_event_kinds(kind, here=HERE).kinds
    value = {name: f"${{payload.{name}}}" for name in source.sample}
    when = "0 9 * * *" if kind == "schedule_due" else None
    does = [broadcast("seen", value)]
    rules.install_rule("standup", on_kind=cast("Any", kind), on_schedule=when, actions=does, project=real(world))
    world.emit(kind, source.sample)
    assert world.broadcasts()["seen"] == source.sample


def test_an_unknown_kind_of_event_is_refused_with_those_that_there_are():
    with pytest.raises(InvalidInput, match="turn_recorded") as refusal:
        rules.list_event_kinds("happened", here=HERE)

    assert refusal.value.path == "on_kind"


def test_patterns_that_are_too_large_together_are_refused(world: RuleWorld):
    with pytest.raises(InvalidInput, match="steps in total"):
        install(world, where={"payload.text": {"$matches": "(a|b)*a(a|b){300}c"}})
    with pytest.raises(InvalidInput, match="steps in total"):
        rules.test_rule(on_kind="broadcast_set", where={"payload.x": {"$matches": "(a?){500}c"}}, project=world.project)


def test_a_dry_run_ends_where_it_would_take_too_long_and_says_so(world: RuleWorld):
    slow = {"payload.text": {"$matches": "(a|b)*a(a|b){100}c"}}
    for _ in range(6):
        world.happen(text="ab" * 3000)
    tested = rules.test_rule(on_kind="turn_recorded", where=slow, project=world.project)
    assert 1 <= tested.tested < 6
    assert tested.truncated
    assert not rules.test_rule(on_kind="turn_recorded", where=slow, limit=1, project=world.project).truncated


def many_patterns(*patterns: str) -> dict[str, Any]:
    return {"$or": [{"payload.text": {"$matches": each}} for each in patterns]}


def test_of_patterns_that_are_too_large_only_the_first_is_read(world: RuleWorld, monkeypatch: pytest.MonkeyPatch):
    """To read ten of them would take half a second."""
    read: list[str] = []

    def note_pattern(text: str, path: str) -> patterns.Pattern:
        read.append(text)
        return patterns.pattern(text, path)

    monkeypatch.setattr(predicates, "pattern", note_pattern)
    large = many_patterns(*(f"\\pL{{7}}{number}" for number in range(10)))
    for attempt in (
        lambda: install(world, where=large),
        lambda: rules.test_rule(on_kind="broadcast_set", where=large, sample={}, project=real(world)),
    ):
        read.clear()
        with pytest.raises(InvalidInput, match="steps in total"):
            attempt()
        assert len(read) == 1


def test_patterns_with_very_many_classes_are_not_even_read(world: RuleWorld):
    with pytest.raises(InvalidInput, match="classes such as"):
        install(world, where=many_patterns("(?i)" + r"\pL\PL" * 70))
