"""Test that the stored weights are the fitted ones, and that they suit a talk on which they were not fitted."""

import pytest

from almanac.families.memory.sessions import passage_weights
from tools.sentence_model.fit_passages import count_chosen, examples_of, fit_tables, read_talks


def test_the_weights_are_fitted_on_the_talks_with_the_model_of_sentences_of_today() -> None:
    tables = fit_tables([one for talk in read_talks().values() for one in examples_of(talk)])
    for name, table in tables.items():
        stored: dict[str, float] = getattr(passage_weights, name)
        assert stored == pytest.approx(table, abs=0.02), "run python -m tools.sentence_model.fit_passages"


@pytest.mark.parametrize("name", ["museum", "practice", "lab"])
def test_most_of_what_a_talk_tells_matters_there_though_the_weights_never_saw_it(name: str) -> None:
    tables = fit_tables([one for talk in read_talks([name]).values() for one in examples_of(talk)])
    told, right, matter = count_chosen(read_talks()[name], tables)
    assert right >= 0.7 * told
    assert right >= 0.7 * matter
