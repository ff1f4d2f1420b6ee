"""Tokens shared between sections and rows."""

import random

import pytest
from msgspec import Struct

from almanac.families.memory.snapshot.budget import (
    Candidate,
    Section,
    divide_tokens,
    fill_section,
    fill_sections,
    fit_to_budget,
    level,
    row_tokens,
)


class Row(Struct, omit_defaults=True):
    text: str
    cut: bool = False


def candidate(text: str) -> Candidate:
    return Candidate(text, Row)


@pytest.mark.parametrize(
    ("wanted", "weights", "given"),
    [
        pytest.param([10, 500, 0], [1, 1, 1], [10, 90, 0], id="who wants little leaves the rest to the others"),
        pytest.param([500, 500], [3, 1], [75, 25], id="where all want more the weights decide"),
        pytest.param([20, 30, 50], [1, 8, 1], [20, 30, 50], id="nobody is cut while there is room"),
    ],
)
def test_a_hundred_tokens_are_shared(wanted: list[int], weights: list[float], given: list[int]) -> None:
    assert divide_tokens(100, wanted, weights) == given


@pytest.mark.parametrize("seed", range(30))
def test_shares_never_come_to_more_than_there_is(seed: int) -> None:
    chance = random.Random(seed)
    wanted = [chance.choice([0, chance.randrange(50), chance.randrange(5000)]) for _ in range(5)]
    total = chance.randrange(3000)
    given = divide_tokens(total, wanted, [0.36, 0.15, 0.15, 0.09, 0.25])
    assert sum(given) <= total
    assert all(0 <= got <= want for got, want in zip(given, wanted, strict=True))
    assert sum(given) >= min(total, sum(wanted)) - len(wanted)


def test_the_level_gives_all_to_those_below_it() -> None:
    assert level(100, [10, 10, 500, 500], 5) == 40
    assert level(1000, [10, 20], 5) == 1000
    assert level(100, [500] * 50, 30) == 30


def test_rows_that_fit_are_whole() -> None:
    made = fill_section([candidate("one"), candidate("two")], 500, 50)
    assert made.rows == (Row("one"), Row("two"))
    assert made.left_out == 0
    assert made.tokens == sum(map(row_tokens, made.rows))


def test_a_long_row_is_cut_and_says_so() -> None:
    made = fill_section([candidate("many words " * 500)], 100, 50)
    (row,) = made.rows
    assert row.cut
    assert 0 < len(row.text) < 5500
    assert made.tokens <= 100


def test_notes_that_come_with_a_text_take_room_from_it() -> None:
    class NotedRow(Row, omit_defaults=True):
        notes: tuple[str, ...] = ()

    def row(text: str, cut: bool) -> NotedRow:
        return NotedRow(text, cut, ("content: found an order to the reader of it",) * 3 if text else ())

    made = fill_section([Candidate("many words " * 500, row)], 120, 50)
    assert len(made.rows) == 1
    assert made.tokens <= 120


def test_one_long_row_does_not_displace_the_short_ones_after_it() -> None:
    made = fill_section([candidate("many words " * 500), candidate("short"), candidate("brief")], 300, 60)
    assert [row.cut for row in made.rows] == [True, False, False]


def test_the_first_ones_come_first_and_the_others_are_counted() -> None:
    made = fill_section([candidate(f"{number} " + "word " * 200) for number in range(50)], 300, 60)
    assert [row.text.split()[0] for row in made.rows] == [str(number) for number in range(len(made.rows))]
    assert len(made.rows) + made.left_out == 50
    assert made.tokens <= 300


def test_a_row_of_few_tokens_for_its_length_is_whole() -> None:
    (row,) = fill_section([candidate("-" * 1500 + " ")], 200, 50).rows
    assert row == Row("-" * 1500 + " ")


def test_without_room_there_are_no_rows() -> None:
    assert fill_section([candidate("some words")], 3, 50).rows == ()
    assert fill_section([], 100, 50).left_out == 0


def test_what_has_no_room_is_tried_again_in_what_others_leave_without_being_made_anew() -> None:
    made: list[tuple[str, bool]] = []

    def row(text: str, cut: bool) -> Row:
        made.append((text, cut))
        return Row(text, cut)

    long = "Sessions lapse after an hour of silence. " * 3
    sections = {"first": Section(0.2, 30), "second": Section(0.8, 30)}
    candidates = {"first": [Candidate(long, row), Candidate(long.upper(), row)], "second": [candidate("short")]}
    filled_ones = fill_sections(sections, candidates, 150)

    assert [len(one.rows) for one in filled_ones.values()] == [2, 1]
    assert sum(one.tokens for one in filled_ones.values()) <= 150
    assert len(made) == len(set(made))


def test_the_tokens_of_a_section_are_those_of_its_rows() -> None:
    texts = ["Sessions lapse after an hour. " * count for count in range(1, 9)]
    made = fill_sections({"all": Section(1, 20)}, {"all": [candidate(text) for text in texts]}, 200)["all"]
    assert made.tokens == sum(map(row_tokens, made.rows)) <= 200
    assert len(made.rows) + made.left_out == 8


class Grouped(Struct):
    rows: tuple[int, ...]


@pytest.mark.parametrize("seed", range(10))
def test_an_answer_whose_rows_share_a_frame_still_uses_nearly_all_of_its_tokens(seed: int) -> None:
    chance = random.Random(seed)
    frame, budget = Grouped(()), chance.randrange(2000, 8000)
    costs = [chance.randrange(20, 60) for _ in range(500)]
    of_frame = row_tokens(frame) - 1

    def make(tokens: int) -> tuple[Grouped, int]:
        """Take rows that count with a frame of 4 each, although they share it."""
        rows, left = list[int](), tokens
        for cost in costs:
            if cost + 4 > left:
                break
            rows.append(cost)
            left -= cost + 4
        return Grouped(tuple(rows)), of_frame + sum(rows)

    made = fit_to_budget(budget, frame, make)

    assert made is not None
    assert 0.94 * budget <= of_frame + sum(made.rows) <= budget
