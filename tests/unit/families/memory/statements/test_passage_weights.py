"""Test that the stored weights are the fitted ones, and that they suit talks on which they were not fitted."""

import pytest

from almanac.families.memory.statements import passage_weights
from tools.sentence_model.fit_passages import count_chosen, examples_of, fit_tables, read_talks, talk_in

HELD_OUT = ("museum", "practice", "lab", "dance", "firmware")


@pytest.fixture(scope="module")
def fitted_on_others() -> dict[str, dict[str, float]]:
    return fit_tables([one for talk in read_talks(HELD_OUT).values() for one in examples_of(talk)])


def test_the_weights_are_fitted_on_the_talks_with_the_model_of_sentences_of_today() -> None:
    tables = fit_tables([one for talk in read_talks().values() for one in examples_of(talk)])
    for name, table in tables.items():
        stored: dict[str, float] = getattr(passage_weights, name)
        assert stored == pytest.approx(table, abs=0.02), "run python -m tools.sentence_model.fit_passages"


@pytest.mark.parametrize("name", HELD_OUT)
def test_a_summary_of_a_talk_that_the_weights_never_saw_tells_what_matters(
    name: str, fitted_on_others: dict[str, dict[str, float]]
) -> None:
    chosen, right, matter = count_chosen(read_talks()[name], fitted_on_others)
    assert 2 * right >= 0.7 * (chosen + matter)


def test_a_talk_is_read_from_its_lines() -> None:
    talk = talk_in(
        "# a bakery\nstrings: rye | oven 2\n=== monday\nmust: rye\n!d Ann: rye then: a kilo\nassistant/codex: Noted.\n"
        "assistant: Two lines\\nhere.\n! tool: ok: 3\n"
    )
    (session,) = talk.sessions
    assert talk.strings == ("rye", "oven 2")
    assert session.must == ("rye",)
    assert [(one.role, one.speaker, one.content, one.matters) for one in session.turns] == [
        ("user", "Ann", "rye then: a kilo", True),
        ("assistant", "codex", "Noted.", False),
        ("assistant", None, "Two lines\nhere.", False),
        ("tool", None, "ok: 3", True),
    ]
    with pytest.raises(ValueError, match="not a turn"):
        talk_in("=== monday\nno turn here")
