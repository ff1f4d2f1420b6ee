"""How near a row comes to a question whose pieces say nothing."""

import numpy as np

from almanac.search.analysis.parsed_question import ParsedQuestion, QuestionPieces
from almanac.search.fields import field_of
from almanac.search.port import FieldEntry, Question
from almanac.search.ranking.evidence import by_pieces, by_words


def near(factor: float) -> float:
    """Judge a row that has the only word of the question, but none of whose pieces is near."""
    question = Question(terms=("c++",))
    pieces = QuestionPieces(
        texts=["c"],
        vectors=np.ones((1, 2), dtype=np.float32),
        terms=np.zeros(1, dtype=np.intp),
        factors=np.array([factor], dtype=np.float32),
    )
    field = field_of([FieldEntry(terms={"c++": 1}, length=1, pieces=b"\x01\x00", kept=1)], [None], question)
    one = np.ones(1, dtype=np.float32)
    words = by_words(np.ones((1, 1), dtype=np.float32), one, one)
    far = np.zeros(1, dtype=np.float32)
    asked = ParsedQuestion(profile="talk", question=question, pieces=pieces)
    return float(by_pieces(asked, field, np.zeros(1, dtype=np.intp), (far, far), words).near[0])


def test_a_question_of_signs_and_lone_letters_is_near_by_its_words():
    assert near(factor=0.1) == 1


def test_a_question_of_words_is_near_by_its_pieces():
    assert near(factor=1.0) == 0
