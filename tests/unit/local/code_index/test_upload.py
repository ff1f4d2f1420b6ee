"""Test that exactly the changes of a tree are sent, and servers that are away, busy or refusing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from almanac.kernel.errors import InvalidInput, NotFound, Unavailable
from almanac.local.client.patient_calls import ServerRefusal
from almanac.local.client.tool_calls import Answer, Failed
from almanac.local.code_index.server import IndexServer
from almanac.local.code_index.tree_indexer import TreeIndexer
from almanac.local.code_index.upload import FILES_AT_ONCE, MOST_REJECTED
from tests.unit.local.code_index.trees import COMMIT, MemoryIndex, away, checkout, files


def quiet(_: Any) -> None:
    pass


def send_tree(
    root: Path, index: MemoryIndex, repo: str | None = None, pause: Callable[[float], None] = quiet
) -> TreeIndexer:
    indexing = TreeIndexer(root, IndexServer(index, "", pause=pause), repo)
    indexing.look()
    indexing.compare(quiet)
    indexing.send(quiet)
    return indexing


def tool_error(text: str) -> Answer:
    return Answer(text, None, is_error=True)


def test_a_tree_is_sent_once_and_then_only_what_changed(tmp_path: Path) -> None:
    index = MemoryIndex()
    root = checkout(files(tmp_path, {"a.py": "a = 1\n", "src/b.py": "b = 1\n", "gone.py": "x"}))
    report = send_tree(root, index).report
    assert (report.repo_id, report.commit, report.sent, report.complete) == ("acme/web", COMMIT, 3, True)
    assert (index.commit, index.url) == (COMMIT, "git@github.com:acme/web.git")
    files(root, {"a.py": "a = 2\n", "new.py": "n"})
    (root / "gone.py").unlink()
    index.calls.clear()
    report = send_tree(root, index).report
    assert (report.changed, report.sent, report.unchanged, report.removed) == (2, 2, 1, 1)
    assert index.texts == {"a.py": "a = 2\n", "src/b.py": "b = 1\n", "new.py": "n"}
    assert index.sent_paths() == [["a.py", "new.py"]]


def test_what_an_earlier_version_analysed_is_sent_again(tmp_path: Path) -> None:
    index = MemoryIndex()
    root = checkout(files(tmp_path, {"a.py": "a = 1\n", "src/b.py": "b = 1\n"}))
    send_tree(root, index)
    index.outdated = {"src/b.py"}
    index.calls.clear()
    report = send_tree(root, index).report
    assert (report.changed, report.sent, report.unchanged, report.removed) == (1, 1, 1, 0)
    assert index.sent_paths() == [["src/b.py"]]


def test_where_nothing_changed_the_index_is_told_that_it_is_complete(tmp_path: Path) -> None:
    index = MemoryIndex()
    send_tree(checkout(files(tmp_path, {"a.py": "a"})), index)
    files(tmp_path, {".git/refs/heads/main": "ab" * 20})
    index.calls.clear()
    assert send_tree(tmp_path, index).report.complete
    assert (index.sent_paths(), index.complete, index.commit) == ([[]], 2, "ab" * 20)


def test_without_git_there_is_no_commit_and_the_folder_names_it(tmp_path: Path) -> None:
    index = MemoryIndex()
    report = send_tree(files(tmp_path / "web", {"a.py": "a"}), index).report
    assert (report.repo_id, report.commit, report.complete) == ("web", None, True)


def test_a_part_of_a_checkout_is_not_taken_for_all_of_it(tmp_path: Path) -> None:
    checkout(files(tmp_path, {"src/a.py": "a"}))
    with pytest.raises(InvalidInput, match="lies inside the working tree"):
        TreeIndexer(tmp_path / "src", IndexServer(MemoryIndex(), "", pause=quiet), None)
    assert send_tree(tmp_path / "src", MemoryIndex(), "acme/src").report.files == 1


@pytest.mark.parametrize("repo", ["", "-x", "a b", "x" * 101])
def test_a_name_that_the_server_does_not_take_is_refused_at_once(tmp_path: Path, repo: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be the name of a repository"):
        TreeIndexer(tmp_path, IndexServer(MemoryIndex(), "", pause=quiet), repo)


def test_many_files_go_in_portions_and_only_the_last_completes(tmp_path: Path) -> None:
    index = MemoryIndex()
    send_tree(files(tmp_path, {f"{number:04}.py": str(number) for number in range(2 * FILES_AT_ONCE + 5)}), index)
    assert [len(each) for each in index.sent_paths()] == [FILES_AT_ONCE, FILES_AT_ONCE, 5]
    assert [said["complete"] for tool, said in index.calls if tool == "index_files"] == [False, False, True]
    index.calls.clear()
    (tmp_path / "0000.py").unlink()
    assert send_tree(tmp_path, index).report.unchanged == 2 * FILES_AT_ONCE + 4


def test_large_files_go_a_few_at_a_time(tmp_path: Path) -> None:
    index = MemoryIndex()
    send_tree(files(tmp_path, {f"{number}.py": "# x\n" * 100_000 for number in range(5)}), index)
    assert [len(each) for each in index.sent_paths()] == [2, 2, 1]


def test_what_the_server_had_no_time_for_is_sent_again(tmp_path: Path) -> None:
    index = MemoryIndex(slow=3)
    report = send_tree(files(tmp_path, {f"{number}.py": "x" for number in range(10)}), index).report
    assert (report.sent, report.refused, report.complete, len(index.texts)) == (10, 0, True, 10)
    assert index.complete == 1


def test_a_file_that_is_refused_is_told_and_the_rest_is_complete(tmp_path: Path) -> None:
    index = MemoryIndex()
    index.refuses = {"odd.py"}
    report = send_tree(files(tmp_path, {"a.py": "a", "odd.py": "o"}), index).report
    assert (report.sent, report.refused, report.complete, report.is_whole) == (1, 1, True, False)
    assert report.problems == ["odd.py: It is odd."]


def test_a_file_that_the_server_fails_on_does_not_keep_the_others_out(tmp_path: Path) -> None:
    index = MemoryIndex()

    def fails(tool: str, said: Any) -> Answer | None:
        bad = tool == "index_files" and any(file["path"] == "bad.py" for file in said["files"])
        return tool_error("Internal error, reference 1.") if bad else None

    index.texts = {"old.py": "x"}
    index.before = fails
    report = send_tree(files(tmp_path, {"a.py": "a", "bad.py": "b", "c.py": "c"}), index).report
    assert sorted(index.texts) == ["a.py", "c.py"]
    assert (report.sent, report.refused, report.removed, report.complete) == (2, 1, 1, True)
    assert report.problems == ["bad.py: Internal error, reference 1."]


def test_a_server_that_fails_on_everything_is_not_asked_for_every_file(tmp_path: Path) -> None:
    index = MemoryIndex()
    index.before = lambda tool, _: tool_error("Internal error.") if tool == "index_files" else None
    with pytest.raises(ServerRefusal, match="Internal error"):
        send_tree(files(tmp_path, {f"{number}.py": "x" for number in range(100)}), index)
    assert len(index.sent_paths()) == MOST_REJECTED + 2


def test_a_limit_is_waited_for_as_long_as_the_server_says(tmp_path: Path) -> None:
    index, waited = MemoryIndex(), list[float]()
    refusals = [Failed("Too many.", 1, passing=True, retry_after=7)] * 9

    def refuse(_tool: str, _said: Any) -> Answer | None:
        if refusals:
            raise refusals.pop()
        return None

    index.before = refuse
    assert send_tree(files(tmp_path, {"a.py": "a"}), index, pause=waited.append).report.complete
    assert waited == [7] * 9


def test_a_server_that_comes_back_is_waited_for_and_one_that_does_not_ends_it(tmp_path: Path) -> None:
    index, waited = MemoryIndex(), list[float]()
    root = files(tmp_path, {"a.py": "a"})
    outages = [away(), away()]

    def fail(_tool: str, _said: Any) -> Answer | None:
        if outages:
            raise outages.pop()
        return None

    index.before = fail
    assert send_tree(root, index, pause=waited.append).report.complete
    outages += [away() for _ in range(5)]
    with pytest.raises(Unavailable, match="repeat the command to continue"):
        send_tree(root, index, pause=waited.append)
    assert waited == [0.5, 2.0, 0.5, 2.0, 5.0, 10.0]


def test_what_will_not_pass_is_not_repeated(tmp_path: Path) -> None:
    def forbidden(_tool: str, _said: Any) -> Answer | None:
        raise Failed("The API key is not valid.", 1)

    index = MemoryIndex()
    index.before = forbidden
    with pytest.raises(ServerRefusal, match="not valid"):
        send_tree(files(tmp_path, {"a.py": "a"}), index)
    assert len(index.calls) == 1


def test_stopped_in_the_middle_it_goes_on_where_it_was(tmp_path: Path) -> None:
    index = MemoryIndex()
    root = files(tmp_path, {f"{number:04}.py": "x" for number in range(FILES_AT_ONCE + 10)})

    def interrupt(_tool: str, said: Any) -> Answer | None:
        if len(index.texts) == FILES_AT_ONCE and not said.get("cursor"):
            raise KeyboardInterrupt
        return None

    index.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        send_tree(root, index)
    index.before = lambda _tool, _said: None
    report = send_tree(root, index).report
    assert (report.unchanged, report.sent, report.complete) == (FILES_AT_ONCE, 10, True)


def test_texts_are_read_as_the_server_keeps_them_and_what_is_none_is_left_out(tmp_path: Path) -> None:
    index = MemoryIndex()
    texts: dict[str, str | bytes] = {
        "mark.py": b"\xef\xbb\xbfa = 1\n",
        "wide.cs": "a".encode("utf-16"),
        "latin.py": b"# caf\xe9\na = 1\n",
        "zero.py": b"a\0b",
        "made.py": "# Code generated by x. DO NOT EDIT.\n",
    }
    report = send_tree(files(tmp_path, texts), index).report
    assert index.texts == {"mark.py": "a = 1\n", "wide.cs": "a", "latin.py": "# caf\ufffd\na = 1\n"}
    assert report.left_out == {"binary": 1, "generated": 1}
    assert send_tree(tmp_path, index).report.changed == 0


def test_an_empty_folder_does_not_empty_the_index(tmp_path: Path) -> None:
    index = MemoryIndex()
    index.texts = {"a.py": "a"}
    with pytest.raises(InvalidInput, match="almanac code remove"):
        send_tree(tmp_path, index)
    assert index.texts == {"a.py": "a"}


def test_what_cannot_be_read_stays_in_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = MemoryIndex()
    index.texts = {"a.py": "a", "locked.py": "old", "gone.py": "x"}
    files(tmp_path, {"a.py": "a", "locked.py": "new"})
    opened: Any = Path.open

    def open_unless_locked(path: Path, *arguments: Any, **more: Any) -> Any:
        if path.name == "locked.py":
            raise PermissionError
        return opened(path, *arguments, **more)

    monkeypatch.setattr(Path, "open", open_unless_locked)
    report = send_tree(tmp_path, index).report
    assert index.texts == {"a.py": "a", "locked.py": "old"}
    assert (report.left_out, report.problems) == ({"unreadable": 1}, ["locked.py: It cannot be read."])
    assert not report.is_whole


def test_a_repository_is_removed_to_its_last_file() -> None:
    index = MemoryIndex()
    answers = [{"removed": 3, "more": False}, {"removed": 1000, "more": True}]
    index.before = lambda _tool, _said: Answer("", answers.pop(), is_error=False)
    assert IndexServer(index, "acme/web", pause=quiet).remove() == 1003
    index.before = lambda _tool, _said: tool_error("not_found: The repository 'x' is not indexed.")
    with pytest.raises(NotFound, match="is not indexed"):
        IndexServer(index, "x", pause=quiet).remove()
