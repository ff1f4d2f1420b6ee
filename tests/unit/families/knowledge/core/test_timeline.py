"""Test that validity follows from the statements, in any order."""

from collections.abc import Iterable, Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.knowledge.core.records import Cardinality, Fact
from almanac.families.knowledge.core.timeline import HoldingInterval, timeline
from tests.unit.families.knowledge.said_facts import make_ending, make_fact


def _spans(facts: Iterable[Fact], cardinality: Cardinality | None = None, known_at: int | None = None) -> list[str]:
    held = timeline(facts, cardinality, known_at)
    return [f"{name} {one.start}-{'' if one.end is None else one.end}" for name, one in sorted(held.items())]


_TWO = [make_fact("a", "Rome", 10), make_fact("b", "Oslo", 20)]
_STATED = [make_fact("a", "Rome", 10, 30), make_fact("b", "Oslo", 20)]


@pytest.mark.parametrize(
    ("facts", "cardinality", "spans"),
    [
        pytest.param(_TWO, None, ["a 10-20", "b 20-"], id="a newer object ends the older where it begins itself"),
        pytest.param(_TWO, "many", ["a 10-", "b 20-"], id="of many objects none ends another"),
        pytest.param(_STATED, None, ["a 10-30", "b 20-"], id="a stated end is kept"),
        pytest.param(_STATED, "one", ["a 10-20", "b 20-"], id="unless the predicate has one object"),
        pytest.param(_STATED, "many", ["a 10-30", "b 20-"], id="a stated end is kept among many objects"),
        pytest.param(
            [make_fact("a", "Rome", 10, 90, endings=(make_ending(50),)), make_fact("b", "Oslo", 20)],
            None,
            ["a 10-50", "b 20-"],
            id="a fact with a stated end that is ended earlier still held until then",
        ),
        pytest.param(
            [make_fact("a", "Rome", 10), make_fact("b", "Oslo", 10), make_fact("c", "Bonn", 20)],
            None,
            ["a 10-20", "b 10-20", "c 20-"],
            id="what begins together holds together until the next",
        ),
        pytest.param(
            [
                make_fact("a", "Rome", 10),
                make_fact("b", "Rome", 20),
                make_fact("c", "Rome", 30),
                make_fact("d", "Oslo", 40),
            ],
            "one",
            ["a 10-40", "b 20-40", "c 30-40", "d 40-"],
            id="the same object said again ends nothing",
        ),
    ],
)
def test_when_facts_hold(facts: Sequence[Fact], cardinality: Cardinality | None, spans: list[str]) -> None:
    assert _spans(facts, cardinality) == spans


def test_what_was_not_known_yet_is_left_out() -> None:
    facts = [make_fact("a", "Rome", 10, recorded_at=1), make_fact("b", "Oslo", 20, recorded_at=7)]
    assert _spans(facts, known_at=6) == ["a 10-"]


def test_the_order_of_arrival_does_not_matter() -> None:
    facts = [
        make_fact("a", "Rome", 10),
        make_fact("b", "Oslo", 20),
        make_fact("c", "Rome", 30, 40),
        make_fact("d", "Bonn", 20),
    ]
    assert len({tuple(_spans(order)) for order in permutations(facts)}) == 1


def test_what_was_taken_back_ends_nothing_and_what_it_ended_holds_again() -> None:
    older, newer = make_fact("a", "Rome", 10), make_fact("b", "Oslo", 20, endings=(make_ending(20, known_at=5),))
    assert _spans([older, newer]) == ["a 10-", "b 20-20"]
    assert _spans([older, newer], known_at=4) == ["a 10-20", "b 20-"]


def test_an_end_said_later_counts_from_then_on_until_it_is_taken_back() -> None:
    fact = make_fact("a", "Rome", 10, 90, endings=(make_ending(50, known_at=3), make_ending(None, known_at=6)))
    assert [_spans([fact], known_at=at)[0] for at in (2, 3, 5, 6)] == ["a 10-90", "a 10-50", "a 10-50", "a 10-90"]


def test_the_answer_says_what_ended_a_fact() -> None:
    facts = [
        make_fact("a", "Rome", 10),
        make_fact("b", "Oslo", 20),
        make_fact("c", "Bonn", 20),
        make_fact("d", "Kiel", 5, 8),
    ]
    held = timeline(facts, None)
    assert held["a"] == HoldingInterval(10, 20, "superseded", ("b", "c"))
    assert held["d"] == HoldingInterval(5, 8, "stated")
    assert timeline([make_fact("e", "Rome", 1, endings=(make_ending(3),))], None)["e"] == HoldingInterval(
        1, 3, "invalidated"
    )


def test_an_instant_belongs_to_what_begins_there() -> None:
    assert [HoldingInterval(10, 20).at(instant) for instant in (9, 10, 19, 20)] == [False, True, True, False]
    assert HoldingInterval(10, None).at(10**15)
    assert not HoldingInterval(10, 20).overlaps(HoldingInterval(20, None))
    assert HoldingInterval(10, 21).overlaps(HoldingInterval(20, None))


_FACTS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.integers(0, 5), st.none() | st.integers(1, 7), st.none() | st.integers(0, 7)),
    max_size=7,
)


@given(_FACTS, st.sampled_from(("one", "many", None)))
def test_it_agrees_with_asking_each_fact_about_all_others(
    rows: Sequence[tuple[str, int, int | None, int | None]], cardinality: Cardinality | None
) -> None:
    facts = [
        make_fact(f"f{number}", name, start, end and start + end, endings=() if over is None else (make_ending(over),))
        for number, (name, start, end, over) in enumerate(rows)
    ]
    held = timeline(facts, cardinality)
    assert {name: one.end for name, one in held.items()} == {one.id: _end_of(one, facts, cardinality) for one in facts}


def _end_of(fact: Fact, facts: Sequence[Fact], cardinality: Cardinality | None) -> int | None:
    own = _own_end(fact)
    if _is_empty(fact) or cardinality == "many":
        return own
    taken_at_its_word = cardinality is None and fact.stated_to is not None
    others = (
        one.valid_from
        for one in facts
        if one.object != fact.object and one.valid_from > fact.valid_from and not _is_empty(one)
    )
    return own if taken_at_its_word else min([*others, *([] if own is None else [own])], default=None)


def _own_end(fact: Fact) -> int | None:
    ends = [fact.stated_to, *(max(one.at, fact.valid_from) for one in fact.endings if one.at is not None)]
    return min((end for end in ends if end is not None), default=None)


def _is_empty(fact: Fact) -> bool:
    end = _own_end(fact)
    return end is not None and end <= fact.valid_from
