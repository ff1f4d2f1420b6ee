"""The order of hits, their similarity, and why they were found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from almanac.search.port import LEGS, Fusion, Profile
from tests.unit.search.samples import SampleIndex, note, turns

WORDS = ["kitten", "opera", "car", "automobile", "sailing", "lunch", "the"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=6)
DOCUMENTS = [
    note("a", "We deploy to production on Fridays.", title="Deploying"),
    note("b", "How to make pancakes: flour, milk, eggs.", title="Recipes"),
    note("c", "The car needs new tyres before winter."),
]


def test_notes_are_found_by_title_by_text_and_by_meaning():
    searching = SampleIndex(DOCUMENTS)

    assert searching.search_ids("deploying", "documents")[0] == "a"
    assert searching.search_ids("flour", "documents")[0] == "b"
    assert searching.search_ids("automobile", "documents")[0] == "c"


@pytest.mark.parametrize("word", ["rm -rf", "C++", "src/main.py", "日本", "v1.2.3", "--force"])
def test_an_identifier_in_a_note_is_found_first(word: str):
    others = [note(f"other{number}", "So it was rm rf C src main v1 force then") for number in range(3)]
    documents = [*others, note("wanted", f"So it was {word} then, and much else was said of other things")]

    assert SampleIndex(documents, enriched=[each.id for each in documents]).search_ids(word, "documents")[0] == "wanted"


def test_a_note_without_a_title_is_not_worth_less_for_it():
    documents = [note("titled", "tyres for winter", title="Something else"), note("plain", "tyres for winter")]

    assert SampleIndex(documents).search_ids("tyres for winter", "documents")[0] == "plain"


@pytest.mark.parametrize(
    ("kinds", "weights"),
    [(("skill", "skill"), (1.5, 0.5)), (("note", "note"), (0.25, 0.5)), (("skill", "note"), (0.25, 0.5))],
)
def test_of_skills_alone_what_the_title_says_counts_more_than_the_text(
    kinds: tuple[str, str], weights: tuple[float, float]
):
    about, says = kinds
    documents = [
        replace(note("about", "Open the file, then do each step.", title="winter tyres for a car"), kind=about),
        replace(note("says", "winter tyres for a car", title="opera lunch kitten"), kind=says),
    ]
    hits = SampleIndex(documents).hits("winter tyres for a car", "documents", explain=True)

    parts = {part.name: part.weight for hit in hits if hit.why is not None for part in hit.why.parts}
    assert (hits[0].id, parts["title whole"], parts["whole"]) == ("about", *weights)


def test_code_is_found_by_the_parts_of_its_names():
    documents = [
        note("get", "return self.users[name]", title="getUserName(name)", profile="code"),
        note("put", "self.store(name)", title="put_file(path)", profile="code"),
    ]

    assert SampleIndex(documents).search_ids("get the name of a user", "code")[0] == "get"
    assert SampleIndex(documents).search_ids("put_file", "code")[0] == "put"


def test_in_code_a_word_that_comes_again_counts_more_than_in_a_document():
    def ratio(profile: Profile) -> float:
        texts = {"once": "retry later or never", "often": "retry retry retry retry"}
        documents = [note(name, text, profile=profile) for name, text in texts.items()]
        hits = {hit.id: hit.score for hit in SampleIndex(documents).hits("retry", profile, legs=["words"])}
        return hits["once"] / hits["often"]

    assert ratio("code") < ratio("documents")


@pytest.mark.parametrize(
    ("enriched", "weights"),
    [
        ([], {"title words": 1, "words": 0.5, "title whole": 0.5, "whole": 0.75, "title pieces": 0.25, "pieces": 0.5}),
        (
            ["get", "put"],
            {"title words": 0.75, "words": 0.5, "title whole": 0.75, "whole": 1, "title pieces": 0.5, "pieces": 0.75},
        ),
    ],
)
def test_code_is_judged_more_by_meaning_once_contexts_are_made(enriched: list[str], weights: dict[str, float]):
    documents = [
        note("get", "return the user of a session", title="user(session)", profile="code"),
        note("put", "automobile lunch", title="kitten(opera)", profile="code"),
    ]
    hits = SampleIndex(documents, enriched=enriched).hits("the user of a session", "code", explain=True)

    assert hits[0].why is not None
    assert {part.name: part.weight for part in hits[0].why.parts} == weights


@pytest.mark.parametrize("profile", ["talk", "documents", "code"])
@given(texts=TEXTS, question=TEXTS)
def test_hits_are_ordered_and_their_similarity_is_a_share(profile: Profile, texts: list[str], question: list[str]):
    documents = (
        turns(*texts) if profile == "talk" else [note(str(n), each, profile=profile) for n, each in enumerate(texts)]
    )
    hits = SampleIndex(documents, enriched=["s0", "0"]).hits(" ".join(question), profile)  # type: ignore[arg-type]

    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.id for hit in hits}) == len(hits)
    assert all(0 <= hit.similarity <= 1 for hit in hits)


@pytest.mark.parametrize("fusion", ["sum", "rrf"])
def test_of_equal_notes_none_is_worth_more_and_the_first_of_the_index_comes_first(fusion: Fusion):
    searching = SampleIndex([note(name, "kitten") for name in ("b", "d", "a", "c")])
    hits = searching.hits("kitten", "documents", fusion=fusion)

    assert len({hit.score for hit in hits}) == 1
    assert [hit.id for hit in hits] == [*searching.frame("kitten", searching.parse_question("kitten", "documents")).ids]


def test_there_are_no_more_hits_than_asked_for():
    assert len(SampleIndex(turns(*["kitten"] * 5)).hits("kitten", limit=2)) == 2


def test_what_has_nothing_to_do_with_the_question_is_not_alike():
    hits = SampleIndex(DOCUMENTS).hits("zebra migration", "documents")
    best = SampleIndex(DOCUMENTS).hits("make pancakes with flour and milk", "documents")[0]

    assert best.similarity > 0.7
    assert all(hit.similarity < 0.4 for hit in hits)


def test_a_similarity_does_not_depend_on_how_hits_are_ordered():
    searching = SampleIndex(turns("a kitten", "an opera", "kitten opera"))
    hits = [
        searching.hits("kitten opera", legs=["words"]),
        searching.hits("kitten opera", legs=["meaning"]),
        searching.hits("kitten opera", fusion="rrf"),
    ]
    similarities = {hit.id: hit.similarity for hit in searching.hits("kitten opera")}

    assert all(similarities[hit.id] == hit.similarity for each in hits for hit in each)


def test_rrf_adds_reciprocal_ranks_of_the_legs():
    hits = SampleIndex(turns("kitten opera", "kitten", session="")).hits("kitten opera", fusion="rrf")

    assert [hit.id for hit in hits] == ["0", "1"]
    assert hits[0].score == pytest.approx(2 / 61)


def test_by_words_alone_nothing_without_a_word_is_found():
    documents = [note("a", "kitten"), note("b", "opera")]

    assert SampleIndex(documents).search_ids("kitten", "documents", legs=["words"]) == ["a"]
    assert set(SampleIndex(documents).search_ids("kitten", "documents", legs=["meaning"])) == {"a", "b"}


def test_by_meaning_alone_nothing_is_found_without_an_embedder():
    assert SampleIndex(DOCUMENTS, meaning=False).search_ids("pancakes", "documents", legs=["meaning"]) == []
    assert SampleIndex(DOCUMENTS, meaning=False).search_ids("pancakes", "documents") == ["b"]


def test_a_hit_says_why_only_when_asked():
    searching = SampleIndex(turns("Ann: a kitten in src/main.py", "Ben: hello"))
    question = "What did Ann say of the kitten in src/main.py?"
    (plain, *_), (told, *_) = searching.hits(question), searching.hits(question, explain=True)

    assert plain.why is None
    assert told.why is not None
    assert sum(part.points for part in told.why.parts) == pytest.approx(told.score, abs=1e-4)
    assert {"words", "pieces", "whole", "speaker", "identifiers"} <= {part.name for part in told.why.parts}
    assert {term.term: term.count for term in told.why.terms}["src/main.py"] == 1
    assert all(part.leg in {*LEGS, None} for part in told.why.parts)
