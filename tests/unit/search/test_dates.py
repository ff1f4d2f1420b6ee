"""Test dates in questions, and the weight of days."""

from datetime import UTC, datetime

import numpy as np
import pytest

from almanac.search.analysis.dates import NamedDate, dates_in
from almanac.search.ranking.talk import nearness


def at(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on 8 May 2023", NamedDate(2023, 5, 8)),
        ("on May 8th, 2023?", NamedDate(2023, 5, 8)),
        ("since 2023-05-08", NamedDate(2023, 5, 8)),
        ("the 8th of May", NamedDate(None, 5, 8)),
        ("on 8 december", NamedDate(None, 12, 8)),
        ("since dec 8th", NamedDate(None, 12, 8)),
        ("in May of 2023", NamedDate(2023, 5)),
        ("in Sept. 2023", NamedDate(2023, 9)),
        ("back in 2023", NamedDate(2023)),
    ],
)
def test_a_date_is_read_as_it_is_written(text: str, found: NamedDate):
    assert dates_in(text) == (found,)


@pytest.mark.parametrize(
    "text",
    [
        "may I go",
        "march on",
        "version 3 may fail",
        "2 march ahead",
        "the 45th of May",
        "version 2023-45-99x",
        "room 12",
    ],
)
def test_what_is_no_date_is_not_read_as_a_day(text: str):
    assert all(date.day is None for date in dates_in(text))


@pytest.mark.parametrize(
    ("date", "day", "worth"),
    [
        (NamedDate(2023, 5, 8), "2023-05-07T23:00", 1),
        (NamedDate(2023, 5, 8), "2023-05-16", 0.5),
        (NamedDate(2023, 5, 8), "2023-05-17", 0),
        (NamedDate(2023, 5, 8), "2023-05-06", 0),
        (NamedDate(None, 5, 8), "1999-05-08", 1),
        (NamedDate(2023, 5), "2023-05-31T23:59", 1),
        (NamedDate(2023, 5), "2023-06-11", 0.4),
        (NamedDate(2023, 5), "2023-06-12", 0),
        (NamedDate(2023, 12), "2024-01-01", 0.4),
        (NamedDate(2023), "2023-12-31", 1),
        (NamedDate(2023), "2024-01-01", 0),
        (NamedDate(1969, 7, 20), "1969-07-20", 1),
    ],
)
def test_the_nearer_a_day_is_the_more_it_is_worth(date: NamedDate, day: str, worth: float):
    assert nearness([date], np.array([at(day)])) == pytest.approx(worth)


def test_an_instant_that_nobody_knows_is_worth_nothing():
    assert nearness([NamedDate(1970)], np.array([0, 1])).tolist() == [0, 1]


def test_of_several_dates_the_nearest_counts():
    dates = [NamedDate(2022), NamedDate(2023, 5, 1)]
    assert nearness(dates, np.array([at("2023-05-05"), at("2022-01-01")])).tolist() == [0.5, 1]
