"""Test the other tools of memory on a tenant's shared memory."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as altered

from almanac.families.memory.redactions.redactable import REDACTABLE
from almanac.kernel.events import Event
from almanac.platform.redactions.scan import scan
from tests.project_app import ProjectApp
from tests.unit.families.context.projects import Projects

RULE = "Every service of the company logs in UTC."
SECRET = "AKIAZ7Q3MNPLX4RW2TUV"
OUTSIDE = pytest.mark.parametrize("who", ["ledger", "foreign"])


def test_a_shared_memory_is_read_by_its_id(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    memory = app.do("get_memory", memory_id=shared, caller=projects.api)["memory"]
    assert (memory["content"], memory["shared"], memory["actor"]) == (RULE, True, "ann")
    app.react()
    assert projects.record(shared).uses == 1
    own = projects.keep(RULE)
    assert "shared" not in app.do("get_memory", memory_id=own)["memory"]


def test_either_project_forgets_and_restores_it_for_both(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    assert app.do("forget_memory", memory_id=shared, caller=projects.api)["shared"] is True
    assert "was forgotten" in app.refusal("get_memory", memory_id=shared)
    assert app.do("search_memory", query=RULE)["hits"] == []
    assert app.do("forget_memory", memory_id=shared, restore=True)["shared"] is True
    assert app.do("get_memory", memory_id=shared, caller=projects.api)["memory"]["id"] == shared
    assert [step.what for step in projects.record(shared).history] == ["recorded", "forgotten", "restored"]


@OUTSIDE
def test_nobody_else_reads_forgets_or_restores_it(app: ProjectApp, projects: Projects, who: str) -> None:
    caller, shared = getattr(projects, who), projects.share(RULE)
    assert "No memory or turn" in app.refusal("get_memory", memory_id=shared, caller=caller)
    assert "No memory or turn" in app.refusal("forget_memory", memory_id=shared, caller=caller)
    app.do("forget_memory", memory_id=shared)
    assert "No memory or turn" in app.refusal("forget_memory", memory_id=shared, restore=True, caller=caller)
    assert projects.record(shared).forgotten_at is not None


def test_a_project_that_is_closed_off_later_sees_nothing_of_it_any_more(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    closed = replace(projects.web, shares_memory=False)
    assert app.do("search_memory", query=RULE, caller=closed)["hits"] == []
    assert app.do("get_snapshot", caller=closed)["pinned"] == []
    assert "No memory or turn" in app.refusal("get_memory", memory_id=shared, caller=closed)


def test_pinned_ones_are_in_every_snapshot(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE, "pinned", projects.api)
    own = projects.keep("This project deploys on Tuesdays.", "pinned")
    projects.share("A fact that is not pinned.")
    rows = {row["id"]: row.get("shared", False) for row in app.do("get_snapshot")["pinned"]}
    assert rows == {shared: True, own: False}


@OUTSIDE
def test_they_are_in_no_snapshot_of_anybody_else(app: ProjectApp, projects: Projects, who: str) -> None:
    caller = getattr(projects, who)
    app.do("get_snapshot", caller=caller)
    app.wait(minutes=1)
    projects.share(RULE, "pinned")
    answer = app.do("get_snapshot", caller=caller)
    assert (answer["pinned"], answer.get("changed", [])) == ([], [])


def test_a_snapshot_of_the_past_has_what_was_shared_by_then(app: ProjectApp, projects: Projects) -> None:
    before = projects.share(RULE, "pinned")
    then = app.now + 1
    app.wait(hours=1)
    projects.share("Every service has an owner.", "pinned")
    assert [row["id"] for row in app.do("get_snapshot", as_of=then)["pinned"]] == [before]


def test_a_snapshot_tells_of_shared_ones_that_were_pinned_and_forgotten_since_the_last(
    app: ProjectApp, projects: Projects
) -> None:
    first, noise = projects.share(RULE, "pinned"), projects.share("Noise that is not pinned.")
    app.wait(minutes=1)
    app.do("get_snapshot", caller=projects.api)
    app.wait(minutes=1)
    second = projects.share("Every service has an owner.", "pinned")
    for each in (first, noise):
        app.do("forget_memory", memory_id=each)
    changed = {row["id"]: row["what"] for row in app.do("get_snapshot", caller=projects.api)["changed"]}
    assert changed == {second: "memory_pinned", first: "memory_forgotten"}


def test_pinning_nearly_the_same_names_the_shared_one(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    made = app.do("pin_memory", content=RULE)
    assert made["deduped"] is False
    assert [(one["id"], one["shared"]) for one in made["near_duplicates"]] == [(shared, True)]
    assert app.do("pin_memory", content=RULE, caller=projects.ledger)["near_duplicates"] == []


def test_what_a_shared_memory_lost_is_listed_in_every_project(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(f"The key is {SECRET}.")
    own = projects.keep(f"The other key is {SECRET}.", caller=projects.api)
    rows = app.do("list_redactions", caller=projects.api)["redactions"]
    assert [(row["item_id"], row.get("shared", False)) for row in rows] == [(own, False), (shared, True)]
    assert SECRET not in projects.record(shared).content
    (row,) = app.do("list_redactions", status="escalated")["redactions"]
    assert row["item_id"] == shared


@OUTSIDE
def test_nobody_else_has_it_listed(app: ProjectApp, projects: Projects, who: str) -> None:
    projects.share(f"The key is {SECRET}.")
    assert app.do("list_redactions", caller=getattr(projects, who))["redactions"] == []


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6])
def test_pages_of_both_have_each_row_once(app: ProjectApp, projects: Projects, limit: int) -> None:
    own, shared = list[str](), list[str]()
    for keep, kept in ((projects.keep, own), (projects.share, shared), (projects.keep, own)) * 2:
        kept.append(keep(f"Key {len(own) + len(shared)}: {SECRET}."))
        app.wait(seconds=1)
    listed, cursor, pages = list[str](), None, 0
    while pages == 0 or cursor:
        page = app.do("list_redactions", limit=limit, **({"cursor": cursor} if cursor else {}))
        listed += [row["item_id"] for row in page["redactions"]]
        cursor, pages = page["next_cursor"], pages + 1
        assert page["truncated"] is (cursor is not None)
        assert len(page["redactions"]) <= limit
    assert listed == [*reversed(own), *reversed(shared)]
    assert pages == -(-6 // limit)


def test_a_full_page_is_the_last_one_where_nothing_shared_follows(app: ProjectApp, projects: Projects) -> None:
    projects.keep(f"The key is {SECRET}.")
    page = app.do("list_redactions", limit=1)
    assert (page["truncated"], page["next_cursor"]) == (False, None)


def test_a_cursor_into_what_is_shared_opens_nothing_in_a_project_that_is_closed_off(
    app: ProjectApp, projects: Projects
) -> None:
    for number in range(2):
        projects.share(f"Key {number}: {SECRET}.")
    cursor = app.do("list_redactions", limit=1)["next_cursor"]
    assert cursor
    assert "cursor" in app.refusal("list_redactions", cursor=cursor, caller=projects.ledger)
    assert "cursor" in app.refusal("list_redactions", cursor="shared:forged")
    assert "cursor" in app.refusal("list_redactions", cursor=cursor, caller=projects.foreign)


def test_a_scan_takes_out_what_an_older_version_stored(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    project = projects.open_shared()
    record = projects.record(shared)
    project.store.write(project.put(altered(record, content=f"The key is {SECRET}."), is_new=False))
    scan(app.services, replace(projects.web, scope=projects.web.scope.shared), REDACTABLE, rewrite=True)
    assert SECRET not in projects.record(shared).content
    assert app.do("list_redactions")["redactions"][0]["shared"] is True


def test_an_edge_connects_two_shared_memories(app: ProjectApp, projects: Projects) -> None:
    old, new = projects.share("Services log in CET."), projects.share(RULE)
    made = app.do("create_edge", src_id=new, dst_id=old, kind="supersedes", caller=projects.api)
    assert [each["effect"] for each in made["side_effects"]] == ["superseded", "salience_moved"]
    assert projects.record(old).superseded_by == new
    (edge,) = app.do("list_edges", id=old)["edges"]
    assert (edge["src_id"], edge["dst_id"], edge["actor"]) == (new, old, "bob")
    stated = app.do("get_memory", memory_id=new)["edges"]["stated"]
    assert [one["id"] for one in stated] == [old]
    app.do("create_edge", src_id=new, dst_id=old, kind="supersedes", remove=True)
    assert projects.record(old).superseded_by is None


def test_no_edge_leads_out_of_a_project(app: ProjectApp, projects: Projects) -> None:
    shared, own = projects.share(RULE), projects.keep("This service logs in CET.")
    for src, dst in ((shared, own), (own, shared)):
        told = app.refusal("create_edge", src_id=src, dst_id=dst, kind="contradicts")
        assert "share" in told
        assert "Connect two things of this project" in told
    assert app.do("list_edges", id=shared)["edges"] == []


@OUTSIDE
def test_nobody_else_connects_or_lists_it(app: ProjectApp, projects: Projects, who: str) -> None:
    caller = getattr(projects, who)
    one, other = projects.share(RULE), projects.share("Services log in JSON.")
    assert "nothing with the id" in app.refusal("create_edge", src_id=one, dst_id=other, kind="same_as", caller=caller)
    assert "nothing with the id" in app.refusal("list_edges", id=one, caller=caller)


def test_a_working_memory_is_no_end_of_an_edge(app: ProjectApp, projects: Projects) -> None:
    working, kept = projects.keep("For now.", "working", ttl_ms=60_000), projects.keep("For good.")
    told = app.refusal("create_edge", src_id=kept, dst_id=working, kind="derives_from")
    assert "expires by itself" in told


def test_what_somebody_does_to_it_is_told_in_his_project(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE, "pinned", projects.api)
    app.do("forget_memory", memory_id=shared)
    told = [(event.project, event.kind, event.payload.get("shared", False)) for event in events_about(app, shared)]
    assert sorted(told) == [
        ("_shared", "memory_forgotten", False),
        ("_shared", "memory_pinned", False),
        ("api", "memory_pinned", True),
        ("web", "memory_forgotten", True),
    ]
    assert {event.actor for event in events_about(app, shared) if event.project == "api"} == {"bob"}


def events_about(app: ProjectApp, memory_id: str) -> list[Event]:
    return [event for event in app.events() if event.payload.get("memory_id") == memory_id]


def test_a_rule_of_the_project_hears_of_it(app: ProjectApp, projects: Projects) -> None:
    app.do(
        "install_rule",
        name="echo",
        on_kind="memory_pinned",
        where={"payload.shared": True},
        actions=[{"tool": "set_broadcast", "args": {"key": "last", "value": "${payload.content_preview}"}}],
    )
    projects.share(RULE, "pinned", projects.api)
    projects.keep("Not this one.", "pinned")
    app.react()
    assert app.do("get_broadcast", key="last")["value"] is None
    projects.share("Every service has an owner.", "pinned")
    app.react()
    assert "Every service has an owner." in str(app.do("get_broadcast", key="last"))


def test_all_of_it_is_there_after_a_restart(projects: Projects, tmp_path: Path) -> None:
    shared = projects.share(RULE, "pinned")
    again = ProjectApp(tmp_path)
    assert again.do("get_memory", memory_id=shared, caller=projects.api)["memory"]["shared"] is True
    assert again.do("search_memory", query=RULE)["hits"][0]["id"] == shared
