"""Files of repositories through the tools: brought in, listed, taken out."""

from pathlib import Path

import pytest

from tests.project_app import ProjectApp

LOGIN = {"path": "src/login.py", "content": "def login(user):\n    '''Lets a user in.'''\n    return user\n"}
NOTES = {"path": "notes.txt", "content": "What is left to do.\n"}


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


def test_files_are_indexed_and_listed_with_what_is_known_of_them(app: ProjectApp) -> None:
    answer = app.do("index_files", repo_id="acme/web", files=[LOGIN, NOTES], commit="c1", complete=True)
    assert (answer["ok"], answer["indexed"], answer["complete"]) == (True, 2, True)
    assert answer["repository"] == {
        "repo_id": "acme/web",
        "files": 2,
        "failed": 0,
        "commit": "c1",
        "indexed_at": app.now,
        "age": "just now",
    }
    listed = app.do("list_files", repo_id="acme/web")
    assert [(one["path"], one["lang"], one["lines"], one["symbols"]) for one in listed["files"]] == [
        ("notes.txt", "text", 1, 0),
        ("src/login.py", "python", 3, 1),
    ]
    assert listed["repositories"] == [answer["repository"]]


def test_a_list_goes_on_with_its_cursor(app: ProjectApp) -> None:
    files = [{"path": f"{number}.py", "content": "pass\n"} for number in range(5)]
    app.do("index_files", repo_id="acme/web", files=files)
    first = app.do("list_files", limit=3)
    rest = app.do("list_files", limit=3, cursor=first["next_cursor"])
    assert [one["path"] for page in (first, rest) for one in page["files"]] == [f"{number}.py" for number in range(5)]
    assert (first["truncated"], rest["truncated"], rest["next_cursor"]) == (True, False, None)
    assert "cursor" in app.refusal("list_files", limit=3, lang="python", cursor=first["next_cursor"])


def test_what_cannot_be_indexed_is_told_with_what_to_do(app: ProjectApp) -> None:
    answer = app.do("index_files", repo_id="acme/web", files=[LOGIN, {"path": "/etc/passwd", "content": "x"}])
    assert (answer["ok"], answer["indexed"]) == (False, 1)
    [refused] = answer["refused"]
    assert refused["path"] == "/etc/passwd"
    assert "relative" in refused["hint"]


def test_a_broken_file_is_counted_and_still_found(app: ProjectApp) -> None:
    broken = {"path": "broken.py", "content": "def gargoyle(:\n    water = spout(\n"}
    answer = app.do("index_files", repo_id="acme/web", files=[broken])
    assert answer["repository"]["failed"] == 1
    assert [one["parsed"] for one in app.do("list_files")["files"]] == [False]
    hits = app.do("search_memory", query="gargoyle spout", mode="code")["hits"]
    assert len(hits) == 1


def test_a_repository_is_removed_whole(app: ProjectApp) -> None:
    app.do("index_files", repo_id="acme/web", files=[LOGIN])
    assert app.do("remove_repository", repo_id="acme/web") == {
        "ok": True,
        "repo_id": "acme/web",
        "removed": 1,
        "more": False,
    }
    assert app.do("list_files") == {
        "files": [],
        "truncated": False,
        "next_cursor": None,
        "repositories": [],
        "untrusted": True,
    }
    assert "not indexed" in app.refusal("remove_repository", repo_id="acme/web")


def test_a_name_of_a_repository_has_bounds(app: ProjectApp) -> None:
    for name in ("", " ", "-x", "a b", "a" * 101, "a\nb"):
        assert "repo_id" in app.refusal("index_files", repo_id=name, files=[LOGIN])
