"""Test which earlier statements a statement and the agent's reply to it overrule."""

import pytest

from almanac.families.memory.candidates.overruling import find_overruled, rejections_of
from tests.cpu_time import takes_under


@pytest.mark.parametrize(
    ("earlier", "later", "reply"),
    [
        ("We go with Altstadt unless the stairs are bad.", "let's take the barn", "Altstadt is out, I book the barn."),
        ("we take the harbour hall for the dance", "the barn it is", "Replacing the harbour by the barn."),
        (
            "don't pour the floor til friday",
            "ken is here friday, so floor monday",
            "The floor is on Monday, not Friday.",
        ),
        ("Seats come from NovaStage, Jo said fine", "benches then, and NovaStage goes out", ""),
        ("one lamp per table, so forty lamps", "no, one per row. drop the table ones", ""),
        ("seats at 12 euros for everybody", "seats at 9, not 12", ""),
        ("the rehearsal in Ost is on Monday, the 19th", "we go on the 20th", "Rehearsal moved: Tuesday the 20th."),
        ("The flyers are printed on thick paper.", "thin it is", "Thin instead of thick paper."),
        ("We use the RL900 for the stage.", "two small ones then", "Two small ones, no RL900."),
    ],
)
def test_what_is_rejected_by_its_name_is_overruled(earlier: str, later: str, reply: str) -> None:
    assert find_overruled(rejections_of(later, reply), ["the bar opens at six", earlier]) == [1]


@pytest.mark.parametrize(
    ("earlier", "later", "reply"),
    [
        ("We go with Altstadt for the dance.", "let's take the barn", "Is Altstadt out then?"),
        ("We go with Altstadt for the dance.", "Altstadt it is", "Altstadt is booked."),
        ("nothing painted in Altstadt may burn", "paint it anew", "Altstadt is out, painted anew."),
        ("Ann plays the drums on Friday.", "quieter please", "Ann is out today."),
        ("Lena wants the list by Monday", "nobody changes the list, not even Lena", "No changes without you."),
        ("the soup has salt from Ost", "no salt in the cake", "Cake without salt."),
        ("The rehearsal is in the barn.", "later then", "Rehearsal moved: Tuesday the 20th."),
        ("The tour is on Monday, the 19th", "later then", "Rehearsal moved: Tuesday the 20th."),
        ("We stop at half past ten.", "earlier", "Now at 9:30 instead of half past."),
        ("we have 12 benches", "seats at 9, not 12", ""),
        ("We go with Altstadt for the dance.", "don't forget Altstadt", "I won\u2019t forget about Altstadt."),
        ("We go with Altstadt for the dance.", "never ever cancel the Altstadt booking", ""),
        (
            "We go with Altstadt for the dance.",
            "we must not remove Altstadt from the list",
            "Nothing replaces Altstadt.",
        ),
    ],
)
def test_what_is_not_clearly_rejected_stays(earlier: str, later: str, reply: str) -> None:
    assert find_overruled(rejections_of(later, reply), [earlier]) == []


def test_a_negation_of_something_else_keeps_nothing() -> None:
    rejections = rejections_of("I do not like it. Drop Altstadt")
    assert find_overruled(rejections, ["the bar opens at six", "We go with Altstadt for the dance."]) == [1]
    rejections = rejections_of("that won't do, scrap Altstadt")
    assert find_overruled(rejections, ["the bar opens at six", "We go with Altstadt for the dance."]) == [1]


def test_a_common_word_of_several_statements_says_of_none_which_is_meant() -> None:
    earlier = ["the page of the dance goes live on Friday", "every page has a red border", "wooden benches"]
    assert find_overruled(rejections_of("a leaflet instead of the page"), earlier) == []
    assert find_overruled(rejections_of("a leaflet instead of the page"), earlier[1:]) == [0]


@pytest.mark.parametrize("part", ["not the ", "instead of ", "a b out, ", "moved the x ", "1.1.", "is out "])
def test_no_text_takes_long(part: str) -> None:
    text = part * (60_000 // len(part))
    assert takes_under(0.5, lambda: find_overruled(rejections_of(text, text), [text] * 5))
