"""How much a memory matters as time goes by."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.memory.core.records import MemoryKind
from almanac.families.memory.memories.salience import after_use, last_day_ends, salience_at
from almanac.kernel.instants import milliseconds
from tests.unit.families.memory.remembered import memory

DAY = 86_400_000
NOW = milliseconds(datetime(2026, 2, 18, 14, 30, tzinfo=UTC))
"""A Wednesday."""


def at(text: str) -> int:
    return milliseconds(datetime.fromisoformat(text).replace(tzinfo=UTC))


def test_it_is_halved_every_thirty_days():
    one = memory(salience=0.8, used_at=NOW)

    assert [salience_at(one, NOW + days * DAY) for days in (0, 15, 30, 60, 120)] == [0.8, 0.566, 0.4, 0.2, 0.05]


def test_a_clock_that_was_set_back_raises_nothing():
    assert salience_at(memory(salience=0.5, used_at=NOW), NOW - 90 * DAY) == 0.5


def test_what_is_pinned_never_fades():
    assert salience_at(memory(kind="pinned", salience=0.1, used_at=0), NOW) == 1.0


def test_each_use_adds_less_than_the_one_before_and_never_reaches_beyond_one():
    one, gained, last = memory(salience=0.2, used_at=NOW), list[float](), 0.2
    for _ in range(50):
        after = after_use(one, NOW)
        gained.append(after.salience - last)
        last = after.salience
        one = memory(salience=last, used_at=NOW)

    assert gained == sorted(gained, reverse=True)
    assert gained[0] == pytest.approx(0.2)
    assert 0.99 < last <= 1.0


def test_a_use_counts_from_what_was_left():
    after = after_use(memory(salience=0.8, used_at=NOW), NOW + 30 * DAY)

    assert (after.salience, after.used_at) == (pytest.approx(0.4 + 0.6 / 4), NOW + 30 * DAY)


def test_a_use_that_is_told_of_late_takes_no_time_back():
    assert after_use(memory(salience=0.5, used_at=NOW), NOW - DAY).used_at == NOW


@pytest.mark.parametrize(
    ("content", "metadata", "ends"),
    [
        ("The contract ends on 2026-09-30.", {}, "2026-10-01T12:00"),
        ("Move out by May 8th", {}, "2026-05-09T12:00"),
        ("Her birthday is on January 5", {}, "2027-01-06T12:00"),
        ("Leap day party on February 29", {}, "2028-03-01T12:00"),
        ("From 2026-03-01 to 2026-04-01", {}, "2026-04-02T12:00"),
        ("Launch", {"deadline": "2026-06-01T10:00:00Z"}, "2026-06-02T12:00"),
        ("Launch", {"plan": {"due": "2026-06-01"}}, "2026-06-02T12:00"),
        ("Launch", {"plan": {"due_at": at("2026-06-01T10:00")}}, "2026-06-01T10:00"),
        ("We were founded on 1999-01-01", {}, "1999-01-02T12:00"),
    ],
)
def test_the_last_day_that_is_named_is_over_when_it_is_over_everywhere(content: str, metadata: Any, ends: str):
    assert last_day_ends(memory(content, at=NOW, metadata=metadata)) == at(ends)


@pytest.mark.parametrize(
    ("content", "metadata"),
    [
        ("In 2027 all will be better", {}),
        ("Some time in May 2027", {}),
        ("2026-02-30 and 2026-13-01 are no days", {}),
        ("Room 2026-1, ticket 1-2-3", {}),
        ("Launch", {"due_at": True, "x_at": -5, "z_at": 1e300, "count": at("2026-06-01")}),
        ("", {}),
    ],
)
def test_what_names_no_day_has_none(content: str, metadata: Any):
    assert last_day_ends(memory(content, at=NOW, metadata=metadata)) is None


@pytest.mark.parametrize("kind", ["semantic", "consolidated", "reflection"])
def test_a_deadline_to_come_keeps_it_whole_and_it_fades_from_then_on(kind: MemoryKind):
    one = memory("The contract ends on 2026-09-30.", kind=kind, at=NOW, used_at=NOW, salience=0.3)
    over = at("2026-10-01T12:00")

    assert [salience_at(one, when) for when in (NOW, over - 1, over, over + 30 * DAY)] == [1.0, 1.0, 1.0, 0.5]


def test_a_day_that_was_over_when_it_was_last_used_changes_nothing():
    one = memory("Founded on 1999-01-01", at=NOW, used_at=NOW, salience=0.6)

    assert salience_at(one, NOW + 30 * DAY) == 0.3


@given(
    content=st.text(max_size=200) | st.from_regex(r"\d{1,4}-\d{1,2}-\d{1,2}T?\d{0,2}", fullmatch=True),
    metadata=st.dictionaries(st.text(max_size=8) | st.just("due_at"), st.integers() | st.floats() | st.text()),
    salience=st.floats(min_value=0, max_value=1),
    passed=st.integers(min_value=0, max_value=10**13),
)
def test_whatever_it_says_it_stays_between_nothing_and_one(content: str, metadata: Any, salience: float, passed: int):
    one = memory(content, metadata=metadata, salience=salience, at=NOW, used_at=NOW)

    assert 0 <= salience_at(one, NOW + passed) <= 1
    assert salience_at(one, NOW + passed) <= after_use(one, NOW + passed).salience + 0.001
