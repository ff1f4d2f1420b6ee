"""Options and proposals that a short answer accepts."""

import pytest

from almanac.families.memory.statements.antecedents import (
    antecedent_of,
    choice_of,
    mark_of,
    marked_option,
    needs_antecedent,
    options_in,
)
from tests.cpu_time import takes_under

OFFER = ("assistant", "Three cakes:\n1) walnut, 32 euros\n2) plum, 28 euros\n3) lemon, 30 euros")


@pytest.mark.parametrize(
    ("said", "accepted"),
    [
        ("the second one", "plum, 28 euros"),
        ("ok, the last", "lemon, 30 euros"),
        ("option 1 please", "walnut, 32 euros"),
        ("number three", "lemon, 30 euros"),
    ],
)
def test_a_numbered_option_is_resolved(said: str, accepted: str) -> None:
    assert needs_antecedent(said)
    assert antecedent_of(said, [OFFER]) == accepted


BULLETS = ("assistant", "Ideas:\n- walnut, with cream\n- plum, and a lattice on top\n- lemon\nAll are quick.")
MARKED_BULLETS = ("assistant", "Ideas:\n- A: walnut, with cream\n- B: plum, and a lattice on top")


@pytest.mark.parametrize(
    ("said", "offer", "accepted"),
    [
        ("the second", BULLETS, "plum, and a lattice on top"),
        ("ok, the last", BULLETS, "lemon"),
        ("the second", MARKED_BULLETS, "plum, and a lattice on top"),
        ("first.", OFFER, "walnut, 32 euros"),
        ("second one, please", OFFER, "plum, 28 euros"),
    ],
)
def test_an_ordinal_alone_names_an_item_of_any_list(said: str, offer: tuple[str, str], accepted: str) -> None:
    assert needs_antecedent(said)
    assert antecedent_of(said, [offer]) == accepted


def test_items_with_bullets_are_no_options_of_a_word() -> None:
    assert marked_option("b", [MARKED_BULLETS]) == "plum, and a lattice on top"
    assert choice_of("the plum!", [BULLETS]) is None


@pytest.mark.parametrize("text", ["\n" * 20_000, "\t" * 20_000, "\n - " * 5_000, "\n- A) " * 3_000])
def test_lists_of_hostile_text_are_read_in_linear_time(text: str) -> None:
    assert takes_under(0.15, lambda: antecedent_of("the second", [("assistant", text)]))


INLINE = ("assistant", "Two ways: (a) bake it tonight, 2 kg, (b) buy it from Marten. I'd take b. Ann decides.")


@pytest.mark.parametrize(
    ("said", "offer", "accepted"),
    [
        ("b", INLINE, "buy it from Marten"),
        ("ok, let's go with (a) then", INLINE, "bake it tonight, 2 kg"),
        ("2 please", OFFER, "plum, 28 euros"),
        ("b", ("assistant", "Which tin do we take? (a) round, (b) square"), "Which tin do we take? square"),
        ("2", ("assistant", "Two tins or three? 1. How many? 2. Which size?"), None),
        ("c", INLINE, None),
        ("2", ("assistant", "How many tins do we need?"), None),
    ],
)
def test_a_mark_alone_names_its_option(said: str, offer: tuple[str, str], accepted: str | None) -> None:
    assert marked_option(mark_of(said), [offer]) == accepted


@pytest.mark.parametrize("said", ["2 kg", "b and a", "a pan", "the second one", "20 then, or 30", ""])
def test_a_sentence_that_says_more_is_no_mark(said: str) -> None:
    assert mark_of(said) == ""


SPELLED = ("assistant", "One: keep the old press and grease it. Two: rent one from the school. Three: buy. I'd rent.")


@pytest.mark.parametrize(
    ("said", "before", "accepted"),
    [
        ("the second, then", [SPELLED], "rent one from the school"),
        ("the third", [("assistant", "First: ink.\nSecond: paper.\nThird: glue.")], "glue"),
        ("the second", [("assistant", "Which press? 1) the old one, 2) a new one")], "Which press? a new one"),
        ("the first", [("assistant", f"Which press, {'so ' * 50}? 1) old, 2) new")], "old"),
        ("the second", [("user", "Name a way between the press and the shelf, quick and without glue.")], None),
    ],
)
def test_a_place_in_a_list_is_resolved_to_the_option_or_to_nothing(
    said: str, before: list[tuple[str, str]], accepted: str | None
) -> None:
    assert antecedent_of(said, before) == accepted


PRESSES = ("assistant", "Two ways: 1) print on the old press, 2) print at the school, which takes a week.")


@pytest.mark.parametrize(
    ("said", "accepted"),
    [
        ("school please", "print at the school, which takes a week"),
        ("old press then", "print on the old press"),
        ("Ada already went to school there once", None),
    ],
)
def test_a_choice_says_little_else_than_its_option(said: str, accepted: str | None) -> None:
    assert choice_of(said, [PRESSES]) == accepted


@pytest.mark.parametrize(
    "said",
    [
        "She needs the plate by Tuesday, or we lose the slot and print in June.",
        f"I stood there {'and stood there ' * 8} and nobody came or called.",
    ],
)
def test_a_consequence_and_a_story_are_no_options(said: str) -> None:
    assert options_in(said) == []


def test_a_question_with_a_pronoun_behind_or_still_offers_two() -> None:
    assert options_in("Do we print it here or we send it out?") == ["Do we print it here", "we send it out"]


def test_options_may_stand_a_few_turns_before() -> None:
    assert antecedent_of("the first", [("user", "hm"), ("assistant", "Take your time."), OFFER]) == "walnut, 32 euros"


def test_options_are_named_in_a_sentence_too() -> None:
    assert options_in("Options: the barn, the hall, or the tent. Prices differ.") == [
        "the barn",
        "the hall",
        "the tent",
    ]
    assert antecedent_of("the latter", [("assistant", "Do you want oak or ash?")]) == "ash"


def test_consent_accepts_the_last_proposal() -> None:
    before = [("assistant", "The oven is old. We could use the one in the back room.")]
    assert antecedent_of("ok do that", before) == "We could use the one in the back room"


def test_consent_reaches_over_a_remark_to_the_proposal() -> None:
    before = [("assistant", "Slate lasts longer. Is it up to Mo?"), ("user", "slate instead of tin, ok?")]
    assert antecedent_of("do it", before) == "slate instead of tin, ok"


@pytest.mark.parametrize(
    ("said", "before"),
    [
        ("the fourth one", [OFFER]),
        ("the second one", [("assistant", "It rains all day.")]),
        ("ok do that", [("tool", "use -f to force")]),
        ("ok do that", []),
    ],
)
def test_nothing_is_made_up(said: str, before: list[tuple[str, str]]) -> None:
    assert antecedent_of(said, before) is None


@pytest.mark.parametrize(
    "said", ["We use Postgres for the ledger.", "the second time it worked", "I came first in the race"]
)
def test_a_sentence_that_says_what_it_means_needs_none(said: str) -> None:
    assert not needs_antecedent(said)
