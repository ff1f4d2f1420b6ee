"""Days that questions name relative to today."""

from dataclasses import replace

import pytest

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.times import instant_of
from almanac.families.memory.search.relative_days import Edge, relative_days_in
from almanac.search.analysis.dates import NamedDate
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import MemoryBuilder


@pytest.fixture
def project(app: ProjectApp) -> MemoryProject:
    """Return a project on Wednesday, February 18, 2026, 09:30 in New York."""
    return MemoryBuilder(app).project


def relative_days(project: MemoryProject, question: str) -> tuple[NamedDate, ...]:
    def read(words: str, edge: Edge) -> int:
        return instant_of(project, words, "query", ends=edge == "end")

    return relative_days_in(question, read)


def days(*numbers: int) -> tuple[NamedDate, ...]:
    return tuple(NamedDate(2026, 2, number) for number in numbers)


@pytest.mark.parametrize(
    ("question", "dates"),
    [
        ("what did we decide yesterday?", days(17, 18)),
        ("what was it Yesterday, really yesterday", days(17, 18)),
        ("what happened last month", (NamedDate(2026, 1),)),
        ("what was planned last year", (NamedDate(2025),)),
        ("who is on call today", ()),
        ("what is a yesterdayish thing", ()),
        ("what did we decide", ()),
    ],
)
def test_words_for_days_months_and_years_are_read(
    project: MemoryProject, question: str, dates: tuple[NamedDate, ...]
) -> None:
    assert relative_days(project, question) == dates


def test_a_week_is_all_of_its_days(project: MemoryProject) -> None:
    found = relative_days(project, "the outage of last week")
    assert {day.day for day in found} >= {9, 10, 11, 12, 13, 14, 15}
    assert len(found) <= 8


def test_days_ago_are_counted_from_now(project: MemoryProject) -> None:
    assert NamedDate(2026, 2, 15) in relative_days(project, "what broke 3 days ago")


def test_without_a_zone_no_day_is_preferred(app: ProjectApp) -> None:
    nowhere = MemoryBuilder(app, replace(app.caller, default_timezone=None)).project
    assert relative_days(nowhere, "what did we decide yesterday") == ()


def test_a_month_is_that_of_the_callers_zone(app: ProjectApp) -> None:
    tokyo = MemoryBuilder(app, replace(app.caller, default_timezone="Asia/Tokyo")).project
    assert relative_days(tokyo, "what happened last month") == (NamedDate(2026, 1),)
    assert relative_days(tokyo, "what happened last year") == (NamedDate(2025),)
