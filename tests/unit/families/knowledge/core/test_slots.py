"""Test the current facts of a slot, and stated ends."""

from almanac.families.knowledge.core.slots import present_of, slot_of
from almanac.families.knowledge.core.timeline import is_retracted, own_end
from tests.unit.families.knowledge.said_facts import make_ending, make_fact


def test_what_was_said_in_the_same_millisecond_is_over_and_what_comes_later_is_not() -> None:
    facts = [
        make_fact("a", "Rome", 10),
        make_fact("b", "Oslo", 11),
        make_fact("c", "Bonn", 12, endings=(make_ending(13),)),
    ]
    assert [present_of(facts, now) for now in (8, 9, 10, 11, 12, 13, 14)] == [8, 9, 13, 13, 13, 13, 14]
    assert present_of([make_fact("a", "Rome", 10), make_fact("b", "Oslo", 12)], 10) == 10
    assert present_of([], 10) == 10


def test_a_slot_leaves_out_what_was_not_known() -> None:
    facts = [make_fact("a", "Rome", 10, recorded_at=1), make_fact("b", "Oslo", 11, recorded_at=5)]
    slot = slot_of(facts, None, 10, known_at=4)
    assert (set(slot.held), slot.present, slot.is_active("a")) == ({"a"}, 10, True)


def test_the_end_of_a_fact_is_the_earlier_of_those_that_were_said() -> None:
    assert own_end(make_fact("a", "Rome", 10)) is None
    assert own_end(make_fact("a", "Rome", 10, 50, endings=(make_ending(30), make_ending(90)))) == 50
    assert own_end(make_fact("a", "Rome", 10, endings=(make_ending(30), make_ending(None)))) is None
    assert [is_retracted(make_fact("a", "Rome", 10, endings=(make_ending(at),))) for at in (9, 10, 11)] == [
        True,
        True,
        False,
    ]
