"""Test filling in the templates of a rule, and their bounds."""

import json
from typing import Any

import pytest

from almanac.families.team.rules.actions import fill_actions
from almanac.families.team.rules.paths import document
from almanac.families.team.rules.templates import MAX_BYTES, Budget, check_templates, fill_templates
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event
from tests.unit.families.team.rule_world import RuleWorld, broadcast, install


def fill(value: Any, **payload: Any) -> Any:
    check_templates(value, "args")
    event = Event(id="01J", kind="claim_expired", tenant="t", project="p", key="k", at=7, actor="ann", payload=payload)
    return fill_templates(value, document(event), Budget())


@pytest.mark.parametrize(
    ("template", "payload", "text"),
    [
        pytest.param(
            "${payload.key} of ${event.actor} at ${event.at}",
            {"key": "file:a"},
            "file:a of ann at 7",
            id="values of payload and event",
        ),
        pytest.param(
            "${payload.a} ${payload.b} ${payload.c} ${payload.d}",
            {"a": True, "b": 1.5, "c": ["é"], "d": {"x": None}},
            'true 1.5 ["é"] {"x":null}',
            id="what is no text goes in as JSON",
        ),
        pytest.param(
            "[${payload.none}${payload.null}${payload.a.b}]",
            {"null": None, "a": "text"},
            "[]",
            id="a missing path and null leave nothing",
        ),
        pytest.param(
            "${payload.a}",
            {"a": "${payload.b} ${event.actor}", "b": "secret"},
            "${payload.b} ${event.actor}",
            id="what was filled in is no template",
        ),
        pytest.param(
            "$${payload.a} costs $5 and ${payload.a}",
            {"a": "x"},
            "${payload.a} costs $5 and x",
            id="a doubled dollar keeps what follows",
        ),
        pytest.param("$${ and ${payload.a}", {"a": "x"}, "${ and x", id="a doubled dollar needs no closing brace"),
    ],
)
def test_a_text_is_filled_in(template: str, payload: dict[str, Any], text: str):
    assert fill(template, **payload) == text


def test_only_texts_are_filled_in_wherever_they_stand():
    value = {"${payload.k}": [1, None, True, {"deep": "${payload.k}"}]}
    assert fill(value, k="v") == {"${payload.k}": [1, None, True, {"deep": "v"}]}


@pytest.mark.parametrize("text", ["${payload.a", "${payload.{a}}", "${payload.a} ${", "${ ${payload.a}"])
def test_what_is_opened_and_not_closed_is_refused_at_install(text: str):
    with pytest.raises(InvalidInput, match="not closed"):
        check_templates({"value": text}, "actions[0].args")


@pytest.mark.parametrize("text", ["${secret}", "${payload..a}", "${}", "${event.actor} ${os.environ}"])
def test_what_is_no_path_is_refused_at_install(text: str):
    with pytest.raises(InvalidInput) as refused:
        check_templates({"value": [text]}, "actions[0].args")
    assert refused.value.path == "actions[0].args.value[0]"


def test_too_many_places_and_too_deep_a_nesting_are_refused():
    with pytest.raises(InvalidInput, match="more than 32 places"):
        check_templates("${event.at}" * 33, "args")
    deep: Any = "x"
    for _ in range(11):
        deep = [deep]
    with pytest.raises(InvalidInput, match="nested deeper"):
        check_templates(deep, "args")


@pytest.mark.parametrize("text", ["x" * 15_000, "\x00" * 2_500, "é" * 7_000, "😀" * 3_000, '"\\' * 4_000])
def test_a_template_bomb_stays_within_what_an_event_carries(text: str):
    actions = [{"tool": "set_broadcast", "args": {"key": "k", "value": ["${payload.x}" * 32] * 60}}]
    event = Event(
        id="01J", kind="claim_expired", tenant="t", project="p", key="k", at=7, actor="ann", payload={"x": text}
    )
    (action,) = fill_actions(actions, document(event))
    texts = action["args"]["value"]
    assert sum(len(json.dumps(each, ensure_ascii=False).encode()) - 2 for each in texts) <= MAX_BYTES
    assert texts[0].endswith("…")
    assert texts[0].startswith(text[:100])


@pytest.mark.parametrize("value", [3, 0.5, True, None, [1, {"a": None}], {"deep": {"er": [1]}}, "text", ""])
def test_a_text_that_is_one_place_becomes_the_value_itself(world: RuleWorld, value: Any):
    install(world, "note", broadcast("whole", {"value": "${payload.x}", "blank": "${ payload.x }"}))
    world.happen(x=value)
    assert world.broadcasts()["whole"] == {"value": value, "blank": value}


def test_within_other_text_values_are_text(world: RuleWorld):
    install(
        world, "note", broadcast("${payload.n}", ["n=${payload.n}", "${payload.n}${payload.none}", "$${payload.n}"])
    )
    world.happen(n=3, none=None)
    assert world.broadcasts() == {"3": ["n=3", "3", "${payload.n}"]}


def test_a_value_that_is_too_large_is_cut_as_text(world: RuleWorld):
    install(world, "note", broadcast("big", "${payload.x}"))
    world.happen(x=["y" * 100] * 100)
    big = world.broadcasts()["big"]
    assert isinstance(big, str)
    assert big.endswith("…")
