"""How turns of talk are found."""

import pytest

from almanac.search.ranking.explanation import WhyPart
from almanac.search.ranking.rank import RankedHit
from tests.unit.search.samples import SampleIndex, rank_frame, turns

BORING = ["Nice weather today.", "I had lunch.", "The bus was late again.", "Fine, thanks."]


def parts_of(hit: RankedHit) -> list[WhyPart]:
    return hit.why.parts if hit.why else []


def test_a_turn_is_found_by_its_words():
    found = SampleIndex(turns(*BORING, "We adopted a kitten.")).search_ids("Who adopted a kitten?")

    assert found[0] == "s4"


def test_a_turn_is_found_by_a_word_of_the_same_meaning():
    assert SampleIndex(turns(*BORING, "I bought a car.")).search_ids("automobile")[0] == "s4"
    assert SampleIndex(turns(*BORING, "I bought a car.")).search_ids("automobile", legs=["words"]) == []


def test_a_turn_is_found_by_what_stands_beside_it():
    documents = turns("Did you see the opera in Vienna?", "Yes, it was lovely.", *BORING) + turns(*BORING, session="t")

    assert set(SampleIndex(documents, meaning=False).search_ids("opera in Vienna")[:2]) == {"s0", "s1"}


def test_neighbours_of_another_session_do_not_help():
    documents = turns("The opera in Vienna", session="a") + turns("Yes, it was lovely.", session="b")

    assert SampleIndex(documents, meaning=False).search_ids("opera in Vienna") == ["a0"]


def test_neighbours_across_a_gap_help_less():
    near, far = (
        {hit.id: hit.score for hit in SampleIndex(documents, meaning=False).hits("opera")}
        for documents in (
            [*turns("opera", "yes"), *turns("other")[:0]],
            [turns("opera")[0], turns("x", "y", "z", "u", "v", "yes")[5]],
        )
    )
    assert near["s1"] > far["s5"] > 0


def test_a_long_reply_does_not_win_by_its_length():
    reply = " ".join(["The ocean is wide and there are many ships on it in spring."] * 30) + " kitten"
    documents = turns("I saw a kitten", reply, *BORING)

    assert SampleIndex(documents).search_ids("kitten")[0] == "s0"


def test_who_is_named_comes_first_when_only_one_is():
    documents = turns("Ann: I like sailing", "Ben: I like sailing")

    assert SampleIndex(documents).search_ids("Does Ben like sailing?")[0] == "s1"
    assert SampleIndex(documents).search_ids("Does Ann like sailing?")[0] == "s0"


def test_roles_are_no_speakers():
    documents = turns("I like sailing?", "I like sailing", role="user")
    parts = {part.name for hit in SampleIndex(documents).hits("user sailing", explain=True) for part in parts_of(hit)}

    assert parts.isdisjoint({"speaker", "asks", "answers"})


def test_an_answer_comes_before_its_question():
    documents = turns("Ann: Which pasta do you like?", "Ben: I like pasta with pesto", "Ben: fine")

    assert SampleIndex(documents).search_ids("Which pasta is liked?")[0] == "s1"


@pytest.mark.parametrize(("question", "first"), [("party on 8 May 2023", "b0"), ("party on 9 July 2023", "a0")])
def test_a_named_day_decides_between_equals(question: str, first: str):
    documents = turns("the party was great", session="a", at=1_688_900_000_000)
    documents += turns("the party was great", session="b", at=1_683_554_160_000)

    assert SampleIndex(documents).search_ids(question)[0] == first


@pytest.mark.parametrize("word", ["rm -rf", "C++", "src/main.py", "🎉", "foo_bar", "日本", "v1.2.3", "--force", "&&"])
def test_an_identifier_is_found_first(word: str):
    documents = turns(*BORING, f"So it was {word} then", "So it was rm C src main foo bar v1 force then")

    assert SampleIndex(documents).search_ids(word)[0] == "s4"


def test_scores_stay_comparable_while_contexts_are_still_being_made():
    documents = turns(*BORING, "We adopted a kitten.", *BORING, "The kitten sleeps.", session="s")
    question = "Who adopted a kitten?"

    for enriched in (["s4"], ["s9"], ["s0", "s9"], [each.id for each in documents]):
        assert SampleIndex(documents, enriched=enriched).search_ids(question)[0] == "s4"


def test_what_was_written_before_an_embedder_was_there_is_found_by_words():
    documents = turns(*BORING, "We adopted a kitten.", *BORING, "The kitten sleeps.")

    assert SampleIndex(documents, plain=["s4"]).search_ids("Who adopted a kitten?")[0] == "s4"
    assert SampleIndex(documents, meaning=False).search_ids("Who adopted a kitten?")[0] == "s4"


def test_an_empty_frame_has_no_hits():
    searching = SampleIndex([])
    asked = searching.parse_question("kitten")

    assert rank_frame(asked, searching.frame("kitten", asked), "talk", limit=10) == []


def test_a_question_without_terms_is_answered_by_meaning_alone():
    assert SampleIndex(turns("hello", "you")).search_ids("the") != []
    assert SampleIndex(turns("hello", "you"), meaning=False).search_ids("the") == []
