"""How alike texts are."""

import pytest

from almanac.families.memory.core.likeness import alike, shingles_of
from almanac.families.memory.memories.near_duplicates import NEARLY_SAME
from tests.cpu_time import takes_under


def likeness(one: str, other: str) -> float:
    return alike(shingles_of(one), shingles_of(other))


def test_a_text_is_wholly_like_itself_whatever_its_case_accents_and_punctuation() -> None:
    assert likeness("Deploys happen on Tuesdays.", "  deploys happen, on TUESDAYS") == 1
    assert likeness("Café crème à Zürich", "cafe creme a zurich") == 1


def test_texts_without_a_word_in_common_are_not_alike() -> None:
    assert likeness("Deploys happen on Tuesdays", "Ann prefers tabs") == 0
    assert likeness("", "") == 0
    assert likeness("?!", "Ann prefers tabs") == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The staging database is rebuilt every night at two from the last backup of production",
            "The staging database is rebuilt every night at three from the last backup of production",
        ),
        (
            "We use pnpm in this repository and never npm since the lock files differ.",
            "We use pnpm in this repository, and never npm, since the lock files differ. Ask Ann.",
        ),
        ("部署在每个星期二上午十点进行请提前通知大家", "部署在每个星期二上午十点进行请提前通知大家啊"),
    ],
)
def test_texts_that_differ_in_a_word_of_many_are_nearly_the_same(one: str, other: str) -> None:
    assert likeness(one, other) >= NEARLY_SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploys happen on Tuesdays", "Deploys happen on Thursdays"),
        ("Ann prefers tabs", "Bob prefers tabs"),
        ("Deploys happen on Tuesdays", "Deploys happen on Tuesdays " + "and much else was said of other things " * 3),
        ("東京で会議", "大阪で会議"),
    ],
)
def test_texts_that_say_something_else_are_not(one: str, other: str) -> None:
    assert likeness(one, other) < NEARLY_SAME
    assert likeness(one, other) == likeness(other, one)


def test_the_largest_text_takes_no_longer_than_a_moment() -> None:
    assert takes_under(1, lambda: likeness("é" * 65_536, "a b " * 16_384))
