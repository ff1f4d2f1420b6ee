"""Patterns of .gitignore, against git itself where it is installed."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from almanac.local.code_index.gitignore import Rules, is_ignored, pattern_of, rules_of
from tests.cpu_time import takes_under

GIT = shutil.which("git")
_BITS = [
    *("a", "b", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-c]", "\\", "!", "#", " ", ".", "[[:alpha:]]", "c"),
    *("[]a]", "a*b", "\\ ", "[", "-", "]", "\\*", "[^b-]", "\r", "[\\]]", "[a-", "[[:foo:]]", "[/a]", "**/", "/**"),
]
_NAMES = ["a", "b", "ab", "c", "a.b", "abc", "aab", "-", "*", "a b", " ", "]", "#a", "!a", "\\", "a ", "x"]


def ignores(text: str, path: str) -> bool:
    """Whether a file is, or a folder it is in."""
    return ignores_by_rules([rules_of(text)], path, is_folder=path.endswith("/"))


def ignores_by_rules(rules: list[Rules], path: str, *, is_folder: bool) -> bool:
    parts = path.strip("/").split("/")
    ends = range(1, len(parts) + 1)
    return any(is_ignored(rules, parts[:end], is_folder=is_folder or end < len(parts)) for end in ends)


@pytest.mark.parametrize(
    ("pattern", "matched", "others"),
    [
        ("*.log", ["a.log", "x/y/a.log", ".log"], ["a.logs", "log"]),
        ("/build", ["build", "build/x"], ["x/build"]),
        ("build/", ["build/", "x/build/o.py"], ["build"]),
        ("docs/*.html", ["docs/a.html"], ["docs/x/a.html", "x/docs/a.html"]),
        ("docs/**/*.html", ["docs/a.html", "docs/x/y/a.html"], ["a.html"]),
        ("**/tmp", ["tmp", "x/y/tmp"], ["tmps"]),
        ("a/**", ["a/b", "a/b/c"], ["b/a/c"]),
        ("a/**/**/b", ["a/b", "a/x/y/b"], ["a/bb"]),
        ("a[!0-9].c", ["ab.c"], ["a1.c"]),
        ("\\#x", ["#x"], ["x"]),
        ("\\!x", ["!x"], ["x"]),
        ("end\\ ", ["end "], ["end"]),
        ("end   ", ["end"], ["end "]),
        ("*.[oa]", ["x.o", "l/x.a"], ["x.c"]),
        ("ends\\", [], ["ends", "ends\\"]),
        ("a[bc", [], ["ab", "a[bc"]),
        ("# note", [], ["# note"]),
    ],
)
def test_a_pattern_matches_what_git_says_it_does(pattern: str, matched: list[str], others: list[str]) -> None:
    assert [path for path in matched if not ignores(pattern, path)] == []
    assert [path for path in others if ignores(pattern, path)] == []


def test_the_last_pattern_that_matches_decides() -> None:
    text = "*.env\n!sample.env\n"
    assert ignores(text, "x/prod.env")
    assert not ignores(text, "x/sample.env")
    assert ignores(text + "sample.env\n", "sample.env")


def test_what_is_below_an_ignored_folder_cannot_be_kept() -> None:
    assert ignores("build\n!build/keep.py\n", "build/keep.py")
    assert not ignores("build/*\n!build/keep.py\n", "build/keep.py")


def test_a_nearer_file_decides_against_one_above() -> None:
    rules = [rules_of("*.py\n"), rules_of("!a.py\n", ("src",))]
    assert not ignores_by_rules(rules, "src/a.py", is_folder=False)
    assert ignores_by_rules(rules, "src/b.py", is_folder=False)
    assert ignores_by_rules([rules_of("/a.py", ("src",))], "src/a.py", is_folder=False)
    assert not ignores_by_rules([rules_of("/a.py", ("src",))], "src/x/a.py", is_folder=False)


def test_windows_ends_of_lines_and_a_byte_order_mark_are_no_part_of_a_pattern() -> None:
    assert ignores("\ufeff*.log\r\n\r\n*.tmp\r", "a.log")
    assert ignores("\ufeff*.log\r\n\r\n*.tmp\r", "a.tmp")
    assert not ignores("\ufeff*.log\r\n\r\n*.tmp\r", "a")


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "*[ab]?" * 40 + "c", "**/a/" * 40 + "b", "**/a*b/" * 40 + "x"])
def test_no_pattern_takes_long(pattern: str) -> None:
    read = pattern_of(pattern)
    assert read is not None
    paths = (["a" * 250], ["ab"] * 100 + ["a" * 200])
    assert [read.matches(path, is_folder=False) for path in paths] == [False, False]
    assert takes_under(0.5, lambda: [read.matches(path, is_folder=False) for path in paths])


@pytest.mark.skipif(GIT is None, reason="git is not installed, which is the oracle")
@pytest.mark.parametrize("seed", range(12))
def test_made_up_patterns_are_read_as_git_reads_them(seed: int, tmp_path: Path) -> None:
    made = random.Random(seed)
    _git(tmp_path, "init", "--quiet")
    folders = {"/".join(made.choice(_NAMES) for _ in range(made.randint(1, 3))) for _ in range(12)}
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for _ in range(15):
        lines = ["".join(made.choices(_BITS, k=made.randint(1, 6))) for _ in range(made.randint(1, 3))]
        text = "\n".join(lines) + made.choice(["", "\n"])
        (tmp_path / ".gitignore").write_text(text, newline="")
        paths = sorted({*folders, *("/".join(made.choices(_NAMES, k=made.randint(1, 4))) for _ in range(30))})
        said = _git(tmp_path, "check-ignore", "--no-index", "-z", "--stdin", said="\0".join(paths) + "\0")
        oracle = set(said.split("\0")) - {""}
        rules = [rules_of(text)]
        ours = {path for path in paths if ignores_by_rules(rules, path, is_folder=(tmp_path / path).is_dir())}
        assert ours == oracle, text


def _git(folder: Path, *arguments: str, said: str = "") -> str:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    command = [GIT or "git", "-C", str(folder), *arguments]
    done = subprocess.run(command, input=said.encode(), capture_output=True, check=False, env=environment, timeout=30)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode()
