"""Days in a row with an entry of the journal."""

from datetime import timedelta
from typing import Any

import pytest

from tests.project_app import ProjectApp

NONE = {"current": 0, "longest": 0, "lastDay": None, "todayWritten": False, "atLeast": False}


def write(app: ProjectApp, *days: str) -> dict[str, Any]:
    for day in days:
        app.do("journal_create", title="Entry", date=day)
    return app.do("journal_list")["streak"]


def test_a_journal_without_entries_has_no_streak(app: ProjectApp) -> None:
    assert write(app) == NONE


@pytest.mark.parametrize(
    ("days", "current", "longest"),
    [
        (["2026-02-18"], 1, 1),
        (["2026-02-17", "2026-02-16"], 2, 2),
        (["2026-02-16", "2026-02-15"], 0, 2),
        (["2026-02-18", "2026-02-18", "2026-02-17", "2026-02-15", "2026-02-14", "2026-02-13"], 2, 3),
        (["2026-02-18", "2026-02-16"], 1, 1),
        (["2026-03-01", "2026-02-28", "2026-02-27"], 0, 0),
        (["2024-02-28", "2024-02-29", "2024-03-01", "2023-12-31", "2024-01-01"], 0, 3),
    ],
)
def test_days_in_a_row_are_counted(app: ProjectApp, days: list[str], current: int, longest: int) -> None:
    found = write(app, *days)
    assert (found["current"], found["longest"]) == (current, longest)


def test_the_day_is_the_callers(app: ProjectApp) -> None:
    write(app, "2026-02-18", "2026-02-17")
    app.clock.instant += timedelta(hours=14)
    # 23:30 in New York: still the same day.
    assert app.do("journal_list")["streak"]["todayWritten"]
    app.clock.instant += timedelta(hours=1)
    found = app.do("journal_list")["streak"]
    assert (found["todayWritten"], found["current"]) == (False, 2)


def test_a_long_journal_is_counted(app: ProjectApp) -> None:
    first = app.clock.instant.date()
    found = write(app, *((first - timedelta(days=number)).isoformat() for number in range(150)))
    assert (found["current"], found["longest"]) == (150, 150)
    entry = app.do("journal_list", date=(first - timedelta(days=3)).isoformat())["entries"][0]
    app.do("journal_delete", entryId=entry["id"])
    found = app.do("journal_list")["streak"]
    assert (found["current"], found["longest"]) == (3, 146)
