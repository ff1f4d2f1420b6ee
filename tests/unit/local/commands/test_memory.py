"""`almanac memory import`, as typed."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from almanac.composition.services import services_for
from almanac.families.memory.core.records import TURNS, Turn
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.local.commands.files.memory import memory
from almanac.local.commands.tenants import tenants
from almanac.local.data_folder import DataFolder
from almanac.search.questions.port import Search, SearchRequest
from tests.unit.local.memory_import.sources import (
    AT_MS,
    claude_line,
    codex_message,
    codex_meta,
    conversation,
    file_of,
    message,
)

HERE = Scope("default", "default")
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Folder:
    """A data folder with the command over it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *arguments: str | Path) -> Result:
        return CliRunner().invoke(memory, ["import", *map(str, arguments), "--data", str(self.path)])

    def counts(self, *arguments: str | Path, status: int = 0) -> dict[str, Any]:
        done = self.run(*arguments, "--json")
        assert done.exit_code == status, (done.output, done.exception)
        return json.loads(done.stdout)

    def turns(self, scope: Scope = HERE) -> list[Turn]:
        store = DataFolder(self.path).open_whole_store(SystemClock())
        return list(TURNS.within(store, scope).every(index="gsi1"))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "data")


def test_a_transcript_becomes_turns_of_the_default_project(folder: Folder, tmp_path: Path) -> None:
    file = file_of(tmp_path, "5c0f.jsonl", claude_line("user", "Why?"), claude_line("assistant", "Because.", uuid="u2"))
    counts = folder.counts(file)
    assert (counts["files"], counts["turns"], counts["recorded"], counts["sessions"]) == (1, 2, 2, 1)
    turns = folder.turns()
    assert sorted((turn.role, turn.content) for turn in turns) == [("assistant", "Because."), ("user", "Why?")]
    assert {(turn.at, turn.actor, turn.tool, turn.session) for turn in turns} == {
        (AT_MS, "owner", "claude-code", "5c0f")
    }
    assert turns[0].recorded_at > AT_MS


def test_every_format_of_a_folder_is_imported_once(folder: Folder, tmp_path: Path) -> None:
    own, home = {"content": "Own", "session_id": "s"}, tmp_path / "home"
    file_of(home, "projects/a/5c0f.jsonl", claude_line("user", "Claude"))
    file_of(home, "sessions/2026/rollout-1.jsonl", codex_meta(), codex_message("user", "Codex"))
    file_of(home, "own.jsonl", own)
    file_of(home, "conversations.json", json.dumps([conversation("c", message("m", "user", "Chat"))]).encode())
    assert folder.counts(home)["recorded"] == 4
    again = folder.counts(home)
    assert (again["unchanged"], again["recorded"]) == (4, 0)
    assert sorted(turn.content for turn in folder.turns()) == ["Chat", "Claude", "Codex", "Own"]


def test_a_copy_of_a_conversation_brings_nothing_new(folder: Folder, tmp_path: Path) -> None:
    lines = [claude_line("user", f"Turn {number}", uuid=f"u{number}") for number in range(150)]
    assert folder.counts(file_of(tmp_path, "a.jsonl", *lines))["recorded"] == 150
    resumed = [{**line, "sessionId": "resumed"} for line in lines]
    counts = folder.counts(file_of(tmp_path, "b.jsonl", *resumed, claude_line("user", "New", uuid="new")))
    assert (counts["known"], counts["recorded"], counts["refused"]) == (150, 1, 0)
    assert len(folder.turns()) == 151


def test_secrets_are_taken_out(folder: Folder, tmp_path: Path) -> None:
    folder.counts(file_of(tmp_path, "a.jsonl", {"content": f"The token is {SECRET} today."}))
    (turn,) = folder.turns()
    assert SECRET not in turn.content
    assert turn.redacted


def test_what_was_imported_is_found(folder: Folder, tmp_path: Path) -> None:
    folder.counts(file_of(tmp_path, "a.jsonl", {"content": "The zeppelin leaves on Tuesday."}))
    services = services_for(DataFolder(folder.path).open_whole_store(SystemClock()), SystemClock())
    hits = services.get(Search).search(HERE, SearchRequest(text="zeppelin", profile="talk", limit=5)).hits
    assert [hit.id for hit in hits] == [folder.turns()[0].id]


def test_another_tenant_gets_its_own(folder: Folder, tmp_path: Path) -> None:
    created = CliRunner().invoke(tenants, ["create", "acme", "--data", str(folder.path)])
    assert created.exit_code == 0, created.output
    file = file_of(tmp_path, "a.jsonl", {"content": "For acme"})
    assert folder.counts(file, "--tenant", "acme", "--actor", "bob")["recorded"] == 1
    assert folder.turns() == []
    assert [turn.actor for turn in folder.turns(Scope("acme", "default"))] == ["bob"]
    assert folder.counts(file)["recorded"] == 1


def test_a_project_that_is_not_there_is_refused(folder: Folder, tmp_path: Path) -> None:
    done = folder.run(file_of(tmp_path, "a.jsonl", {"content": "x"}), "--project", "nowhere")
    assert isinstance(done.exception, NotFound)


def test_what_is_wrong_is_named_and_the_rest_imported(folder: Folder, tmp_path: Path) -> None:
    file = file_of(tmp_path, "a.jsonl", {"content": "Good"}, b"{bad", {"content": "Early", "occurred_at": -5})
    done = folder.run(file)
    assert done.exit_code == 1
    assert f"{file}, line 2: It is not JSON." in done.stderr
    assert f"{file}, line 3: " in done.stderr
    assert [turn.content for turn in folder.turns()] == ["Good"]


def test_a_dry_run_writes_nothing(folder: Folder, tmp_path: Path) -> None:
    counts = folder.counts(file_of(tmp_path, "a.jsonl", {"content": "x", "session_id": "s"}), "--dry-run")
    assert (counts["turns"], counts["sessions"]) == (1, 1)
    assert "recorded" not in counts
    assert not folder.path.exists()


def test_the_format_may_be_said(folder: Folder, tmp_path: Path) -> None:
    file = file_of(tmp_path, "a.jsonl", {"some": "thing"})
    assert folder.counts(file, status=1)["problems"] == [f"{file}: its format is not known; say it with --format."]
    assert folder.counts(file, "--format", "claude-code")["turns"] == 0


def test_a_session_is_given_to_turns_without_one(folder: Folder, tmp_path: Path) -> None:
    folder.counts(file_of(tmp_path, "a.jsonl", {"content": "a"}, {"content": "b"}), "--session", "talk")
    assert [(turn.session, turn.position) for turn in folder.turns()] == [("talk", 0), ("talk", 1)]


def test_a_huge_turn_is_cut_and_told_of(folder: Folder, tmp_path: Path) -> None:
    counts = folder.counts(file_of(tmp_path, "a.jsonl", {"content": "words " * 20_000}))
    assert (counts["recorded"], counts["cut"]) == (1, 1)
    assert folder.turns()[0].metadata == {"cut_from_bytes": 120_000}
