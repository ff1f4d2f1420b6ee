"""Test imports that are killed with SIGKILL, and two imports at once. Everything is there, and only once.

The result is compared with that of an undisturbed import.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.integration.local.server_process import environment
from tests.unit.local.memory_import.test_peers import MEM0, SERVICE, claude_mem, database, write_json
from tests.unit.local.memory_import.test_planner_files import issue, issues, markdown, need
from tests.unit.local.memory_import.test_takeout import archive, event, ics
from tests.until import wait_until

FORKS = """
import json, os, sys
from almanac.composition.commands import memory_import, planner_import
from almanac.composition import services
from almanac.families.memory.turns import batch
from almanac.families.planner.cards import cards
from almanac.families.planner.notes import notes
from almanac.local.calendars import takeout
from almanac.local.cli import cli

for line in sys.stdin:
    words = json.loads(line)
    child = os.fork()
    if not child:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        said = os.open(words.pop(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        cli(words)
        os._exit(0)
    print(child, flush=True)
"""
"""Runs commands in children of a process that has imported what they need: a kill then costs milliseconds."""

ITEMS = 60
Stored = list[tuple[str, ...]]


def memories(folder: Path, kind: str) -> Path:
    if kind == "mem0":
        return write_json(folder, [MEM0 | {"id": str(n), "memory": f"Ann likes tea number {n}"} for n in range(ITEMS)])
    rows = [{"content": f"Deploy {n} by hand", "content_hash": f"h{n}", "created_at": 1.7e9} for n in range(ITEMS)]
    return database(folder / "sqlite_vec.db", SERVICE, {"memories": rows})


def beads(folder: Path) -> Path:
    chain = [issue(f"bd-{n}", status=("open", "closed")[n % 2], dependencies=[need(f"bd-{n - 1}")]) for n in range(30)]
    return issues(folder / "shop", *chain)


def notes(folder: Path) -> Path:
    for number in range(40):
        markdown(folder / "notes", f"{number % 5}/n{number}.md", f"---\ntags: [t{number}]\n---\nSee [[n{number + 1}]]")
    return folder / "notes"


def calendars(folder: Path) -> Path:
    hours = ("DTSTART:20260301T090000Z", "DTEND:20260301T100000Z")
    tasks = "".join(
        event(f"t{n}", f"SUMMARY:Task {n}", "DUE:20260304T090000Z").replace("VEVENT", "VTODO") for n in range(8)
    )
    return archive(
        folder,
        {
            f"Calendar/{name}.ics": ics(name, *(event(f"{name}{n}", *hours, f"SUMMARY:E{n}") for n in range(25)), tasks)
            for name in ("Home", "Work")
        },
    )


SOURCES: dict[str, Callable[[Path], Path]] = {
    "claude-mem": lambda folder: claude_mem(folder / "claude-mem.db", prompts=350),
    "mem0": lambda folder: memories(folder, "mem0"),
    "mcp-memory-service": lambda folder: memories(folder, "mcp-memory-service"),
    "beads": beads,
    "basic-memory": notes,
    "takeout": calendars,
}


class Imports:
    """Imports in processes of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.parent = subprocess.Popen(
            [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
        )

    def begin(self, kind: str, source: Path, data: Path, said: str = "said") -> int:
        assert self.parent.stdin is not None
        assert self.parent.stdout is not None
        words = ["import", kind, str(source), "--data", str(data), "--json", str(self._folder / said)]
        self.parent.stdin.write(json.dumps(words) + "\n")
        self.parent.stdin.flush()
        return int(self.parent.stdout.readline())

    def report(self, said: str = "said") -> dict[str, Any]:
        """Return the output of an import that has ended."""
        text = (self._folder / said).read_text()
        assert "{" in text, text
        return json.loads(text[text.index("{") : text.rindex("}") + 1])


def has_ended(child: int) -> bool:
    # A child that ended stays a zombie of the process that runs them.
    try:
        return Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> Generator[Imports]:
    made = Imports(tmp_path_factory.mktemp("said"))
    with made.parent:
        yield made
        made.parent.kill()


def changes(data: Path) -> int:
    """How many writes the store has seen."""
    if not (data / "almanac.db").exists():
        return 0
    with closing(sqlite3.connect(data / "almanac.db", timeout=30)) as store:
        try:
            row = store.execute("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").fetchone()
        except sqlite3.OperationalError:
            return 0
    return row[0] if row else 0


def stored_records(data: Path) -> Stored:
    """Return the imported records without their ids."""
    found: dict[str, list[dict[str, Any]]] = {}
    with closing(sqlite3.connect(data / "almanac.db", timeout=30)) as store:
        for partition, body in store.execute("SELECT partition, body FROM items ORDER BY partition, sort"):
            kind = partition.split("#")[3] if partition.count("#") > 2 else ""
            found.setdefault(kind, []).append(msgspec.msgpack.decode(body))
    names = {one["id"]: one["title"] for kind in ("planner_cards", "planner_notes") for one in found.get(kind, ())}
    columns = {each["id"]: each["title"] for board in found.get("planner_boards", ()) for each in board["columns"]}
    bodies = {one["id"]: one["body"] for one in found.get("planner_note_texts", ())}
    return sorted(
        [("turn", one["content"], one["session"]) for one in found.get("turns", ())]
        + [("replay", one["client_turn_id"]) for one in found.get("turn_replays", ())]
        + [("memory", one["content"]) for one in found.get("memories", ())]
        + [("session", one["id"], str(one["turns"])) for one in found.get("memory_sessions", ())]
        + [("board", one["title"]) for one in found.get("planner_boards", ())]
        + [
            ("card", one["title"], columns[one["column"]], *one.get("labels", ()))
            for one in found.get("planner_cards", ())
        ]
        + [
            ("link", one["side"], one["relation"], names[one["item"]], names.get(one["other"], one["other"][:5]))
            for one in found.get("planner_links", ())
        ]
        + [
            ("note", one["title"], names.get(one.get("parent_id") or "", ""), bodies[one["id"]], *one["tags"])
            for one in found.get("planner_notes", ())
        ]
        + [("calendar", one["id"], one["name"]) for one in found.get("calendars", ())]
        + [("event", one["calendar"], one["id"], str(one["start"])) for one in found.get("calendar_entries", ())]
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="It reads from /proc whether a process has ended.")
@pytest.mark.parametrize("kind", sorted(SOURCES))
def test_killed_and_begun_again_and_two_at_once_all_is_there_once(kind: str, imports: Imports, tmp_path: Path) -> None:
    source = SOURCES[kind](tmp_path)
    whole = imports.begin(kind, source, tmp_path / "whole")
    wait_until(lambda: has_ended(whole))
    expected, all_writes = stored_records(tmp_path / "whole"), changes(tmp_path / "whole")
    assert len(expected) > 40, imports.report()

    data, killed = tmp_path / "killed", 0
    for share in (0.05, 0.5):
        child = imports.begin(kind, source, data)
        wait_until(lambda child=child, share=share: has_ended(child) or changes(data) > share * all_writes)
        killed += not has_ended(child)
        os.kill(child, signal.SIGKILL)
        wait_until(lambda child=child: has_ended(child))
        assert len(stored_records(data)) <= len(expected)
    assert killed, "each import was over before it could be killed"
    last = imports.begin(kind, source, data)
    wait_until(lambda: has_ended(last))
    assert stored_records(data) == expected
    again = imports.begin(kind, source, data)
    wait_until(lambda: has_ended(again))
    assert stored_records(data) == expected

    both = [imports.begin(kind, source, tmp_path / "both", said) for said in ("one", "other")]
    wait_until(lambda: all(map(has_ended, both)))
    assert stored_records(tmp_path / "both") == expected, [imports.report(said) for said in ("one", "other")]
