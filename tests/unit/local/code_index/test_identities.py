"""Two folders of one name are two repositories, wherever they are moved to."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from almanac.local.client.tool_calls import Answer
from almanac.local.code_index.identities import Identities
from almanac.local.code_index.server import IndexServer
from almanac.local.code_index.tree_indexer import TreeIndexer
from tests.unit.local.code_index.trees import MemoryIndex, checkout, files

ONE: dict[str, str | bytes] = {"a.py": "a = 1\n", "b.py": "b = 1\n"}
TWO: dict[str, str | bytes] = {"a.py": "a = 'other'\n", "c.py": "c = 1\n"}
MARKED = "web-abcdef"


class Server:
    """A server of several repositories, which are made when files come."""

    def __init__(self) -> None:
        self.indexes: dict[str, MemoryIndex] = {}
        self.urls: dict[str, str] = {}

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        repo_id = arguments.get("repo_id", "")
        index = self.indexes.get(repo_id, MemoryIndex())
        if tool == "index_files":
            self.indexes[repo_id] = index
            self.urls |= {repo_id: arguments["url"]} if "url" in arguments else {}
        answer = index.call(tool, {"repo_id": repo_id, **arguments})
        if tool != "list_files":
            return answer
        known = [{"repo_id": each} | ({"url": self.urls[each]} if each in self.urls else {}) for each in self.indexes]
        return Answer("", {**(answer.structured), "repositories": known}, is_error=False)

    @property
    def texts(self) -> dict[str, Mapping[str, str | bytes]]:
        return {name: index.texts for name, index in self.indexes.items()}


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def bring(server: Server, tmp_path: Path) -> Callable[..., str]:
    """Index a folder, and return the repository's name."""

    def send_tree(root: Path, *, send: bool = True, key: str = "key", state: str = "state.json") -> str:
        identities = Identities(tmp_path / state, "http://here", key, lambda count: b"\xab\xcd\xef"[:count])
        indexing = TreeIndexer(root, IndexServer(server, "", pause=lambda _: None), None, identities=identities)
        indexing.look()
        indexing.compare(lambda _: None)
        if send:
            indexing.send(lambda _: None)
        return indexing.report.repo_id

    return send_tree


def test_two_folders_of_one_name_are_two_repositories(
    server: Server, bring: Callable[..., str], tmp_path: Path
) -> None:
    one, two = files(tmp_path / "x" / "web", ONE), files(tmp_path / "y" / "web", TWO)
    assert [bring(one), bring(two), bring(one), bring(two)] == ["web", MARKED, "web", MARKED]
    assert server.texts == {"web": ONE, MARKED: TWO}


def test_a_folder_that_is_moved_or_called_otherwise_stays_itself(
    server: Server, bring: Callable[..., str], tmp_path: Path
) -> None:
    one, two = files(tmp_path / "x" / "web", ONE), files(tmp_path / "y" / "web", TWO)
    bring(one)
    bring(two)
    moved = tmp_path / "z" / "shop"
    moved.parent.mkdir()
    two.rename(moved)
    files(moved, {"d.py": "d = 1\n"})
    assert bring(moved) == MARKED
    assert server.texts[MARKED] == TWO | {"d.py": "d = 1\n"}
    assert bring(files(tmp_path / "y" / "web", {"new.py": "n = 1\n"})) not in ("web-x", "web")
    assert server.texts["web"] == ONE


def test_another_folder_in_the_place_of_one_is_another_repository(
    server: Server, bring: Callable[..., str], tmp_path: Path
) -> None:
    one = files(tmp_path / "web", ONE)
    bring(one)
    one.rename(tmp_path / "away")
    assert bring(files(tmp_path / "web", TWO)) == MARKED
    assert server.texts["web"] == ONE
    assert bring(tmp_path / "away") == "web"


def test_a_copy_is_another_repository(server: Server, bring: Callable[..., str], tmp_path: Path) -> None:
    one = files(tmp_path / "x" / "web", ONE)
    bring(one)
    copy = Path(shutil.copytree(one, tmp_path / "y" / "web"))
    assert bring(copy) == MARKED
    assert server.texts == {"web": ONE, MARKED: ONE}


@pytest.mark.parametrize("changed", [{}, {"c.py": "c = 2\n"}, {"a.py": "a = 2\n"}])
def test_an_index_of_an_earlier_version_keeps_its_name(
    server: Server, bring: Callable[..., str], tmp_path: Path, changed: dict[str, str | bytes]
) -> None:
    server.call("index_files", {"repo_id": "web", "files": [], "removed": [], "complete": True})
    server.indexes["web"].texts = {path: str(text) for path, text in ONE.items()}
    assert bring(files(tmp_path / "x" / "web", ONE | changed)) == "web"
    assert bring(files(tmp_path / "y" / "web", TWO)) == MARKED
    assert list(server.indexes) == ["web", MARKED]


def test_what_is_lost_or_of_another_key_is_known_by_the_files(
    server: Server, bring: Callable[..., str], tmp_path: Path
) -> None:
    one, two = files(tmp_path / "x" / "web", ONE), files(tmp_path / "y" / "web", TWO)
    bring(one)
    bring(two)
    for more in ({"key": "another"}, {"state": "lost.json"}):
        assert [bring(two, **more), bring(one, **more)] == [MARKED, "web"]
    (tmp_path / "state.json").write_bytes(b"{")
    assert bring(two) == MARKED


def test_a_dry_run_keeps_nothing(server: Server, bring: Callable[..., str], tmp_path: Path) -> None:
    assert bring(files(tmp_path / "web", ONE), send=False) == "web"
    assert not (tmp_path / "state.json").exists()
    assert not server.indexes


def test_a_repository_with_a_remote_is_not_that_of_a_folder(
    server: Server, bring: Callable[..., str], tmp_path: Path
) -> None:
    assert bring(checkout(files(tmp_path / "x" / "web", ONE), "https://example.org/web.git")) == "web"
    assert server.urls == {"web": "https://example.org/web.git"}
    assert bring(files(tmp_path / "y" / "web", TWO)) == MARKED


def test_remotes_of_this_machine_tell_nothing_apart(server: Server, bring: Callable[..., str], tmp_path: Path) -> None:
    assert bring(checkout(files(tmp_path / "x" / "a", ONE), "/srv/one/web.git")) == "web"
    assert bring(checkout(files(tmp_path / "y" / "b", TWO), "/srv/two/web.git")) == MARKED


def test_where_nothing_can_be_kept_the_folder_is_indexed_and_known_by_its_files(
    server: Server, bring: Callable[..., str], tmp_path: Path
) -> None:
    files(tmp_path, {"file": "no folder"})
    one, two = files(tmp_path / "x" / "web", ONE), files(tmp_path / "y" / "web", TWO)
    for _ in range(2):
        assert [bring(one, state="file/state.json"), bring(two, state="file/state.json")] == ["web", MARKED]
