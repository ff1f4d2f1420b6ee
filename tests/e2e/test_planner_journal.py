"""The journal, day by day."""

from datetime import date, timedelta
from typing import Any

import pytest

from tests.e2e.planner_agent import Json, PlannerAgent


@pytest.fixture
def entry(agent: PlannerAgent, title: str, day: date) -> Json:
    return agent.do(
        "journal_create", title=title, date=day.isoformat(), body="A walk by C++", mood="Calm", tags=["Out"]
    )


def _list_titles(agent: PlannerAgent, **asked: Any) -> list[str]:
    listed = agent.do("journal_list", **asked)
    assert listed["count"] == len(listed["entries"])
    return [one["title"] for one in listed["entries"]]


def test_an_entry_is_found_by_day_words_tag_and_mood(agent: PlannerAgent, entry: Json, title: str, day: date):
    assert _list_titles(agent, date=day.isoformat()) == [title]
    around = {
        "dateFrom": (day - timedelta(days=1)).isoformat(),
        "dateTo": (day + timedelta(days=1)).isoformat(),
    }
    for asked in ({"q": "walk c++"}, {"tag": "#out"}, {"mood": "calm"}):
        assert _list_titles(agent, **around, **asked) == [title]
    assert _list_titles(agent, **around, mood="wild") == []
    seen = agent.do("daily_overview", startDate=day.isoformat(), days=1)
    assert [(one["title"], one["mood"]) for one in seen["journal"]] == [(title, "Calm")]


def test_an_entry_is_read_changed_and_deleted(agent: PlannerAgent, entry: Json, title: str, day: date):
    read = agent.do("journal_get", entryId=entry["id"])
    assert (read["body"], read["dayOfWeek"], read["revision"]) == ("A walk by C++", f"{day:%A}", 1)
    later = (day + timedelta(days=2)).isoformat()
    changed = agent.do("journal_update", entryId=entry["id"], date=later, mood="", body="Rain", revision=1)
    assert (changed["date"], changed["mood"], changed["tags"], changed["revision"]) == (later, "", ["Out"], 2)
    assert _list_titles(agent, date=day.isoformat()) == []
    assert _list_titles(agent, date=later, q="rain") == [title]
    deleted = agent.do("journal_delete", entryId=entry["id"])
    assert deleted == {"id": entry["id"], "title": title, "deleted": True, "untrusted": True}
    agent.assert_refused("journal_get", "not found", entryId=entry["id"])


def test_the_latest_day_comes_first_page_by_page(agent: PlannerAgent, day: date):
    days = [day + timedelta(days=number) for number in range(5)]
    for one in days:
        agent.do("journal_create", title=one.isoformat(), date=one.isoformat())
    asked = {"dateFrom": days[0].isoformat(), "dateTo": days[-1].isoformat(), "limit": 2}
    page = agent.do("journal_list", **asked)
    seen = [one["title"] for one in page["entries"]]
    while page["truncated"]:
        page = agent.do("journal_list", **asked, cursor=page["nextCursor"])
        seen += [one["title"] for one in page["entries"]]
    assert seen == [one.isoformat() for one in reversed(days)]


def test_what_cannot_be_is_refused_with_what_to_do(agent: PlannerAgent, entry: Json):
    agent.assert_refused("journal_create", "date must be", title="x", date="someday")
    agent.assert_refused("journal_create", "over 200", title="x" * 201, date="today")
    agent.assert_refused("journal_create", "The mood has 51 characters", title="x", date="today", mood="m" * 51)
    agent.assert_refused("journal_update", "There is nothing to change", entryId=entry["id"])
    agent.assert_refused("journal_update", "expected revision 7, got 1", entryId=entry["id"], title="x", revision=7)
    agent.assert_refused("journal_delete", "Edit conflict", entryId=entry["id"], revision=7)
    agent.assert_refused("journal_delete", "Journal entry none not found", entryId="none")
    agent.assert_refused("journal_get", "Journal entry none not found", entryId="none")
    agent.assert_refused("journal_list", "lies before dateFrom", dateFrom="tomorrow", dateTo="today")
    agent.assert_refused("journal_list", "cursor does not belong", cursor="made up")
