"""Test an import from files to memory: counts, names, and resuming."""

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.local.memory_import.formats import AUTO, files_in, format_of
from almanac.local.memory_import.importer import NAMED, Import, Report
from almanac.local.memory_import.progress import Positions, one_at_a_time
from tests.unit.local.memory_import.sources import (
    FakeMemory,
    claude_line,
    codex_message,
    codex_meta,
    conversation,
    file_of,
    message,
)


def lines(first: int, end: int) -> list[dict[str, str]]:
    return [{"content": f"Turn {number}", "client_turn_id": f"c{number}"} for number in range(first, end)]


def import_files(memory: FakeMemory, positions: Positions | None, *files: Path, session: str | None = None) -> Report:
    importing = Import(memory, positions, session=session)
    importing.read(files, AUTO)
    return importing.report


def positions_in(folder: Path, into: str = "default") -> Positions:
    return Positions(folder / "imports", into)


def test_turns_are_recorded_at_most_a_hundred_at_once(tmp_path: Path) -> None:
    memory, file = FakeMemory(), file_of(tmp_path, "a.jsonl", *lines(0, 250))
    report = import_files(memory, None, file)
    assert (report.files, report.turns, report.recorded, report.is_whole) == (1, 250, 250, True)
    assert memory.calls == [100, 100, 50]
    assert list(memory.turns) == [f"c{number}" for number in range(250)]


def test_a_long_conversation_is_recorded_in_parts(tmp_path: Path) -> None:
    messages = [message(f"m{number}", "user", f"Turn {number}") for number in range(230)]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([conversation("c1", *messages)]))
    memory = FakeMemory()
    assert import_files(memory, None, file).recorded == 230
    assert memory.calls == [100, 100, 30]


def test_large_contents_are_recorded_in_smaller_batches(tmp_path: Path) -> None:
    many = [{"content": f"{number}" + "x" * 60_000} for number in range(100)]
    memory = FakeMemory()
    assert import_files(memory, None, file_of(tmp_path, "a.jsonl", *many)).recorded == 100
    assert max(memory.calls) < 50


def test_imported_again_nothing_is_read_or_recorded_twice(tmp_path: Path) -> None:
    memory, file = FakeMemory(), file_of(tmp_path, "a.jsonl", *lines(0, 250))
    import_files(memory, positions_in(tmp_path), file)
    report = import_files(memory, positions_in(tmp_path), file)
    assert (report.unchanged, report.turns, len(memory.calls)) == (1, 0, 3)


def test_without_a_position_turns_are_known_by_their_ids(tmp_path: Path) -> None:
    memory, file = FakeMemory(), file_of(tmp_path, "a.jsonl", *lines(0, 250))
    import_files(memory, None, file)
    report = import_files(memory, None, file)
    assert (report.recorded, report.known, len(memory.turns)) == (0, 250, 250)


def test_only_what_was_added_is_recorded(tmp_path: Path) -> None:
    memory, file = FakeMemory(), file_of(tmp_path, "a.jsonl", *lines(0, 120))
    import_files(memory, positions_in(tmp_path), file)
    file_of(tmp_path, "a.jsonl", *lines(0, 130))
    report = import_files(memory, positions_in(tmp_path), file)
    assert (report.turns, report.recorded, report.known) == (10, 10, 0)


def test_a_line_that_was_being_written_is_read_when_it_is_whole(tmp_path: Path) -> None:
    memory, file = FakeMemory(), file_of(tmp_path, "a.jsonl", *lines(0, 2))
    whole = file.read_bytes()
    file.write_bytes(whole[:-12])
    assert import_files(memory, positions_in(tmp_path), file).unreadable == 1
    file.write_bytes(whole)
    assert import_files(memory, positions_in(tmp_path), file).recorded == 1
    assert list(memory.turns) == ["c0", "c1"]


def test_a_file_that_was_altered_before_is_read_anew(tmp_path: Path) -> None:
    memory, file = FakeMemory(), file_of(tmp_path, "a.jsonl", *lines(0, 5))
    import_files(memory, positions_in(tmp_path), file)
    file_of(tmp_path, "a.jsonl", *lines(3, 8))
    report = import_files(memory, positions_in(tmp_path), file)
    assert (report.recorded, report.known) == (3, 2)


def test_another_memory_has_a_position_of_its_own(tmp_path: Path) -> None:
    file = file_of(tmp_path, "a.jsonl", *lines(0, 5))
    import_files(FakeMemory(), positions_in(tmp_path, "one"), file)
    assert import_files(FakeMemory(), positions_in(tmp_path, "two"), file).recorded == 5


def test_a_damaged_position_is_no_position(tmp_path: Path) -> None:
    memory, file = FakeMemory(), file_of(tmp_path, "a.jsonl", *lines(0, 5))
    import_files(memory, positions_in(tmp_path), file)
    for kept in (tmp_path / "imports").iterdir():
        kept.write_bytes(b"\x00damaged")
    assert import_files(memory, positions_in(tmp_path), file).known == 5


def test_an_import_that_failed_goes_on_where_it_was(tmp_path: Path) -> None:
    file = file_of(tmp_path, "a.jsonl", *lines(0, 450))
    failing = Import(FakeMemory(fails_after=2), positions_in(tmp_path))
    with pytest.raises(Unavailable):
        failing.read([file], AUTO)
    assert failing.report.recorded == 200
    memory = FakeMemory()
    assert import_files(memory, positions_in(tmp_path), file).recorded == 250
    assert next(iter(memory.turns)) == "c200"


def test_an_import_that_was_interrupted_goes_on_where_it_was(tmp_path: Path) -> None:
    file, memory = file_of(tmp_path, "a.jsonl", *lines(0, 450)), FakeMemory()
    memory.interrupted_after = 3
    with pytest.raises(KeyboardInterrupt):
        Import(memory, positions_in(tmp_path)).read([file], AUTO)
    memory.interrupted_after = None
    assert import_files(memory, positions_in(tmp_path), file).recorded == 150
    assert len(memory.turns) == 450


def test_what_is_wrong_is_counted_and_the_first_of_it_named(tmp_path: Path) -> None:
    file = file_of(tmp_path, "a.jsonl", *lines(0, 1), *[b"{bad"] * 30, *lines(1, 3))
    memory = FakeMemory()
    memory.refusing = "Turn 2"
    report = import_files(memory, None, file)
    assert (report.recorded, report.refused, report.unreadable, report.is_whole) == (2, 1, 30, False)
    assert len(report.problems) == NAMED
    assert report.problems[0] == f"{file}, line 2: It is not JSON."


def test_what_the_memory_refuses_is_named_with_its_place(tmp_path: Path) -> None:
    memory = FakeMemory()
    memory.refusing = "Turn 1"
    file = file_of(tmp_path, "a.jsonl", *lines(0, 3))
    assert import_files(memory, None, file).problems == [f"{file}, line 2: It is not wanted."]


def test_nothing_is_recorded_when_only_trying(tmp_path: Path) -> None:
    file = file_of(tmp_path, "a.jsonl", *lines(0, 3), {"content": "x" * 70_000, "session_id": "s"})
    trying = Import(None, positions_in(tmp_path))
    trying.read([file], AUTO)
    assert (trying.report.turns, trying.report.recorded, trying.report.cut, trying.report.sessions) == (4, 0, 1, 1)
    assert not (tmp_path / "imports").exists()


def test_turns_without_a_session_get_the_one_that_is_given(tmp_path: Path) -> None:
    memory = FakeMemory()
    import_files(
        memory, None, file_of(tmp_path, "a.jsonl", {"content": "a"}, {"content": "b", "session_id": "s"}), session="t"
    )
    assert [turn.session_id for turn in memory.turns.values()] == ["t", "s"]


def test_progress_is_told_in_bytes_over_all_files(tmp_path: Path) -> None:
    files = [file_of(tmp_path, f"{number}.jsonl", *lines(0, 150)) for number in range(2)]
    told: list[int] = []
    Import(FakeMemory(), None, progress=told.append).read(files, AUTO)
    assert told == sorted(told)
    assert told[-1] == sum(file.stat().st_size for file in files)


def test_the_format_of_each_file_is_found(tmp_path: Path) -> None:
    files = {
        "jsonl": file_of(tmp_path, "own.jsonl", {"role": "user", "content": "x"}),
        "claude-code": file_of(
            tmp_path, "p/5c0f.jsonl", {"type": "summary", "summary": "x", "leafUuid": "u"}, claude_line("user", "x")
        ),
        "codex": file_of(tmp_path, "2026/rollout-1.jsonl", codex_meta(), codex_message("user", "x")),
        "chatgpt": file_of(tmp_path, "conversations.json", json.dumps([conversation("c")], indent=1).encode()),
    }
    assert {name: format_of(file, AUTO) for name, file in files.items()} == {name: name for name in files}
    assert format_of(file_of(tmp_path, "old.jsonl", {"id": "a", "timestamp": "t", "git": {}}), AUTO) == "codex"
    assert import_files(FakeMemory(), None, *files_in(tmp_path, AUTO)).files == 5


def test_a_file_of_an_unknown_format_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    unknown = file_of(tmp_path, "a.jsonl", {"some": "thing"})
    report = import_files(FakeMemory(), None, unknown, file_of(tmp_path, "b.jsonl", *lines(0, 1)))
    assert (report.files, report.recorded, report.unreadable) == (1, 1, 1)
    assert report.problems == [f"{unknown}: its format is not known; say it with --format."]


def test_an_empty_file_brings_nothing(tmp_path: Path) -> None:
    report = import_files(FakeMemory(), None, file_of(tmp_path, "a.jsonl"))
    assert (report.files, report.turns, report.is_whole) == (1, 0, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    file = file_of(tmp_path, "a.jsonl", *lines(0, 1))
    file.chmod(0)
    assert import_files(FakeMemory(), None, file).unreadable == 1


def test_a_file_that_went_away_is_named(tmp_path: Path) -> None:
    report = import_files(FakeMemory(), None, tmp_path / "gone.jsonl", file_of(tmp_path, "b.jsonl", *lines(0, 1)))
    assert (report.unreadable, report.recorded) == (1, 1)


def test_files_of_a_folder_are_those_of_its_format(tmp_path: Path) -> None:
    for name in ("b/rollout-2.jsonl", "a/rollout-1.jsonl", "a/notes.jsonl", "conversations.json", "user.json"):
        file_of(tmp_path, name)
    assert [file.name for file in files_in(tmp_path, "codex")] == ["rollout-1.jsonl", "rollout-2.jsonl"]
    assert [file.name for file in files_in(tmp_path, "chatgpt")] == ["conversations.json"]
    assert len(files_in(tmp_path, AUTO)) == 4


def test_a_folder_without_any_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="rollout"):
        files_in(tmp_path, "codex")


def test_a_second_import_into_a_project_says_that_it_waits_for_the_first(tmp_path: Path) -> None:
    said: list[str] = []
    with ExitStack() as first:
        first.enter_context(one_at_a_time(tmp_path, "shop", lambda: said.append("first")))
        with one_at_a_time(tmp_path, "another project", lambda: said.append("other")):
            assert said == []

        def waits() -> None:
            said.append("second")
            first.close()

        with one_at_a_time(tmp_path, "shop", waits):
            assert said == ["second"]
