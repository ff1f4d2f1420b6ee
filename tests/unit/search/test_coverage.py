"""Test how far a search covers a question: covered, thin or not covered, with the missing words."""

import pytest

from almanac.search.coverage import Coverage
from almanac.search.port import Document, Profile
from almanac.search.ranking.coverage import MAX_MISSING, coverage
from almanac.search.ranking.rank import judge, rank_hits
from tests.unit.search.samples import SampleIndex, note, turns

BORING = ["Nice weather today.", "I had lunch.", "The bus was late again.", "Fine, thanks."]


def coverage_of(searching: SampleIndex, question: str, profile: Profile = "talk") -> Coverage:
    asked = searching.parse_question(question, profile)
    frame = searching.frame(question, asked)
    judged = judge(asked, frame, profile, 10)
    return coverage(asked, frame, judged, [one.row for one in rank_hits(asked, frame, judged, profile, limit=10)])


@pytest.mark.parametrize("meaning", [True, False])
@pytest.mark.parametrize("profile", ["talk", "documents", "code"])
def test_what_is_there_is_covered_and_nothing_is_missing(profile: Profile, meaning: bool) -> None:
    documents = [note(f"n{number}", text, profile=profile) for number, text in enumerate([*BORING, "an old kitten"])]
    found = coverage_of(SampleIndex(documents, meaning=meaning), "Who has an old kitten?", profile)
    assert (found.verdict, found.missing) == ("covered", ())
    assert found.nearest > 0.5


@pytest.mark.parametrize("meaning", [True, False])
def test_what_is_not_there_is_not_covered_and_its_words_are_missing(meaning: bool) -> None:
    found = coverage_of(SampleIndex(turns(*BORING), meaning=meaning), "Which submarine did Zoe buy?")
    assert found.verdict == "not_covered"
    assert {"submarine", "zoe", "buy"} >= set(found.missing) >= {"submarine", "zoe"}


def test_another_word_for_the_same_is_not_missing() -> None:
    assert coverage_of(SampleIndex(turns(*BORING, "I bought a car.")), "automobile").missing == ()
    assert coverage_of(SampleIndex(turns(*BORING, "I bought a car."), meaning=False), "automobile").missing == (
        "automobile",
    )


def test_bits_are_judged_by_limits_of_their_own() -> None:
    documents = turns(*BORING, "I bought a red kitten.")
    enriched = SampleIndex(documents, enriched=[each.id for each in documents])
    assert coverage_of(enriched, "red kitten").verdict == "covered"
    assert coverage_of(enriched, "green submarine").verdict == "not_covered"


def test_a_turn_that_is_near_as_a_whole_is_thin_though_its_words_are_others() -> None:
    documents = turns(*BORING, "I bought a red kitten sofa.")
    enriched = SampleIndex(documents, enriched=[each.id for each in documents])
    near = coverage_of(enriched, "sofa kitten boat garden")
    assert (near.verdict, near.nearest < 0.39) == ("thin", True)


def test_some_of_the_words_are_thin() -> None:
    searching = SampleIndex(turns(*BORING, "The kitten slept on the old sofa."), meaning=False)
    found = coverage_of(searching, "old kitten sofa breeder Hamburg")
    assert (found.verdict, found.missing) == ("thin", ("breeder", "hamburg"))


def test_nothing_stored_covers_nothing() -> None:
    found = coverage_of(SampleIndex([]), "Which submarine?")
    assert (found.verdict, found.nearest) == ("not_covered", 0.0)


def test_a_question_without_words_is_not_covered() -> None:
    assert coverage_of(SampleIndex(turns(*BORING), meaning=False), "?!").verdict == "not_covered"


def test_words_are_told_as_they_were_asked_and_frequent_ones_are_not_missing() -> None:
    documents: list[Document] = turns(*[f"The deployment failed again, try {number}" for number in range(40)])
    assert coverage_of(SampleIndex(documents, meaning=False), "deployments in Frankfurts").missing == ("frankfurts",)


def test_an_identifier_is_missing_as_it_is_written() -> None:
    found = coverage_of(SampleIndex(turns(*BORING), meaning=False), "what broke in src/getUserName.py")
    assert found.missing == ("broke", "src/getusername.py")


def test_the_list_of_missing_words_is_bounded() -> None:
    question = " ".join(f"unheard{chr(97 + number)}" for number in range(20))
    assert len(coverage_of(SampleIndex(turns(*BORING)), question).missing) == MAX_MISSING


def test_what_another_person_said_is_told() -> None:
    documents = turns(*(f"Ann: {text}" for text in BORING), "Ben: I bought a submarine in May.")
    found = coverage_of(SampleIndex(documents), "When did Ann buy a submarine?")
    assert (found.said_by, found.not_by) == ("Ben", "Ann")
    right = coverage_of(SampleIndex(documents), "When did Ben buy a submarine?")
    assert (right.said_by, right.not_by) == ("", "")


@pytest.mark.parametrize("question", ["When did Ann and Ben buy a submarine?", "Who bought a submarine?"])
def test_a_question_that_names_two_or_nobody_blames_nobody(question: str) -> None:
    documents = turns("Ann: Nice weather.", "Ben: I bought a submarine in May.")
    assert coverage_of(SampleIndex(documents), question).said_by == ""


def test_roles_are_no_people() -> None:
    documents = turns("user: Nice weather.", "assistant: I bought a submarine in May.")
    assert coverage_of(SampleIndex(documents), "Did the user buy a submarine?").said_by == ""


def test_a_frequent_word_is_not_missing_where_the_first_hits_lack_it() -> None:
    kittens = [note(f"k{number}", f"The kitten sleeps, day {number}") for number in range(6)]
    deployments = [note(f"d{number}", f"The deployment failed, try {number}") for number in range(40)]
    found = coverage_of(SampleIndex([*kittens, *deployments], meaning=False), "kitten deployment", "documents")
    assert found.missing == ()
