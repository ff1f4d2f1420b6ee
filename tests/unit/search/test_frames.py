"""Test frames of stored rows, joined with rows that an index lacks."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from almanac.search.analysis.derivation import Deriver
from almanac.search.fields import statistics_of
from almanac.search.frame import Frame
from almanac.search.frames import Row, frame_of, with_fresh
from almanac.search.port import Document, Entry, Filters, Question
from tests.doubles.embedders import WordEmbedder
from tests.unit.search.samples import note, rank_frame, turns

QUESTION = Question(terms=("kitten", "opera"))
TEXTS = st.lists(st.sampled_from(["kitten", "opera kitten", "lunch", "opera opera", ""]), min_size=1, max_size=6)


def entries(documents: Sequence[Document]) -> list[Entry]:
    return [Deriver(None).entry(each) for each in documents]


def make_frame(of: Sequence[Entry], question: Question = QUESTION) -> Frame:
    return frame_of(
        [Row(each) for each in of],
        question,
        found={each.id for each in of},
        documents=len(of),
        title_statistics=statistics_of([each.title for each in of], question),
        text_statistics=statistics_of([each.text for each in of], question),
    )


def test_rows_stand_by_session_and_position():
    frame = make_frame(
        entries([*turns("b", "c", session="t"), note("n", "x"), note("m", "y"), *turns("a", session="s")])[::-1]
    )

    assert frame.ids == ["m", "n", "s0", "t0", "t1"]
    assert [frame.sessions[number] for number in frame.session] == ["", "", "s", "t", "t"]
    assert len(set(frame.session.tolist())) == 4


def test_a_frame_counts_the_terms_of_the_question():
    frame = make_frame(entries(turns("kitten kitten", "opera", "lunch")))

    assert frame.text.tf.tolist() == [[2, 0], [0, 1], [0, 0]]
    assert frame.text_statistics.frequencies.tolist() == [1, 1]
    assert np.isnan(frame.text.similarity).all()


def test_similarity_is_the_cosine_of_stored_vectors():
    static = WordEmbedder(["kitten opera"])
    vector = static.vector(static.pieces("kitten"))
    question = Question(terms=("kitten",), vector=vector)
    frame = make_frame([Deriver(static).entry(each) for each in turns("kitten", "opera", "")], question)

    assert abs(frame.text.similarity[0] - 1) < 0.01
    assert frame.text.similarity[1] < 0.9
    assert np.isnan(frame.text.similarity[2])


@given(texts=TEXTS, cut=st.integers(0, 6), changed=st.booleans())
def test_index_and_fresh_together_are_as_if_all_were_indexed(texts: list[str], cut: int, changed: bool):
    documents = entries(turns(*texts))
    older = [replace(each, version=0, text=entries(turns("opera"))[0].text) for each in documents[cut : cut + 1]]
    indexed = [*documents[:cut], *(older if changed else [])]

    joined = with_fresh(make_frame(indexed), documents[cut:], (), QUESTION, Filters())
    whole = make_frame(documents)

    assert (joined.ids, joined.versions, joined.documents) == (whole.ids, whole.versions, whole.documents)
    assert joined.session.tolist() == whole.session.tolist()
    assert joined.candidates.all()
    assert (joined.text.tf == whole.text.tf).all()
    assert (joined.text_statistics.frequencies == whole.text_statistics.frequencies).all()


def test_a_fresh_version_wins_over_an_older_one_and_loses_to_a_newer():
    (old,) = entries([note("n", "opera")])
    new = replace(entries([note("n", "kitten")])[0], version=2)

    assert with_fresh(make_frame([old]), [new], (), QUESTION, Filters()).text.tf.tolist() == [[1, 0]]
    assert with_fresh(make_frame([new]), [old], (), QUESTION, Filters()).text.tf.tolist() == [[1, 0]]


def test_what_is_gone_is_left_out_and_no_longer_counted():
    indexed = entries([note("a", "kitten"), note("b", "kitten")])
    frame = with_fresh(make_frame(indexed), [], ["a"], QUESTION, Filters())

    assert frame.ids == ["b"]
    assert (frame.documents, frame.text_statistics.frequencies.tolist()) == (1, [1, 0])


def test_fresh_documents_that_do_not_pass_are_neighbours():
    first, second = entries(turns("opera", "yes"))
    frame = with_fresh(make_frame([first]), [replace(second, kind="other")], (), QUESTION, Filters(kinds=("turn",)))

    assert frame.ids == ["s0", "s1"]
    assert frame.candidates.tolist() == [True, False]


def test_a_fresh_turn_is_ranked_as_an_indexed_one():
    documents = entries(turns("lunch", "kitten opera", "bus", "kitten"))
    asked = Deriver(None).parse_question("kitten opera", "talk")
    joined = with_fresh(make_frame(documents[:2], asked.question), documents[2:], (), asked.question, Filters())

    hits = rank_frame(asked, joined, "talk", limit=3)
    wanted = rank_frame(asked, make_frame(documents, asked.question), "talk", limit=3)

    assert [hit.id for hit in hits] == [hit.id for hit in wanted]
