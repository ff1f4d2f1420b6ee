"""Test reading git's files without git."""

from pathlib import Path

import pytest

from almanac.local.code_index.git import checkout_of, is_linked, public_address, repository_name
from tests.unit.local.code_index.trees import COMMIT, checkout, files


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("git@github.com:acme/web.git", "acme/web"),
        ("https://github.com/acme/web", "acme/web"),
        ("https://ann:secret@github.com/acme/web.git/", "acme/web"),
        ("ssh://git@gitlab.com:2222/group/sub/web.git", "group/sub/web"),
        ("git://example.org/web.git", "web"),
        ("/srv/git/web.git", "web"),
        ("../web.git", "web"),
        ("file:///srv/git/web.git", "web"),
        ("C:\\git\\web", "C:-git-web"),
        ("https://[broken", "here"),
        ("https://host/a b/wéb.git", "a-b/w-b"),
        ("", "here"),
        (None, "here"),
    ],
)
def test_a_repository_is_called_as_its_remote(address: str | None, name: str) -> None:
    assert repository_name(address, "here") == name


@pytest.mark.parametrize(("folder", "name"), [("my tree", "my-tree"), (".config", "config"), ("日本", "repository")])
def test_without_a_remote_it_is_called_as_its_folder(folder: str, name: str) -> None:
    assert repository_name(None, folder) == name


def test_a_long_name_is_cut_to_what_the_server_takes() -> None:
    assert repository_name(None, "x" * 300) == "x" * 100


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("https://ann:secret@github.com/acme/web.git", "https://github.com/acme/web.git"),
        ("https://host/web?token=1#x", "https://host/web"),
        ("git@github.com:acme/web.git", "git@github.com:acme/web.git"),
        ("/srv/git/web.git", None),
        ("file:///srv/web", None),
        (None, None),
    ],
)
def test_the_address_that_is_sent_has_no_password(address: str | None, public: str | None) -> None:
    assert public_address(address) == public


def test_the_commit_is_that_of_the_branch(tmp_path: Path) -> None:
    found = checkout_of(checkout(tmp_path))
    assert found is not None
    assert (found.commit, found.remote) == (COMMIT, "git@github.com:acme/web.git")


def test_a_detached_head_is_a_commit(tmp_path: Path) -> None:
    files(checkout(tmp_path), {".git/HEAD": "ab" * 20 + "\n"})
    assert getattr(checkout_of(tmp_path), "commit", None) == "ab" * 20


def test_a_packed_ref_is_found_and_a_loose_one_is_newer(tmp_path: Path) -> None:
    packed = f"# pack-refs with: peeled fully-peeled sorted\n{'cd' * 20} refs/heads/main\n^{'ef' * 20}\n"
    files(checkout(tmp_path), {".git/packed-refs": packed})
    assert getattr(checkout_of(tmp_path), "commit", None) == COMMIT
    (tmp_path / ".git/refs/heads/main").unlink()
    assert getattr(checkout_of(tmp_path), "commit", None) == "cd" * 20


@pytest.mark.parametrize("head", ["", "ref: refs/heads/new\n", "ref: ../../secret\n", "ref: HEAD\n", "nonsense"])
def test_a_head_that_leads_nowhere_is_no_commit(tmp_path: Path, head: str) -> None:
    files(checkout(tmp_path), {".git/HEAD": head})
    found = checkout_of(tmp_path)
    assert found is not None
    assert found.commit is None


def test_a_linked_working_tree_has_its_own_head_and_the_refs_of_its_repository(tmp_path: Path) -> None:
    main = checkout(tmp_path / "main")
    said = {"HEAD": "ref: refs/heads/topic\n", "commondir": "../..\n"}
    files(main / ".git/worktrees/topic", dict(said))
    files(main / ".git", {"refs/heads/topic": "77" * 20, "info/exclude": "x\n"})
    linked = files(tmp_path / "topic", {".git": f"gitdir: {main}/.git/worktrees/topic\n"})
    found = checkout_of(linked)
    assert found is not None
    assert (found.commit, found.remote) == ("77" * 20, "git@github.com:acme/web.git")
    assert found.exclude_file.read_text() == "x\n"
    assert is_linked(linked)


def test_a_submodule_is_a_part_and_a_checkout(tmp_path: Path) -> None:
    files(checkout(tmp_path), {".git/modules/lib/HEAD": "88" * 20})
    part = files(tmp_path / "lib", {".git": "gitdir: ../.git/modules/lib\n"})
    assert getattr(checkout_of(part), "commit", None) == "88" * 20
    assert not is_linked(part)


@pytest.mark.parametrize("link", ["", "nonsense", "gitdir: /nowhere\n"])
def test_a_file_that_leads_nowhere_makes_no_checkout(tmp_path: Path, link: str) -> None:
    assert checkout_of(files(tmp_path, {".git": link})) is None


def test_the_only_remote_counts_and_of_two_only_origin(tmp_path: Path) -> None:
    one = '[remote "up"]\n  URL = https://h/a/b ; no comment\n'
    files(checkout(tmp_path), {".git/config": '[remote "up"]\n  URL = "https://h/a/b"\n[branch "x"]\n url = no\n'})
    assert getattr(checkout_of(tmp_path), "remote", None) == "https://h/a/b"
    files(tmp_path, {".git/config": one + '[remote "other"]\n  url = https://h/c\n'})
    assert getattr(checkout_of(tmp_path), "remote", "") is None
