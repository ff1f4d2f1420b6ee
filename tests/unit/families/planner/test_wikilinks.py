"""Test [[links]] in texts and their targets."""

from almanac.families.planner.core.note_records import Holder, WikiLink
from almanac.families.planner.notes.wikilinks import current_holder, target_now, title_key, titles_in

ID = "note_01m7yzmjf8b9jm71c8ypkv075p"


def titles(body: str) -> list[str]:
    return list(titles_in(body).values())


def test_links_are_titles_in_double_brackets():
    assert titles("See [[Plan]], [[ The  garden ]] and [[plan]].") == ["Plan", "The garden"]


def test_what_a_link_reads_as_is_no_part_of_its_title():
    assert titles("[[C# in depth|the book]]") == ["C# in depth"]


def test_code_holds_no_links():
    body = "`[[ -f a ]]` and\n```sh\nif [[ -d b ]]; then\n```\n[[Real]]\n~~~\n[[ c ]]\n~~~\n``[[ d ]] ` ``"

    assert titles(body) == ["Real"]


def test_brackets_that_are_no_link_are_left_alone():
    assert titles("[[]] [[ ]] [[a\nb]] [[a[b]] a[0][[1]]x [" + "[[" + "x" * 201 + "]]") == ["1"]


def test_titles_are_one_whatever_their_case_and_spaces():
    assert title_key("The  Garden") == title_key("the garden")
    assert title_key("Straße") == title_key("STRASSE")
    assert title_key("a b") != title_key("ab")


def test_an_id_is_its_own_key():
    assert titles_in(f"[[{ID}]]") == {ID: ID}


def test_a_link_stays_with_the_note_that_had_the_title():
    link = WikiLink("Plan", "k", target="one", after=2)

    assert target_now(link, [Holder(1, "zero"), Holder(2, "one", former=True)]) == "one"


def test_a_link_whose_note_is_gone_leads_to_the_one_that_has_the_title_now():
    link = WikiLink("Plan", "k", target="gone", after=1)

    assert target_now(link, [Holder(2, "two", former=True), Holder(3, "three"), Holder(4, "four")]) == "three"
    assert target_now(link, [Holder(2, "two", former=True)]) is None


def test_a_link_that_led_nowhere_leads_to_the_first_note_that_takes_the_title_after():
    link = WikiLink("Plan", "k", after=2)

    assert target_now(link, []) is None
    assert target_now(link, [Holder(1, "before", former=True)]) is None
    assert target_now(link, [Holder(4, "later"), Holder(3, "first", former=True)]) == "first"


def test_of_several_notes_the_one_that_has_had_the_title_longest_is_meant():
    assert current_holder([Holder(5, "b"), Holder(3, "a"), Holder(1, "c", former=True)]) == "a"
