"""Notes and the journal on every store: search, tree, links and versions answer alike."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from tests.app import ToolRefusal
from tests.project_app import ProjectApp, planner_app


@pytest.fixture
def app(tmp_path: Path, store: Store, clock: FixedClock, scope: Scope) -> ProjectApp:
    app = planner_app(tmp_path, store=store)
    app.clock = clock
    app.caller = Caller(scope, actor="ann", key_id="key", default_timezone="America/New_York")
    return app


def found_titles(app: ProjectApp, tool: str = "notes_search", **asked: Any) -> set[str]:
    data = app.do(tool, **asked)
    return {one["title"] for one in data["notes" if tool == "notes_search" else "entries"]}


def test_words_tags_and_tree_find_notes(app: ProjectApp):
    root = app.do("notes_create", title="Root", body="rm -rf in src/app.py", tags=["Work"])["id"]
    app.do("notes_create", title="Leaf", body="C++ a-b #123 user@example.com", parentId=root)

    assert found_titles(app, q="rm -rf") == found_titles(app, tag="work") == found_titles(app, parentId="") == {"Root"}
    assert (
        found_titles(app, q="C++")
        == found_titles(app, q="example.com #123")
        == found_titles(app, parentId=root)
        == {"Leaf"}
    )
    assert found_titles(app, q="a") == {"Root", "Leaf"}


def test_pages_follow_each_other(app: ProjectApp):
    for number in range(70):
        app.do("notes_create", title=f"note {number}", body="often" + " seldom" * (number % 10 == 0))

    seen: list[str] = []
    page: dict[str, Any] = {"nextCursor": None}
    while not seen or page["nextCursor"]:
        more = {"cursor": page["nextCursor"]} if page["nextCursor"] else {}
        page = app.do("notes_search", q="oft", limit=30, **more)
        seen += [note["title"] for note in page["notes"]]

    assert sorted(seen) == sorted(f"note {number}" for number in range(70))
    assert found_titles(app, q="often seldom") == {f"note {number}" for number in range(0, 70, 10)}


def test_a_note_of_more_words_than_a_write_takes_is_found_by_each(app: ProjectApp):
    words = [f"w{number:03d}" for number in range(250)]
    note = app.do("notes_create", title="Long", body=" ".join(words))["id"]
    app.do("notes_update", noteId=note, body=" ".join(words[:3] + [f"v{number:03d}" for number in range(250)]))

    assert found_titles(app, q="w002 v249") == {"Long"}
    assert found_titles(app, q="w100") == set()
    app.do("notes_delete", noteId=note)
    assert found_titles(app, q="v249") == set()


def test_links_versions_and_deletion(app: ProjectApp):
    target = app.do("notes_create", title="Plan")["id"]
    source = app.do("notes_create", title="Source", body="[[plan]]", parentId=target)["id"]
    app.do("notes_update", noteId=target, title="Roadmap")

    read = app.do("notes_get", noteId=target)
    assert [one["id"] for one in read["backlinks"]] == [source]
    assert [one["title"] for one in read["versions"]] == ["Plan"]
    with pytest.raises(ToolRefusal, match="hangs directly below"):
        app.do("notes_delete", noteId=target)
    assert app.do("notes_delete", noteId=target, children="lift")["lifted"] == [source]
    assert app.do("notes_get", noteId=source)["links"] == [{"title": "plan", "noteId": None}]


def test_a_note_of_100_kb_is_kept_with_its_versions(app: ProjectApp):
    note = app.do("notes_create", title="x", body="y" * 100_000)["id"]
    app.do("notes_update", noteId=note, body="z" * 100_000)

    assert app.do("notes_get", noteId=note)["body"] == "z" * 100_000
    assert app.do("notes_get", noteId=note, version=1)["body"] == "y" * 100_000
    assert found_titles(app, q="z") == {"x"}


def test_the_journal_is_listed_by_day_words_and_mood(app: ProjectApp):
    for day in range(1, 8):
        app.do("journal_create", title=str(day), date=f"2026-02-0{day}", body="walk", mood="calm" if day % 2 else "")

    days = app.do("journal_list", q="walk", mood="calm", dateFrom="2026-02-02", dateTo="2026-02-06")["entries"]
    assert [entry["title"] for entry in days] == ["5", "3"]
    app.do("journal_update", entryId=days[0]["id"], date="2026-03-01")
    assert found_titles(app, "journal_list", date="2026-03-01", q="walk") == {"5"}
    assert found_titles(app, "journal_list", date="2026-02-05") == set()


def test_of_edits_at_once_with_one_revision_exactly_one_is_made(app: ProjectApp):
    note = app.do("notes_create", title="x")["id"]

    def edit(agent: int) -> bool:
        try:
            app.do("notes_update", noteId=note, body=f"word{agent}", revision=1)
        except ToolRefusal as refused:
            assert refused.code == "revision_conflict"
            return False
        return True

    with ThreadPoolExecutor(4) as agents:
        won = list(agents.map(edit, range(4)))

    assert sum(won) == 1
    assert found_titles(app, q=f"word{won.index(True)}") == {"x"}
