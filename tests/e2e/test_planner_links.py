"""Links between items of every kind, and the days on which it all comes together."""

from datetime import date, timedelta
from itertools import permutations

from tests.e2e.planner_agent import Json, PlannerAgent


def _items(agent: PlannerAgent, title: str, day: date) -> dict[str, str]:
    """One of each kind."""
    column = agent.do("kanban_list_boards")["boards"][0]["columns"][0]["id"]
    made = {
        "event": agent.do("calendar_create_event", title=title, date=day.isoformat(), time="09:00", type="event"),
        "task": agent.do("kanban_create_card", columnId=column, title=title, dueDate=day.isoformat()),
        "note": agent.do("notes_create", title=title),
        "log": agent.do("journal_create", title=title, date=day.isoformat()),
    }
    return {kind: item["id"] for kind, item in made.items()}


def _ends(items: dict[str, str], source: str, target: str) -> Json:
    return {
        "fromItemId": items[source],
        "fromItemType": source,
        "toItemId": items[target],
        "toItemType": target,
    }


def test_any_two_kinds_are_linked_seen_from_both_ends_and_unlinked(agent: PlannerAgent, title: str, day: date):
    items = _items(agent, title, day)
    for source, target in permutations(items, 2):
        assert agent.do("items_link", relationType="belongs_to", **_ends(items, source, target))["created"]
    for item in items.values():
        listed = agent.do("items_list_links", itemId=item)
        assert [one["direction"] for one in listed["links"]] == ["in"] * 3 + ["out"] * 3
        assert {one["itemTitle"] for one in listed["links"]} == {title}
    ends = {"fromItemId": items["note"], "toItemId": items["log"]}
    agent.do("items_unlink", relationType="belongs_to", **ends)
    agent.assert_refused("items_unlink", "There is no belongs_to link", relationType="belongs_to", **ends)
    agent.do("notes_delete", noteId=items["note"])
    assert agent.do("items_list_links", itemId=items["event"])["count"] == 4


def test_a_link_is_made_once_and_references_unless_more_is_said(agent: PlannerAgent, title: str, day: date):
    items = _items(agent, title, day)
    first = agent.do("items_link", **_ends(items, "task", "event"))
    assert (first["relationType"], first["created"]) == ("references", True)
    assert not agent.do("items_link", **_ends(items, "task", "event"))["created"]
    assert agent.do("items_unlink", fromItemId=items["task"], toItemId=items["event"])["removed"]
    assert agent.do("items_list_links", itemId=items["task"], limit=1)["links"] == []


def test_what_cannot_be_is_refused_with_what_to_do(agent: PlannerAgent, title: str, day: date):
    items = _items(agent, title, day)
    agent.do("items_link", relationType="blocks", **_ends(items, "task", "event"))
    agent.assert_refused("items_link", "block each other", relationType="blocks", **_ends(items, "event", "task"))
    agent.assert_refused("items_link", "linked to itself", **_ends(items, "note", "note"))
    agent.assert_refused("items_link", "Note not found", **{**_ends(items, "note", "task"), "fromItemId": "none"})
    agent.assert_refused("items_link", "Note not found", **{**_ends(items, "log", "task"), "fromItemType": "note"})
    agent.assert_refused(
        "items_link", '"relationType" must be one of', relationType="likes", **_ends(items, "log", "task")
    )
    agent.assert_refused("items_list_links", "itemId is empty", itemId="")


def test_a_day_is_seen_as_a_whole(agent: PlannerAgent, title: str, day: date):
    items = _items(agent, title, day)
    agent.do("items_link", **_ends(items, "note", "event"))
    agent.do("calendar_create_event", title=title, date=day.isoformat(), status="done")
    seen = agent.do("daily_overview", startDate=day.isoformat(), days=1)
    mine = [one for one in seen["items"] if one["title"] == title]
    assert [(one["source"], one["type"], one["status"]) for one in mine] == [
        ("calendar", "task", "done"),
        ("kanban", "task", "pending"),
        ("calendar", "event", "pending"),
    ]
    assert [(one["id"], one["direction"]) for one in mine[2]["linked"]] == [(items["note"], "in")]
    assert [one["id"] for one in seen["journal"]] == [items["log"]]
    total = len(seen["items"])
    assert seen["stats"] == {"total": total, "done": 1, "pending": total - 1, "overdue": len(seen["overdue"])}
    assert (seen["freeToday"], seen["untrusted"]) == (None, True)


def test_what_is_past_and_open_is_overdue_today(agent: PlannerAgent, title: str):
    made = agent.do("calendar_create_event", title=title, date="1999-12-31")
    seen = agent.do("daily_overview")
    assert seen["dateFrom"] == seen["today"]
    assert seen["freeToday"]["minutes"] >= 0
    assert title in [one["title"] for one in seen["overdue"]]
    agent.do("calendar_update_event", eventId=made["id"], status="done")
    assert title not in [one["title"] for one in agent.do("daily_overview")["overdue"]]


def test_days_are_brought_between_one_and_31(agent: PlannerAgent, day: date):
    for days, shown in ((-1, 1), (1, 1), (31, 31), (400, 31)):
        seen = agent.do("daily_overview", startDate=day.isoformat(), days=days)
        assert seen["dateTo"] == (day + timedelta(days=shown - 1)).isoformat()
    agent.assert_refused("daily_overview", "startDate must be", startDate="whenever")
