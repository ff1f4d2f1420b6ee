"""Words in a collection of few documents: how common they are is not known yet."""

import numpy as np
import pytest

from almanac.search.ranking.words import idf


@pytest.mark.parametrize("documents", [1, 3, 20])
def test_a_word_of_one_document_among_few_weighs_nearly_as_much_as_one_that_none_has(documents: int):
    one, none = idf(np.array([1, 0], dtype=np.float32), documents)
    assert 0.7 * none < one < none


def test_among_many_documents_common_words_weigh_less():
    few, many = idf(np.array([5, 400], dtype=np.float32), 500)
    assert many < few / 4
