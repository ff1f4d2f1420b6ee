"""Test that the stored weights are the fitted ones, and which turns overtake others by them."""

from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from almanac.families.memory.candidates.current_statements import talk_of
from almanac.families.memory.candidates.overtaken import LaterTurns, PairFeatures, rejected_words
from almanac.families.memory.candidates.overtaken_weights import ALWAYS, OF_PAIRS
from almanac.families.memory.core.records import Role, Turn
from tests.cpu_time import measure_cpu_seconds
from tools.sentence_model.fit_overtaken import TurnExample, fit_weights, judge, overtaken_turns, turn_examples
from tools.sentence_model.fit_passages import read_talks, talk_in

IDLE: tuple[tuple[Role, str], ...] = (
    ("user", "hm, rain again"),
    ("assistant", "Until noon."),
    ("user", "the cat sleeps on the keyboard"),
    ("assistant", "A sign."),
)


@cache
def examples() -> Mapping[str, Sequence[TurnExample]]:
    return {name: list(turn_examples(talk)) for name, talk in read_talks().items()}


def later_turns(*lines: tuple[Role, str]) -> tuple[LaterTurns, Sequence[Turn]]:
    """Return the reader of a talk of these lines, one a minute, and its turns."""
    turns = [
        Turn(id=f"t{at}", content=text, role=role, at=at * 60_000, recorded_at=0, actor="a", session="s", position=at)
        for at, (role, text) in enumerate(lines)
    ]
    return LaterTurns(turns, talk_of(turns).statements), turns


def test_the_weights_are_fitted_on_the_talks_with_the_model_of_sentences_of_today() -> None:
    fitted = fit_weights([one for each in examples().values() for one in each])
    assert [ALWAYS, *OF_PAIRS] == pytest.approx(fitted.tolist(), abs=0.05), (
        "run python -m tools.sentence_model.fit_overtaken"
    )


def test_the_talks_name_enough_turns_that_others_overtake() -> None:
    overtaken = [overtaken_turns(talk) for talk in read_talks().values()]
    assert sum(map(bool, overtaken)) >= 25
    assert sum(len(later) for each in overtaken for later in each.values()) >= 150


def test_turns_that_the_weights_never_saw_are_told_from_others() -> None:
    some = {name: each for place, (name, each) in enumerate(examples().items()) if place % 4 == 0}
    judgement = judge(some, fit=True)
    assert judgement.area > 0.8
    assert judgement.loss < 0.25


def test_a_mark_names_one_earlier_turn() -> None:
    talk = talk_in("=== monday\nAnn: rye\nAnn: rye again\n! {again | rye: no} Ann: spelt\n")
    assert talk.sessions[0].turns[2].overtakes == ("again", "rye: no")
    assert talk.sessions[0].turns[2].content == "spelt"
    with pytest.raises(ValueError, match="names 0 turns"):
        overtaken_turns(talk)
    with pytest.raises(ValueError, match="names 2 turns"):
        overtaken_turns(talk_in("=== monday\nAnn: rye\nAnn: rye again\n{rye} Ann: spelt\n"))


def test_what_overtakes_a_replacement_overtakes_what_it_replaced() -> None:
    lines = "=== monday\nAnn: rye\n=== tuesday\n{rye} Ann: spelt\n! {spelt} Ann: oats\n"
    assert overtaken_turns(talk_in(lines)) == {0: {1, 2}, 1: {2}}


def test_the_turn_that_gives_another_value_overtakes_the_first() -> None:
    later, turns = later_turns(
        ("user", "the drills are in the blue cabinet, drawer 3, and we keep them locked"),
        ("assistant", "Drills: blue cabinet, drawer 3."),
        *IDLE * 3,
        ("user", "ok then we keep the drills in drawer 7 of the container, the cabinet leaks"),
        ("assistant", "Moved: the drills are in drawer 7 of the container."),
        *IDLE,
    )
    assert later.overtaking(turns[0], 0.1) in turns[14:16]
    assert later.overtaking(turns[14], 0.1) is None


def test_talk_about_something_else_overtakes_nothing() -> None:
    later, turns = later_turns(
        ("user", "the drills are in the blue cabinet, drawer 3, and we keep them locked"),
        *IDLE * 3,
        ("user", "ok then the party starts at 7, and we order the cake at Lindner's"),
        ("assistant", "Moved to 7, cake from Lindner's."),
    )
    assert later.overtaking(turns[0], 0.1) is None


def test_a_talk_without_later_turns_overtakes_nothing() -> None:
    later, turns = later_turns(("user", "the drills are in the blue cabinet"))
    assert later.share_of(turns[0].content, turns[0].id) == 0.0
    assert later.share_of("the drills", "unknown") == 0.0
    assert LaterTurns([], []).share_of("the drills", "t0") == 0.0


def test_each_feature_has_one_weight() -> None:
    assert len(OF_PAIRS) == len(PairFeatures._fields)


@pytest.mark.parametrize("piece", ["not the ", "1.", "moved it ", "is 1 ", "-.-", "no\n", "a" * 5, "now "])
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    text = (piece * 20_000)[:20_000]
    _, turns = later_turns(("user", text), *IDLE, ("user", f"{text} instead"), ("assistant", text))
    _, seconds = measure_cpu_seconds(lambda: LaterTurns(turns, []).overtaking(turns[0], 0.1))
    assert seconds < 0.15


@pytest.mark.parametrize("text", ["a" * 20_000, "a." * 10_000, "a-" * 10_000])
def test_rejected_words_of_one_endless_word_are_found_in_linear_time(text: str) -> None:
    _, seconds = measure_cpu_seconds(lambda: rejected_words(text))
    assert seconds < 0.5


def test_rejected_words_include_the_word_before_a_rejection() -> None:
    assert {"green", "isar"} <= rejected_words("the green's dead, isar out")
