"""Test numbers in texts, and whether two of them can both be meant."""

import pytest

from almanac.families.knowledge.contradictions.quantities import may_be_equal, quantities_in

SAME = [
    ("180 cm", "1.8 m"),
    ("5 ft 11 in", "180 cm"),
    ("1 h 30 min", "90 minutes"),
    ("1,200", "1200"),
    ("1.2 million people", "1200000 people"),
    ("$5m", "5 million USD"),
    ("about 12 employees", "14 employees"),
    ("over 100 seats", "250 seats"),
    ("10-20 people", "15 people"),
    ("100+ users", "300 users"),
    ("45%", "45 percent"),
    ("2024-03-05", "5 March 2024"),
    ("March 2024", "2024-03-05"),
    ("1984", "12 May 1984"),
    ("03/04/2024", "2024-04-03"),
    ("2024-03-05T10:00Z", "2024-03-05T12:00+02:00"),
    ("10 pm", "22:00"),
    ("v3.11", "3.11.2"),
    ("Python 3.11", "python 3.11.4"),
    ("12", "12 employees"),
    ("16 GB", "16 GiB"),
    ("1.80", "1.8"),
    ("twelve employees", "12 employees"),
    ("6'2\"", "188 cm"),
    ("€1.200,50", "1,200.50 EUR"),
    ("May 5", "1980-05-05"),
]
DIFFERENT = [
    ("12 employees", "15 employees"),
    ("180 cm", "1.9 m"),
    ("45%", "54 percent"),
    ("up to 20 guests", "30 guests"),
    ("less than 5 days", "5 days"),
    ("over 40 %", "40 %"),
    ("about 12 employees", "40 employees"),
    ("2024-03-05", "6 March 2024"),
    ("March 2024", "2024-05-01"),
    ("1984", "12 May 1985"),
    ("5 May", "6 May"),
    ("May 6", "1980-05-05"),
    ("1980-05-05", "5 May 1981"),
    ("twelve", "13 employees"),
    ("2024-03-05T10:00Z", "2024-03-05T10:00+02:00"),
    ("10 pm", "10 am"),
    ("v3.11", "v3.12"),
    ("2.0.1", "2.0.2"),
    ("12", "15 employees"),
    ("-5 °C", "3 °C"),
    ("$5m", "$6m"),
    ("1 city", "2 cities"),
]
UNLIKE = [
    ("12 employees", "3 offices"),
    ("5 USD", "5 EUR"),
    ("Python 3.11", "Node 18"),
    ("12 kg", "12 cm"),
    ("555-1234", "555-1235"),
    ("5 apples and 3 pears", "6 apples"),
    ("180", "180 cm"),
    ("2024-03-05", "12 employees"),
    ("Berlin", "12"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_can_be_meant_at_once_is_the_same_in_either_order(one: str, other: str) -> None:
    assert may_be_equal(quantities_in(one), quantities_in(other)) is True
    assert may_be_equal(quantities_in(other), quantities_in(one)) is True


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_values_of_one_measure_differ(one: str, other: str) -> None:
    assert may_be_equal(quantities_in(one), quantities_in(other)) is False
    assert may_be_equal(quantities_in(other), quantities_in(one)) is False


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_what_measures_different_things_is_not_compared(one: str, other: str) -> None:
    assert may_be_equal(quantities_in(one), quantities_in(other)) is None


def test_numbers_of_versions_are_no_decimals() -> None:
    assert may_be_equal(quantities_in("3.10", versioned=True), quantities_in("3.1", versioned=True)) is False
    assert may_be_equal(quantities_in("3.10"), quantities_in("3.1")) is True


def test_a_long_text_is_no_number() -> None:
    assert quantities_in("12 " + "words and more " * 20) == {}


@pytest.mark.parametrize(
    "text", ["2024-13-45", "31 February 2024", "25:00", "0 pm", "99/99/2024", "1" * 100, "v" + "9" * 90]
)
def test_what_is_no_date_or_time_harms_nothing(text: str) -> None:
    assert quantities_in(text).keys().isdisjoint({"date", "day of year"})
    assert "time of day" not in quantities_in(text)
