"""Test importing issues of beads as cards and Markdown of basic-memory as notes, and importing changes again."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from almanac.composition.commands.planner_import import CardsImport, CardToImport, NotesImport
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.local.cli import cli
from almanac.local.data_folder import DataFolder
from almanac.local.memory_import.planner_files import PlannerReport, import_issues, import_notes
from tests.unit.local.memory_import.test_peers import run

HERE = Scope("default", "default")


def issue(name: str, **fields: Any) -> dict[str, Any]:
    known: dict[str, Any] = {
        "id": name,
        "title": f"Title of {name}",
        "description": "Because",
        "status": "open",
        "priority": 2,
        "issue_type": "task",
        "created_at": "2025-10-14T09:00:00Z",
    }
    return known | fields


def need(other: str, kind: str = "blocks") -> dict[str, str]:
    return {"issue_id": "x", "depends_on_id": other, "type": kind}


def issues(folder: Path, *values: Any) -> Path:
    file = folder / ".beads" / "issues.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in values))
    return folder


class Store:
    """The data folder that the command wrote into."""

    def __init__(self, folder: Path) -> None:
        self.store = DataFolder(folder / "data").open_whole_store(SystemClock())

    def cards(self) -> CardsImport:
        return CardsImport(self.store, HERE, "owner", SystemClock())

    def notes(self) -> NotesImport:
        return NotesImport(self.store, HERE, "owner", SystemClock())


def test_issues_become_cards_with_labels_priority_state_and_links(tmp_path: Path) -> None:
    bug = issue(
        "bd-2",
        priority=0,
        issue_type="bug",
        labels=["ui"],
        design="Draw it",
        comments=[{"author": "ann", "text": "Seen", "created_at": "2025-10-15T00:00:00Z"}],
        dependencies=[need("bd-3"), need("bd-1", "parent-child"), need("bd-1", "discovered-from"), need("bd-77")],
    )
    done = issue("bd-1", status="closed", closed_at="2025-10-16T00:00:00Z", close_reason="Shipped")
    started, gone = issue("bd-3", status="in_progress"), issue("bd-4", status="tombstone")
    folder = issues(tmp_path / "shop", bug, done, started, gone, "{broken", {"_type": "memory"}, {"id": "bd-5"})
    result, told = run(tmp_path, "beads", folder)
    assert result.exit_code == 1
    assert {name: told[name] for name in ("new", "links", "unreadable", "left_out")} == {
        "new": 3,
        "links": 2,
        "unreadable": 2,
        "left_out": {
            "deleted there": 1,
            "lines that are no issues": 1,
            "links to issues that are not in the file": 1,
        },
    }
    cards = Store(tmp_path).cards()
    found = cards.known["bd-2"]
    assert (found.title, found.labels, found.priority) == ("Title of bd-2", ("bd-2", "bug", "ui"), "urgent")
    for text in ("Because", "## Design\n\nDraw it", "discovered-from: bd-1", "- 2025-10-15 ann: Seen"):
        assert text in found.description
    columns = [column.id for column in cards.board.columns]
    assert [columns.index(cards.known[name].column) for name in ("bd-2", "bd-3", "bd-1")] == [0, 1, 2]
    assert [column.title for column in cards.board.columns] == ["To do", "In progress", "Done"]


def test_issues_imported_again_follow_the_file_and_never_go_back(tmp_path: Path) -> None:
    folder = issues(tmp_path / "shop", *(issue(f"bd-{number}") for number in range(5)))
    _, first = run(tmp_path, "beads", folder)
    _, again = run(tmp_path, "beads", folder)
    assert (first["new"], again["known"], again["changed"], again["new"]) == (5, 5, 0, 0)
    store = Store(tmp_path)
    cards = store.cards()
    cards.keep(CardToImport(name="bd-1", title="Ours", state="done"))
    issues(tmp_path / "shop", issue("bd-0", title="Other"), issue("bd-1"), issue("bd-9"))
    _, later = run(tmp_path, "beads", folder)
    assert (later["changed"], later["new"]) == (2, 1)
    after = store.cards()
    assert after.known["bd-0"].title == "Other"
    assert after.known["bd-1"].column == after.board.columns[2].id


def test_an_import_of_issues_that_was_stopped_goes_on(tmp_path: Path) -> None:
    folder = issues(tmp_path / "shop", *(issue(f"bd-{number}") for number in range(20)))

    def stop(at: int) -> None:
        if at > 1500:
            raise KeyboardInterrupt

    report = PlannerReport()
    with pytest.raises(KeyboardInterrupt):
        import_issues(folder / ".beads" / "issues.jsonl", Store(tmp_path).cards(), report, stop)
    assert 0 < report.new < 20
    _, told = run(tmp_path, "beads", folder)
    assert (told["known"], told["new"]) == (report.new, 20 - report.new)


def test_a_folder_without_issues_says_what_to_do(tmp_path: Path) -> None:
    result, _ = run(tmp_path, "beads", tmp_path)
    assert result.exit_code == 2
    assert "bd export" in result.output


def markdown(folder: Path, name: str, text: str | bytes) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)


def test_markdown_becomes_a_tree_of_notes(tmp_path: Path) -> None:
    folder = tmp_path / "basic-memory"
    markdown(folder, "work/Coffee.md", "---\ntitle: Brewing\ntype: guide\ntags: [coffee, '#tea']\n---\n\nSee [[Tea]]\n")
    markdown(folder, "Tea.md", "\ufeffNo front matter")
    markdown(folder, "Lists.md", "---\ntitle:\n  - Two\n  - Parts\ntags: a, b\ncreated: 2025-10-24\n---\nText")
    markdown(folder, "broken.md", "---\na: [b\n---\nText")
    markdown(folder, "bomb.md", "---\na: &a [x]\nb: [*a, *a]\n---\nText")
    markdown(folder, "image.png", b"\x89PNG")
    markdown(folder, ".obsidian/hidden.md", "x")
    markdown(folder, "latin.md", b"\xff\xfe")
    result, told = run(tmp_path, "basic-memory", folder)
    assert (result.exit_code, told["new"], told["unreadable"]) == (1, 5, 1)
    assert told["left_out"] == {"files that are no Markdown": 1}
    notes = Store(tmp_path).notes()
    root = notes.below("")["basic-memory"]
    assert sorted(notes.below(root)) == ["bomb", "broken", "tea", "two, parts", "work"]
    brewing = notes.find_note(notes.below(notes.below(root)["work"])["brewing"])
    assert (brewing.title, brewing.tags, notes.body(brewing)) == ("Brewing", ("coffee", "tea", "guide"), "See [[Tea]]")
    assert notes.body(notes.find_note(notes.below(root)["broken"])).startswith("---\na: [b")
    assert notes.body(notes.find_note(notes.below(root)["tea"])) == "No front matter"


def test_notes_imported_again_follow_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    for number in range(6):
        markdown(folder, f"{number % 2}/n{number}.md", f"Text {number}")
    report = PlannerReport()

    def stop(done: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_notes(folder, Store(tmp_path).notes(), report, stop)
    _, rest = run(tmp_path, "basic-memory", folder)
    assert (report.new, rest["known"], rest["new"]) == (3, 3, 3)
    markdown(folder, "0/n0.md", "Changed")
    _, later = run(tmp_path, "basic-memory", folder)
    assert (later["changed"], later["known"], later["new"]) == (1, 5, 0)


def test_two_notes_of_one_title_stay_two(tmp_path: Path) -> None:
    for name in ("a", "b"):
        markdown(tmp_path / "notes", f"{name}.md", f"---\ntitle: Tea\n---\nText {name}")
    _, told = run(tmp_path, "basic-memory", tmp_path / "notes")
    _, again = run(tmp_path, "basic-memory", tmp_path / "notes")
    assert (told["new"], again["known"], again["changed"]) == (2, 2, 0)


def test_a_note_that_is_too_long_is_named_and_the_others_are_taken(tmp_path: Path) -> None:
    markdown(tmp_path / "notes", "long.md", "x" * 100_001)
    markdown(tmp_path / "notes", "huge.md", "x" * (4 * 1024 * 1024 + 1))
    markdown(tmp_path / "notes", "good.md", "x")
    result, told = run(tmp_path, "basic-memory", tmp_path / "notes")
    assert (result.exit_code, told["new"], told["refused"], told["unreadable"]) == (1, 1, 1, 1)


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    folder = issues(tmp_path / "shop", issue("bd-1"))
    result, told = run(tmp_path, "beads", folder, "--dry-run")
    assert (result.exit_code, told["new"], (tmp_path / "data").exists()) == (0, 1, False)
    shown: Result = CliRunner().invoke(cli, ["import", "beads", str(folder), "--dry-run"])
    assert "new" in shown.stdout
