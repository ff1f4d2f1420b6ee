"""list_redactions: what was taken out, newest first, never the secret itself."""

import dataclasses
from typing import Any

import msgspec
import pytest

from almanac.content.redaction import SecretFinding
from almanac.families.memory.core.memory import MemoryProject, system_memory
from almanac.kernel.caller import Scope
from almanac.platform.redactions.records import KEPT_MS
from almanac.platform.redactions.rows import redaction_changes, review
from tests.project_app import ProjectApp
from tests.unit.content.redaction.made_up import PASSWORD, UPPER, random_text

AWS_KEY = "AKIA" + random_text(16, UPPER)


def project_of(app: ProjectApp) -> MemoryProject:
    return msgspec.structs.replace(system_memory(app.services, app.caller.scope), actor="eve")


def leak(app: ProjectApp, count: int = 1, text: str = f"use {AWS_KEY}") -> None:
    for number in range(count):
        app.do("set_broadcast", key=f"k{number}", value=text)
        app.wait(seconds=1)


def test_a_row_says_what_was_lost_where_and_by_whom(app: ProjectApp) -> None:
    at = app.now
    app.do("set_broadcast", key="deploy", value={"env": {"AWS": AWS_KEY}, "note": f"password = {PASSWORD}"})
    listed = app.do("list_redactions")

    (row,) = listed["redactions"]
    assert {name: row[name] for name in ("item_id", "where", "status", "at", "actor", "kinds", "count")} == {
        "item_id": "deploy",
        "where": "broadcast",
        "status": "escalated",
        "at": at,
        "actor": "ann",
        "kinds": ["aws_access_key", "password"],
        "count": 2,
    }
    assert (row["fields"], row["prefixes"]) == (["value.env.AWS", "value.note"], ["AKIA"])
    assert listed["untrusted"] is True
    assert AWS_KEY[4:] not in str(listed)
    assert PASSWORD not in str(listed)


def test_rows_of_turns_name_their_tool_and_session(app: ProjectApp) -> None:
    app.do("set_broadcast", key="k", value=AWS_KEY)
    project = project_of(app)
    app.wait(seconds=1)
    found = [SecretFinding("jwt", 0, 9)]
    project.store.write(redaction_changes(project, "01T", "turn", found, app.now, tool="cli", session="s1"))
    rows = app.do("list_redactions")["redactions"]
    assert [(row.get("tool"), row.get("session_id"), row["actor"]) for row in rows] == [
        ("cli", "s1", "eve"),
        (None, None, "ann"),
    ]


def test_pages_go_on_where_they_were_cut_newest_first(app: ProjectApp) -> None:
    leak(app, 5)
    first = app.do("list_redactions", limit=2)
    second = app.do("list_redactions", limit=2, cursor=first["next_cursor"])
    third = app.do("list_redactions", limit=2, cursor=second["next_cursor"])
    items = [row["item_id"] for page in (first, second, third) for row in page["redactions"]]
    assert items == ["k4", "k3", "k2", "k1", "k0"]
    assert [page["truncated"] for page in (first, second, third)] == [True, True, False]


def test_a_status_narrows_the_list(app: ProjectApp) -> None:
    leak(app, 2)
    leak(app, 2, f"password = {PASSWORD}")
    assert [row["item_id"] for row in app.do("list_redactions", status="flagged")["redactions"]] == ["k1", "k0"]
    assert len(app.do("list_redactions", status="escalated")["redactions"]) == 2
    assert app.do("list_redactions", status="confirmed")["redactions"] == []

    row = app.do("list_redactions", status="flagged")["redactions"][0]
    review(project_of(app), row["id"], "dismissed", "A value of the tests.")
    (dismissed,) = app.do("list_redactions", status="dismissed")["redactions"]
    assert (dismissed["reviewer"], dismissed["reason"]) == ("eve", "A value of the tests.")
    assert len(app.do("list_redactions", status="flagged")["redactions"]) == 1


def test_a_cursor_of_another_status_is_refused(app: ProjectApp) -> None:
    leak(app, 3)
    cursor = app.do("list_redactions", limit=1, status="escalated")["next_cursor"]
    assert "cursor" in app.refusal("list_redactions", limit=1, status="flagged", cursor=cursor)


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 201}, {"status": "gone"}, {"cursor": "x"}])
def test_arguments_out_of_bounds_are_refused(app: ProjectApp, arguments: dict[str, Any]) -> None:
    app.refusal("list_redactions", **arguments)


def test_other_projects_see_nothing_and_a_row_ends_after_a_year(app: ProjectApp) -> None:
    leak(app)
    other = dataclasses.replace(app.caller, scope=Scope("acme", "api"))
    assert app.do("list_redactions", caller=other) == {"redactions": [], "truncated": False, "next_cursor": None}
    app.wait(milliseconds=KEPT_MS)
    assert app.do("list_redactions")["redactions"] == []
