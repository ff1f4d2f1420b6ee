"""The router: explicit layer, tags, ttl, type, in this order."""

from typing import Any

import pytest

from almanac.families.context.core.types import Layer
from almanac.families.context.storage.router import Route, route


def choose_route(type_: str = "decision", *tags: str, **fields: Any) -> Route:
    known: dict[str, Any] = {"layer": None, "has_ttl": False, "pinned": False, "shares": True}
    return route(type_=type_, tags=tags, **{**known, **fields})


@pytest.mark.parametrize(
    ("type_", "layer", "confidence"),
    [
        ("scratchpad", 1, 0.95),
        ("code_pattern", 3, 0.9),
        ("convention", 3, 0.9),
        ("relationship", 3, 0.85),
        ("decision", 2, 0.85),
        ("bug_fix", 2, 0.85),
        ("summary", 2, 0.6),
    ],
)
def test_a_type_has_its_layer(type_: str, layer: Layer, confidence: float):
    found = choose_route(type_)

    assert (found.layer, found.confidence) == (layer, confidence)
    assert type_ in found.reason


def test_a_ttl_says_more_than_a_type():
    assert choose_route("decision", has_ttl=True) == Route(1, "a ttl is set", 0.9)


@pytest.mark.parametrize(
    ("tag", "layer"),
    [("temp", 1), ("temporary", 1), ("global", 3), ("universal", 3), ("project", 2), ("local", 2), (" Temp ", 1)],
)
def test_tags_say_more_than_a_ttl(tag: str, layer: Layer):
    found = choose_route("bug_fix", "auth", tag, has_ttl=True)

    assert (found.layer, found.confidence) == (layer, 0.95)
    assert found.reason == f"tags say {tag.strip().lower()}"


def test_a_word_within_a_tag_says_nothing():
    assert choose_route("decision", "temperature", "globals").layer == 2


def test_of_tags_that_disagree_the_shortest_life_wins():
    assert choose_route("decision", "local", "global", "temp").layer == 1
    assert choose_route("decision", "local", "global").layer == 3


def test_an_explicit_layer_says_more_than_all_others():
    assert choose_route("scratchpad", "temp", layer=3, has_ttl=True) == Route(3, "layer 3 was asked for", 1.0)


def test_what_is_pinned_is_not_put_where_it_would_lapse():
    found = choose_route("scratchpad", pinned=True)

    assert (found.layer, found.confidence) == (2, 0.95)
    assert found.reason == "type scratchpad belongs in layer 1, but what is pinned stays"


def test_a_project_that_is_closed_off_keeps_in_layer_2_what_belongs_to_all():
    found = choose_route("convention", shares=False)

    assert found.layer == 2
    assert "does not take part" in found.reason
    assert choose_route("convention", layer=3, shares=False).layer == 3, "whoever asks for layer 3 is to be refused"
