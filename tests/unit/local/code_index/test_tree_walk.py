"""Which files of a tree are for the index, and why the others are not."""

import os
from pathlib import Path

import pytest

from almanac.local.code_index.git import GitUser
from almanac.local.code_index.tree_walk import Tree
from tests.unit.local.code_index.trees import checkout, files


def walk(root: Path) -> tuple[list[str], dict[str, int]]:
    found = Tree(root).walk()
    return sorted(found.files), dict(found.left_out)


def test_every_file_is_found_by_its_path(tmp_path: Path) -> None:
    files(tmp_path, {"a.py": "", "src/b.py": "x", "src/deep/er/c.py": "y", ".github/w.yml": "z"})
    assert walk(tmp_path) == ([".github/w.yml", "a.py", "src/b.py", "src/deep/er/c.py"], {})


def test_rules_of_every_folder_count_below_it(tmp_path: Path) -> None:
    said: dict[str, str | bytes] = {".gitignore": "*.log\n/out/\n", "src/.gitignore": "!keep.log\ngen\n"}
    texts: dict[str, str | bytes] = dict.fromkeys(
        ["a.log", "out/x.py", "src/out/x.py", "src/keep.log", "src/a.log", "src/gen/x.py", "gen/x.py"], "x"
    )
    paths, left_out = walk(files(tmp_path, said | texts))
    assert paths == [".gitignore", "gen/x.py", "src/.gitignore", "src/keep.log", "src/out/x.py"]
    assert left_out == {"ignored": 4}


def test_git_s_own_excludes_and_those_for_almanac_count_too(tmp_path: Path) -> None:
    said: dict[str, str | bytes] = {".git/info/exclude": "mine.py\n", ".almanacignore": "data/\n!kept.py\n"}
    files(checkout(tmp_path), said | {".gitignore": "kept.py\n", "mine.py": "", "data/x.py": "", "kept.py": ""})
    assert walk(tmp_path)[0] == [".almanacignore", ".gitignore", "kept.py"]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("home/.config/git/ignore", {}),
        ("home/mine", {"home/.gitconfig": "[user]\n\tname = x\n[core]\n\texcludesFile = ~/mine\n"}),
        ("home/mine", {"home/.gitconfig": '[core "x"]\nexcludesfile = no\n[ CORE ] excludesfile = "~/mine"\n'}),
        ("home/mine", {"home/.config/git/config": "[core]\nexcludesfile = no\nexcludesfile = ~/mine\n[a]\nb=c\n"}),
        (
            "tree/mine",
            {"home/.gitconfig": "[core]\nexcludesfile=~/no\n", "tree/.git/config": "[core]\nexcludesfile=mine\n"},
        ),
    ],
)
def test_what_a_user_leaves_out_of_all_repositories_counts_the_least(
    tmp_path: Path, where: str, said: dict[str, str | bytes]
) -> None:
    checkout(tmp_path / "tree")
    files(tmp_path, {where: "*.log\n*.py\nmine\n", "tree/.gitignore": "!kept.py\n", **said})
    files(tmp_path / "tree", {"kept.py": "", "left.py": "", "a.log": "", "b.ts": ""})
    tree = Tree(tmp_path / "tree", GitUser.of(tmp_path / "home", {}))
    assert sorted(tree.walk().files) == [".gitignore", "b.ts", "kept.py"]
    (tmp_path / where).write_text("")
    assert len(tree.walk().files) == 5 + where.startswith("tree")


def test_the_folder_of_configurations_may_be_elsewhere(tmp_path: Path) -> None:
    files(checkout(tmp_path / "tree"), {"a.py": "", "b.py": ""})
    files(tmp_path, {"xdg/git/ignore": "a.py\n"})
    user = GitUser.of(tmp_path / "home", {"XDG_CONFIG_HOME": str(tmp_path / "xdg")})
    assert list(Tree(tmp_path / "tree", user).walk().files) == ["b.py"]


def test_what_nobody_wrote_by_hand_is_counted_by_reason(tmp_path: Path) -> None:
    texts: dict[str, str | bytes] = {
        "node_modules/x/i.js": "x",
        "uv.lock": "x",
        "a.min.js": "x",
        "logo.png": "x",
        "big.py": "#" * 1_000_001,
        "fits.py": "#" * 1_000_000,
        "new\nline.py": "x",
        "back\\slash.py": "x",
    }
    paths, left_out = walk(files(tmp_path, texts))
    assert paths == ["fits.py"]
    expected = {"vendored": 1, "generated": 1, "minified": 1, "binary": 1, "too_large": 1, "path_not_allowed": 2}
    assert left_out == expected


def test_links_sockets_and_names_that_are_no_utf_8_are_counted(tmp_path: Path) -> None:
    outside = files(tmp_path / "outside", {"secret.py": "x"})
    root = files(tmp_path / "tree", {"a.py": "x"})
    (root / "file.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside)
    (root / "round").symlink_to(root)
    os.mkfifo(root / "pipe.py")
    Path(os.fsdecode(os.fsencode(root) + b"/na\xefve.py")).write_text("x")
    assert walk(root) == (["a.py"], {"link": 3, "no_file": 1, "name_not_utf8": 1})


def test_a_link_is_no_file_of_rules(tmp_path: Path) -> None:
    rules = files(tmp_path / "outside", {"rules": "*.py\n"}) / "rules"
    root = files(tmp_path / "tree", {"a.py": "x"})
    (root / ".gitignore").symlink_to(rules)
    assert walk(root)[0] == ["a.py"]


def test_another_repository_is_left_out_and_a_submodule_is_not(tmp_path: Path) -> None:
    checkout(files(tmp_path, {"a.py": "x", "clone/b.py": "x", "topic/c.py": "x", "lib/d.py": "x"}))
    checkout(tmp_path / "clone")
    said: dict[str, str | bytes] = {
        "topic/.git": "gitdir: ../.git/worktrees/topic\n",
        "lib/.git": "gitdir: ../.git/modules/lib\n",
    }
    assert walk(files(tmp_path, said)) == (["a.py", "lib/d.py"], {"other_repository": 2})


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    files(tmp_path, {"a.py": "x", "locked/b.py": "x"})
    (tmp_path / "locked").chmod(0)
    try:
        found = Tree(tmp_path).walk()
    finally:
        (tmp_path / "locked").chmod(0o700)
    assert (sorted(found.files), found.unreadable) == (["a.py"], ["locked"])


def test_a_folder_deeper_than_any_tree_is_not_entered(tmp_path: Path) -> None:
    files(tmp_path, {"/".join(["d"] * 120) + "/x.py": "x", "a.py": "x"})
    assert walk(tmp_path) == (["a.py"], {"too_deep": 1})


def test_rules_that_change_count_at_the_next_walk(tmp_path: Path) -> None:
    tree = Tree(files(tmp_path, {".gitignore": "a.py\n", "a.py": "", "x/b.py": ""}))
    assert sorted(tree.walk().files) == [".gitignore", "x/b.py"]
    files(tmp_path, {".gitignore": "b.py\nzz\n"})
    assert sorted(tree.walk().files) == [".gitignore", "a.py"]
    (tmp_path / ".gitignore").unlink()
    assert sorted(tree.walk().files) == ["a.py", "x/b.py"]
