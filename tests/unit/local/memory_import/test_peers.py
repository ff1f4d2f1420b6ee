"""Test importing turns and memories of claude-mem, mem0 and mcp-memory-service, once."""

import gzip
import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from almanac.composition.commands.memory_import import MemoryToImport, ToImport, TurnToImport
from almanac.composition.families import open_families
from almanac.composition.services import services_for
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn
from almanac.families.memory.memories.purge import purge_forgotten
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.local.cli import cli
from almanac.local.data_folder import DataFolder
from almanac.local.memory_import.formats import READERS
from almanac.local.memory_import.units import Unit
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.app import App

HERE = Scope("default", "default")
AT = 1_740_000_000_000
CLAUDE_MEM = """
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT, project TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,
  title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
  created_at_epoch INTEGER);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, content_session_id TEXT, prompt_number INTEGER, prompt_text TEXT,
  created_at_epoch INTEGER);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
  learned TEXT, next_steps TEXT, created_at_epoch INTEGER);
CREATE TABLE directives (id INTEGER PRIMARY KEY, scope TEXT, content TEXT, status TEXT, created_at_epoch INTEGER);
CREATE TABLE pending_messages (id INTEGER PRIMARY KEY, tool_name TEXT);
"""
SERVICE = """
CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT UNIQUE, content TEXT, tags TEXT, memory_type TEXT,
  metadata TEXT, created_at REAL, updated_at REAL, deleted_at REAL, superseded_by TEXT);
"""
MEM0 = {"id": "m1", "memory": "Ann prefers tea", "user_id": "ann", "created_at": "2025-03-01T10:00:00-08:00"}


def database(file: Path, schema: str, rows: dict[str, list[dict[str, Any]]]) -> Path:
    with closing(sqlite3.connect(file)) as made, made:
        made.executescript(schema)
        for table, values in rows.items():
            for row in values:
                places = ", ".join("?" * len(row))
                made.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", tuple(row.values()))
    return file


def claude_mem(file: Path, prompts: int = 1) -> Path:
    session = {"content_session_id": "c1", "memory_session_id": "m1", "project": "shop"}
    seen = {"memory_session_id": "m1", "project": "shop", "created_at_epoch": AT}
    asked = [
        {"content_session_id": "c1", "prompt_number": number, "prompt_text": f"Fix {number}", "created_at_epoch": AT}
        for number in range(prompts)
    ]
    noted = {"title": "Rounding", "narrative": "It was wrong", "facts": '["half even"]', "concepts": '["gotcha"]'}
    return database(
        file,
        CLAUDE_MEM,
        {
            "sdk_sessions": [session],
            "user_prompts": asked,
            "observations": [{**seen, **noted, "type": "bugfix", "files_modified": '["tax.py"]'}],
            "session_summaries": [{**seen, "request": "Fix the tax", "next_steps": "Release"}],
            "directives": [{"content": "Never on Friday", "status": "active"}, {"content": "x", "status": "retired"}],
            "pending_messages": [{"tool_name": "Read"}],
        },
    )


def read(kind: str, file: Path) -> list[Unit]:
    with file.open("rb") as source:
        return list(READERS[kind](source))


def items(kind: str, file: Path) -> list[ToImport]:
    return [item for unit in read(kind, file) for item in unit.turns]


def write_json(folder: Path, value: Any, name: str = "export.json") -> Path:
    file = folder / name
    file.write_text(json.dumps(value))
    return file


def run(folder: Path, *words: str | Path) -> tuple[Result, dict[str, Any]]:
    result = CliRunner().invoke(cli, ["import", *map(str, words), "--data", str(folder / "data"), "--json"])
    return result, json.loads(result.stdout) if result.stdout.startswith("{") else {}


def test_claude_mem_becomes_turns_of_one_session_and_pins(tmp_path: Path) -> None:
    units = read("claude-mem", claude_mem(tmp_path / "claude-mem.db"))
    prompt, noted, summary, rule = [item for unit in units for item in unit.turns]
    assert isinstance(prompt, TurnToImport)
    assert isinstance(noted, TurnToImport)
    assert isinstance(summary, TurnToImport)
    assert [one.session_id for one in (prompt, noted, summary)] == ["c1", "c1", "c1"]
    assert (prompt.role, prompt.content, prompt.occurred_at) == ("user", "Fix 0", AT)
    assert (noted.role, noted.content, noted.tags) == (
        "agent",
        "Rounding\nIt was wrong\n- half even",
        ("bugfix", "gotcha"),
    )
    assert noted.metadata == {"source": "claude-mem", "project": "shop", "files": ["tax.py"]}
    assert summary.content == "Request: Fix the tax\nNext steps: Release"
    assert (rule, [unit.left_out for unit in units if unit.left_out]) == (
        MemoryToImport(content="Never on Friday", pinned=True, metadata={"source": "claude-mem"}),
        ["directives that are not active", "messages of a queue that claude-mem had not worked off"],
    )


def test_an_older_database_has_fewer_tables_and_columns(tmp_path: Path) -> None:
    schema = (
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, text TEXT, created_at_epoch INT)"
    )
    row = {"memory_session_id": "m1", "text": "Tea at four", "created_at_epoch": AT // 1000}
    (turn,) = items("claude-mem", database(tmp_path / "old.db", schema, {"observations": [row]}))
    assert isinstance(turn, TurnToImport)
    assert (turn.content, turn.session_id, turn.occurred_at) == ("Tea at four", "m1", AT)


@pytest.mark.parametrize(
    "value",
    [
        [MEM0],
        {"results": [MEM0]},
        {"kind": "export", "memories": [MEM0]},
        {"data": {"records": [MEM0]}},
        {"note": '"results": [1]', "apps": [{"name": "x" * 3_000_000}], "memories": [MEM0]},
    ],
)
def test_every_shape_of_mem0_is_read(value: Any, tmp_path: Path) -> None:
    (memory,) = items("mem0", write_json(tmp_path, value))
    assert memory == MemoryToImport(
        content="Ann prefers tea",
        metadata={
            "source": "mem0",
            "source_id": "m1",
            "created_at": "2025-03-01T18:00:00+00:00",
            "user_id": "ann",
        },
    )


def test_the_archive_of_openmemory_and_lines_are_read(tmp_path: Path) -> None:
    line = json.dumps({"id": "1", "content": "Kept", "state": "active", "app": "cursor", "categories": ["a"]})
    gone = json.dumps({"id": "2", "content": "Gone", "state": "archived"})
    text = f"{line}\n{{broken\n{gone}\n".encode()
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("memories.json", "{}")
        archive.writestr("memories.jsonl.gz", gzip.compress(text))
    (tmp_path / "memories.jsonl").write_bytes(text)
    for name in ("export.zip", "memories.jsonl"):
        units = read("mem0", tmp_path / name)
        assert [unit.problem for unit in units] == [None, "It is not JSON.", None], name
        assert units[2].left_out == "archived there", name
        (memory,) = units[0].turns
        assert isinstance(memory, MemoryToImport), name
        assert (memory.content, memory.tags, memory.metadata["app"]) == ("Kept", ("a",), "cursor"), name


def test_the_database_and_the_export_of_the_service_become_the_same_memory(tmp_path: Path) -> None:
    own: dict[str, Any] = {
        "content": "Deploy by hand",
        "content_hash": "h",
        "memory_type": "decision",
        "created_at": AT / 1000,
    }
    row: dict[str, Any] = {**own, "tags": "ops,release", "metadata": '{"by": "ann"}'}
    gone = {"content": "x", "content_hash": "i", "deleted_at": 1.0}
    later = {"content": "y", "content_hash": "j", "superseded_by": "h"}
    file = database(tmp_path / "sqlite_vec.db", SERVICE, {"memories": [row, gone, later]})
    exported: dict[str, Any] = {
        "export_metadata": {},
        "memories": [{**own, "tags": ["ops", "release"], "metadata": {"by": "ann"}}],
    }
    (memory,) = items("mcp-memory-service", file)
    assert [memory] == items("mcp-memory-service", write_json(tmp_path, exported))
    assert isinstance(memory, MemoryToImport)
    assert (memory.tags, memory.metadata["by"]) == (("ops", "release", "decision"), "ann")
    assert [unit.left_out for unit in read("mcp-memory-service", file)][1:] == [
        "deleted there",
        "replaced there by a later memory",
    ]


def test_what_is_too_long_for_a_memory_becomes_a_turn(tmp_path: Path) -> None:
    (turn,) = items("mem0", write_json(tmp_path, [MEM0 | {"memory": "é" * 3000}]))
    assert isinstance(turn, TurnToImport)
    assert (turn.client_turn_id or "").startswith("mem0:")


def test_imported_twice_nothing_changes_and_secrets_do_not_come_along(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memories = [MEM0, MEM0 | {"id": "m2", "memory": f"The token is {secret}"}, {"id": "m3"}]
    ended = MEM0 | {"id": "m4", "memory": "Over", "expiration_date": "2024-01-01"}
    file = write_json(tmp_path, {"results": [*memories, ended]})
    result, first = run(tmp_path, "mem0", file)
    assert (result.exit_code, first["recorded"], first["unreadable"]) == (1, 2, 1)
    assert first["left_out"] == {"expired there": 1}
    _, again = run(tmp_path, "mem0", file)
    assert (again["unchanged"], again["recorded"]) == (1, 0)
    file.write_text(" " + file.read_text())
    _, anew = run(tmp_path, "mem0", file)
    assert (anew["known"], anew["recorded"]) == (2, 0)
    stored = b"".join(one.read_bytes() for one in (tmp_path / "data").glob("almanac.db*"))
    assert b"prefers tea" in stored
    assert secret.encode() not in stored


def call(folder: Path, tool: str, **arguments: Any) -> None:
    """Call a tool over the data folder that the commands write into."""
    clock = FixedClock(datetime.now(UTC))
    App.of(open_families(_services(folder, clock)), clock, Caller(HERE, "owner", key_id="key")).call(tool, **arguments)


def _store(folder: Path, clock: Clock) -> Store:
    return DataFolder(folder / "data").open_whole_store(clock)


def _services(folder: Path, clock: Clock) -> Services:
    return services_for(_store(folder, clock), clock)


def stored_records(folder: Path) -> list[Turn | Memory]:
    store = _store(folder, FixedClock(datetime.now(UTC)))
    return [*MEMORIES.within(store, HERE).every(), *TURNS.within(store, HERE).every()]


@pytest.mark.parametrize("days", [0, 31])
@pytest.mark.parametrize("content", ["Ann prefers tea", "Ann prefers tea. " * 300], ids=["memory", "turn"])
def test_what_was_forgotten_stays_forgotten_until_it_is_asked_for(content: str, days: int, tmp_path: Path) -> None:
    memories = [MEM0 | {"memory": content}, MEM0 | {"id": "m2", "memory": "Ben prefers coffee"}]
    _, first = run(tmp_path, "mem0", write_json(tmp_path, memories))
    assert first["recorded"] == 2
    call(tmp_path, "forget_memory", memory_id=next(one.id for one in stored_records(tmp_path) if "Ann" in one.content))
    purge_forgotten(_services(tmp_path, FixedClock(datetime.now(UTC) + timedelta(days=days))), HERE)
    assert ["Ann" in one.content for one in stored_records(tmp_path)].count(True) == (days == 0)

    changed = write_json(tmp_path, [*memories, MEM0 | {"id": "m3", "memory": "Cy prefers water"}])
    result, again = run(tmp_path, "mem0", changed)
    assert (result.exit_code, again["known"], again["recorded"]) == (0, 1, 1)
    assert again["left_out"] == {"forgotten here; --bring-back takes them": 1}
    _, back = run(tmp_path, "mem0", changed, "--bring-back")
    assert (back["known"], back["recorded"], back["left_out"]) == (2, 1, {})
    _, settled = run(tmp_path, "mem0", changed, "--bring-back")
    assert (settled["known"], settled["recorded"]) == (3, 0)


def test_what_was_rewritten_here_stays_as_it_is(tmp_path: Path) -> None:
    run(tmp_path, "mem0", write_json(tmp_path, [MEM0]))
    call(tmp_path, "context_update", memory_id=stored_records(tmp_path)[0].id, content="Ann prefers green tea")
    _, again = run(tmp_path, "mem0", write_json(tmp_path, [MEM0, MEM0 | {"id": "m2", "memory": "Ben prefers coffee"}]))
    assert (again["known"], again["recorded"]) == (1, 1)


def test_what_was_stopped_goes_on_and_what_came_later_is_added(tmp_path: Path) -> None:
    file = claude_mem(tmp_path / "claude-mem.db", prompts=150)
    result, tried = run(tmp_path, "claude-mem", file, "--dry-run")
    assert (result.exit_code, tried["turns"]) == (0, 153)
    _, first = run(tmp_path, "claude-mem", file)
    assert (first["recorded"], first["sessions"]) == (153, 1)
    with closing(sqlite3.connect(file)) as grown, grown:
        grown.execute("PRAGMA journal_mode = WAL")
        grown.execute("INSERT INTO user_prompts (content_session_id, prompt_text) VALUES ('c2', 'One more')")
        grown.commit()
        result, more = run(tmp_path, "claude-mem", file)
    assert (result.exit_code, more["known"], more["recorded"]) == (0, 153, 1)


@pytest.mark.parametrize("kind", ["claude-mem", "mcp-memory-service", "mem0"])
def test_files_that_are_broken_or_of_another_program_are_told(kind: str, tmp_path: Path) -> None:
    for name, content in (
        ("empty.db", b""),
        ("cut.db", b"SQLite format 3\0" + b"\xff" * 5000),
        ("page.json", b"<html></html>"),
        ("other.json", b'{"a": {"b": [1, 2]}}'),
        ("deep.json", b"[" * 100_000),
        ("cut.zip", b"PK\x03\x04cut"),
        ("cut.gz", gzip.compress(b'{"id": "1", "memory": "Kept"}\n' * 3)[:-6]),
    ):
        (tmp_path / name).write_bytes(content)
        result, _ = run(tmp_path, kind, tmp_path / name)
        assert result.exit_code == 1 or name == "empty.db", (name, result.output)
        assert "Traceback" not in result.output, name
    other = database(tmp_path / "other.db", "CREATE TABLE a (b TEXT)", {})
    result, told = run(tmp_path, kind, other)
    assert (result.exit_code, told["unreadable"]) == (1, 1)
    assert str(tmp_path) in told["problems"][0]


def test_a_tenant_is_still_restored_by_the_same_command(tmp_path: Path) -> None:
    result, _ = run(tmp_path, tmp_path / "none.jsonl")
    assert result.exit_code == 2
    assert "none.jsonl" in result.output
    result, _ = run(tmp_path, "memzero")
    assert (result.exit_code, "claude-mem, mcp-memory-service, mem0" in result.output) == (2, True)
    assert "claude-mem" in CliRunner().invoke(cli, ["import", "--help"]).stdout
    result, _ = run(tmp_path, "claude-mem", tmp_path / "none.db")
    assert result.exit_code == 2
