"""Yes and no of the same thing, in the many ways in which predicates and objects say so."""

import pytest

from almanac.families.knowledge.contradictions.statements import opposite_values, plain_of, statement_of

Said = tuple[str, str]

OPPOSED: list[tuple[Said, Said]] = [
    (("works_at", "Acme"), ("does_not_work_at", "Acme")),
    (("works_at", "Acme"), ("not_works_at", "ACME")),
    (("works_at", "Acme"), ("no_longer_works_at", "Acme")),
    (("works at", "Acme"), ("doesn't work at", "Acme")),
    (("uses", "Redis"), ("does_not_use", "Redis")),
    (("is", "red"), ("is", "not red")),
    (("is", "red"), ("is_not", "red")),
    (("isActive", "true"), ("is_not_active", "yes")),
    (("is_active", "true"), ("active", "false")),
    (("likes", "tea"), ("dislikes", "tea")),
    (("loves", "tea"), ("hates", "the tea")),
    (("can_fly", "gliders"), ("cannot_fly", "gliders")),
    (("attended", "the fair"), ("did_not_attend", "the fair")),
    (("accepted", "the offer"), ("rejected", "the offer")),
    (("has", "a dog"), ("lacks", "a dog")),
    (("has", "children"), ("has", "no children")),
    (("is_older_than", "Bob"), ("is_younger_than", "Bob")),
    (("parent_of", "Bob"), ("child_of", "Bob")),
    (("is_member_of", "the Guild"), ("is_no_longer_a_member_of", "Guild")),
    (("is_allowed", "smoking"), ("is_forbidden", "smoking")),
    (("studied", "law"), ("did_not_study", "law")),
]
NOT_OPPOSED: list[tuple[Said, Said]] = [
    (("works_at", "Acme"), ("does_not_work_at", "Globex")),
    (("phone", "123"), ("phone_no", "123")),
    (("no_of_staff", "5"), ("of_staff", "5")),
    (("listens_to", "Doubt"), ("listens_to", "No Doubt")),
    (("address", "10 Downing Street"), ("address", "No 10 Downing Street")),
    (("was_employed_at", "Acme"), ("is_not_employed_at", "Acme")),
    (("had", "a car"), ("does_not_have", "a car")),
    (("is_not", "red"), ("is", "not red")),
    (("sells", "dairy"), ("sells", "non-dairy")),
    (("does_not_dislike", "tea"), ("likes", "tea")),
    (("is_active", "false"), ("is_not_active", "true")),
    (("likes", "tea"), ("likes", "unsweetened tea")),
    (("likes", "only tea"), ("likes", "not only tea")),
    (("believes", "pain no gain"), ("believes", "no pain no gain")),
    (("likes", "Notting Hill"), ("likes", "ting Hill")),
]


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_yes_and_no_of_the_same_meet(one: Said, other: Said) -> None:
    a, b = statement_of(*one), statement_of(*other)
    assert a.about == b.about
    assert a.says != b.says


@pytest.mark.parametrize(("one", "other"), NOT_OPPOSED)
def test_what_only_looks_like_a_no_does_not(one: Said, other: Said) -> None:
    a, b = statement_of(*one), statement_of(*other)
    assert a.about != b.about or a.says == b.says


@pytest.mark.parametrize(
    ("one", "other"),
    [("open", "Closed"), ("the smoker", "non-smoker"), ("married", "unmarried"), ("yes", "false"), ("On", "off.")],
)
def test_opposite_values_are_known_in_either_order(one: str, other: str) -> None:
    assert opposite_values(one, other)
    assert opposite_values(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("open", "shiny"), ("ion", "union"), ("yes", "true"), ("open", "open source")]
)
def test_other_values_are_no_opposites(one: str, other: str) -> None:
    assert not opposite_values(one, other)


def test_signs_that_make_another_name_are_kept() -> None:
    assert len({plain_of(name) for name in ("C", "C++", "C#")}) == 3
    assert plain_of("The Café.") == plain_of("cafe")
