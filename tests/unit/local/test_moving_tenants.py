"""`almanac export`, `almanac import` and `almanac audit`, as typed."""

import json
import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from almanac.families.planner.core.note_records import NOTE_TEXTS, NoteText
from almanac.identity.audit import AUDIT, AuditEntry
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import AlmanacError
from almanac.kernel.ids import ulid
from almanac.local.commands.audit import audit
from almanac.local.commands.export import export
from almanac.local.commands.import_ import import_
from almanac.local.data_folder import DataFolder
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.large_values import LargeValues


class DataFolders:
    """Two data folders; `here` has the tenant acme with ten notes, one of them large."""

    def __init__(self, path: Path) -> None:
        self.here, self.there, self.file = path / "here", path / "there", path / "acme.jsonl"
        self.store = DataFolder(self.here).open_store(SystemClock())
        Tenants(self.store, SystemClock()).create("acme")
        whole = LargeValues(self.store, FolderBlobs(self.here / "blobs"), os.urandom)
        notes = NOTE_TEXTS.within(whole, Scope("acme", "default"))
        whole.write([notes.insert(NoteText(id=f"n{each}", body="short")) for each in range(9)])
        whole.write([notes.insert(NoteText(id="large", body="long " * 100_000))])

    def run(self, command: click.Command, *arguments: str, at: Path | None = None, given: bytes = b"") -> Result:
        options = ["--data", str(at or self.here)]
        return CliRunner().invoke(command, [*arguments, *options], input=given, catch_exceptions=True)

    def export(self, *options: str) -> Result:
        return self.run(export, "acme", str(self.file), *options)

    def restore(self, *options: str) -> Result:
        return self.run(import_, str(self.file), "--trust", *options, at=self.there)


@pytest.fixture
def folders(tmp_path: Path) -> DataFolders:
    return DataFolders(tmp_path)


def _refusal(result: Result) -> AlmanacError:
    assert isinstance(result.exception, AlmanacError)
    return result.exception


def test_a_tenant_moves_from_one_folder_to_another(folders: DataFolders):
    exported = folders.export("--json")
    restored = folders.restore("--json")

    assert json.loads(exported.stdout) == {
        "tenant": "acme",
        "file": str(folders.file),
        "items": 11,
        "blobs": 1,
        "keys": 0,
    }
    assert json.loads(restored.stdout) == {"tenant": "acme", "items": 11, "blobs": 1, "keys": 0, "already": False}
    assert "almanac keys issue --tenant acme" in restored.stderr
    assert json.loads(folders.restore("--json").stdout)["already"] is True


def test_progress_is_told_beside_what_is_printed(folders: DataFolders):
    exported = folders.export()

    assert "Exporting acme" in exported.stderr
    assert "Exporting" not in exported.stdout
    assert "items" in exported.stdout


def test_a_tenant_moves_through_a_pipe(folders: DataFolders):
    exported = folders.run(export, "acme", "-")
    restored = folders.run(import_, "-", "--trust", "--into", "birch", at=folders.there, given=exported.stdout_bytes)

    assert exported.stdout_bytes.startswith(b'{"kind":"tenant"')
    assert "items 11" in exported.stderr
    assert restored.exit_code == 0, restored.stderr
    assert Tenants(DataFolder(folders.there).open_store(SystemClock()), SystemClock()).exists("birch")


def test_the_file_is_its_owners_only(folders: DataFolders):
    folders.export()

    assert folders.file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_exists_is_replaced_only_when_that_is_wanted(folders: DataFolders):
    folders.file.write_text("mine")

    assert "exists" in _refusal(folders.export()).message
    assert folders.file.read_text() == "mine"
    assert folders.export("--force").exit_code == 0
    assert folders.file.read_text() != "mine"


def test_an_export_that_fails_leaves_no_file(folders: DataFolders):
    result = folders.run(export, "nobody", str(folders.file))

    assert "There is no tenant nobody" in _refusal(result).message
    assert sorted(each.name for each in folders.file.parent.iterdir()) == ["here"]


def test_a_place_that_cannot_be_written_is_named(folders: DataFolders):
    result = folders.run(export, "acme", str(folders.file.parent / "missing" / "acme.jsonl"))

    assert "cannot be written: No such file or directory" in _refusal(result).message


def test_a_missing_file_ends_with_status_two(folders: DataFolders):
    result = folders.restore()

    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_a_damaged_file_is_refused_by_its_line(folders: DataFolders):
    folders.export()
    lines = folders.file.read_bytes().splitlines(keepends=True)
    folders.file.write_bytes(b"".join([*lines[:6], lines[6].replace(b"short", b"other"), *lines[7:]]))

    assert _refusal(folders.restore()).message.startswith("Line 7: it was changed")


def test_keys_move_when_they_are_asked_for(folders: DataFolders):
    ApiKeys(folders.store, SystemClock(), os.urandom).issue(Grant(tenant="acme", project="default", actor="ann"))

    folders.export("--keys")

    assert json.loads(folders.restore("--json").stdout)["keys"] == 1


def _record(folders: DataFolders, count: int) -> None:
    rows = AUDIT.within(folders.store, Scope("acme", ""))
    for number in range(1, count + 1):
        at = int(SystemClock().now().timestamp() * 1000) + number
        entry = AuditEntry(
            id=ulid(at, os.urandom),
            at=at,
            actor="ann",
            key_id="k",
            project="default",
            tool=f"tool_{number}",
            outcome="done",
            duration_ms=1.5,
            expires_at=at + 100_000,
        )
        folders.store.write([rows.insert(entry)])


def test_the_audit_trail_is_listed_newest_first_page_by_page(folders: DataFolders):
    _record(folders, 5)

    first = folders.run(audit, "--tenant", "acme", "--limit", "3", "--json")
    entries = json.loads(first.stdout)
    second = folders.run(audit, "--tenant", "acme", "--limit", "3", "--before", entries[-1]["id"], "--json")

    assert [each["tool"] for each in entries] == ["tool_5", "tool_4", "tool_3"]
    assert f"--before {entries[-1]['id']}" in first.stderr
    assert [each["tool"] for each in json.loads(second.stdout)] == ["tool_2", "tool_1"]
    assert second.stderr == ""


def test_the_audit_trail_is_a_table_for_people(folders: DataFolders):
    _record(folders, 1)

    lines = folders.run(audit, "--tenant", "acme").stdout.splitlines()

    assert lines[0].split() == ["AT", "ACTOR", "KEY_ID", "PROJECT", "TOOL", "SUBJECT", "OUTCOME", "CODE", "DURATION_MS"]
    assert lines[1].split()[1:] == ["ann", "k", "default", "tool_1", "-", "done", "-", "1.5"]


def test_the_trail_of_nobody_is_refused(folders: DataFolders):
    assert "There is no tenant nobody" in _refusal(folders.run(audit, "--tenant", "nobody")).message
