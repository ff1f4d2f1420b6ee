"""get_code_context answers for any path: absolute, with a line, renamed since, not indexed."""

from typing import Any

import msgspec
import pytest

from almanac.families.code.context.spellings import is_path, path_text
from almanac.families.code.indexer.analysis import analyse
from almanac.families.memory.snapshot.tokens import tokens_of_json
from tests.unit.families.code.repository import Repository

AUTH = "def login(user):\n    return user\n\n\ndef logout(user):\n    return None\n"
OTHER = "def other(argument):\n    return argument\n"


def _context(repository: Repository, target: str, **more: Any) -> dict[str, Any]:
    return repository.app.do("get_code_context", target=target, **more)


@pytest.fixture
def indexed_repository(repository: Repository) -> Repository:
    repository.index({"src/auth.py": AUTH, "src/other.py": OTHER}, analyse=analyse, complete=True)
    return repository


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("src/auth.py:12", "src/auth.py", 12),
        ("src/auth.py:12:3", "src/auth.py", 12),
        ("src/auth.py:12-20", "src/auth.py", 12),
        ("src/auth.py#L12-L20", "src/auth.py", 12),
        ("src\\auth.py(12,3)", "src/auth.py", 12),
        ("`./src//auth.py`", "src/auth.py", None),
        ("C:\\web\\src\\auth.py:7", "C:/web/src/auth.py", 7),
        ("file:///home/ann/web/src/auth.py", "/home/ann/web/src/auth.py", None),
        ("file:src/auth.py:3", "src/auth.py", 3),
        ("Class::method", "Class::method", None),
        (":12", ":12", None),
    ],
)
def test_a_path_is_read_without_its_line(text: str, path: str, line: int | None) -> None:
    read = path_text(text, None)
    assert (read.path, read.line) == (path, line)


@pytest.mark.parametrize(
    "text", ["src/new.py", "new.py", "Makefile", "[slug].tsx", "bin/run", "my notes.md", ".env.example"]
)
def test_texts_that_are_paths(text: str) -> None:
    assert is_path(text)


@pytest.mark.parametrize(
    "text", ["login", "Session.login", "std::vector", "a * b/c", "and/or maybe", "", "..", "/", "x?/y"]
)
def test_texts_that_are_no_paths(text: str) -> None:
    assert not is_path(text)


def test_a_line_puts_the_code_first_that_has_it(indexed_repository: Repository) -> None:
    context = _context(indexed_repository, "src/auth.py:6")
    assert (context["target"]["path"], context["target"]["line"]) == ("src/auth.py", 6)
    assert [row["symbol"] for row in context["code"]] == ["logout", "login"]


@pytest.mark.parametrize("target", ["/home/ann/web/src/auth.py", "C:\\work\\web\\src\\auth.py:5", "web/src/auth.py"])
def test_a_path_above_the_repository_is_found_by_its_end(indexed_repository: Repository, target: str) -> None:
    context = _context(indexed_repository, target)
    assert context["target"]["path"] == "src/auth.py"
    assert "was read as src/auth.py of acme/web" in context["notes"][0]


def test_of_repositories_with_the_end_of_an_absolute_path_the_one_whose_folder_it_names_is_meant(
    indexed_repository: Repository,
) -> None:
    indexed_repository.index({"src/auth.py": "x = 1\n"}, analyse=analyse, repo_id="acme/api")
    assert _context(indexed_repository, "/home/ann/api/src/auth.py")["target"]["repo_id"] == "acme/api"
    assert _context(indexed_repository, "/home/ann/elsewhere/src/auth.py")["reason"] == "ambiguous"


def test_a_file_at_the_top_of_another_folder_is_not_that_of_the_repository(indexed_repository: Repository) -> None:
    indexed_repository.index({"README.md": "# Web\n"}, analyse=analyse)
    assert "indexed" not in _context(indexed_repository, "/home/ann/web/README.md")["target"]
    assert _context(indexed_repository, "/home/ann/notes/README.md")["target"]["indexed"] is False


@pytest.mark.parametrize("target", ["src/new.py", "./src/new.py:3", "/home/ann/web/src/new.py"])
def test_what_is_known_of_a_path_that_is_not_indexed_is_told(indexed_repository: Repository, target: str) -> None:
    app = indexed_repository.app
    app.do("claim", key="file:src/new.py", holder="cursor@ben#1", ttl_ms=600_000)
    app.do("pin_memory", content="src/new.py will hold the sessions.")
    app.do("notes_create", title="Plan", body="Write src/new.py first.")
    context = _context(indexed_repository, target)
    assert (context["target"]["indexed"], context["target"]["lang"]) == (False, "python")
    assert [claim["key"] for claim in context["claims"]] == ["file:src/new.py"]
    assert [pin["content"] for pin in context["pins"]] == ["src/new.py will hold the sessions."]
    assert [note["title"] for note in context["project_notes"]] == ["Plan"]
    assert "is not indexed" in context["notes"][0]


def test_a_folder_is_said_to_be_one(indexed_repository: Repository) -> None:
    indexed_repository.app.do("claim", key="src/", holder="cursor@ben#1", ttl_ms=600_000)
    context = _context(indexed_repository, "src/")
    assert "a folder of acme/web" in context["notes"][0]
    assert len(context["claims"]) == 1


def test_a_name_that_only_a_claim_says_is_a_path_is_answered(indexed_repository: Repository) -> None:
    assert "not_found" in indexed_repository.app.refusal("get_code_context", target="LICENSE2")
    indexed_repository.app.do("claim", key="file:LICENSE2", holder="cursor@ben#1", ttl_ms=600_000)
    assert len(_context(indexed_repository, "LICENSE2")["claims"]) == 1


def test_capitals_of_roots_and_claims_are_no_obstacle(indexed_repository: Repository) -> None:
    app = indexed_repository.app
    indexed_repository.index({"src/Login.py": "x = 1\n"}, analyse=analyse)
    app.do("claim", key="file:/Users/ben/Web/src/Login.py", holder="cursor@ben#1", ttl_ms=600_000)
    keys = [claim["key"] for claim in _context(indexed_repository, "src/Login.py")["claims"]]
    assert keys == ["file:/Users/ben/Web/src/Login.py"]
    app.do("release", key="file:/Users/ben/Web/src/Login.py", holder="cursor@ben#1")
    app.do("configure_project", root="/Users/ann/Web")
    assert _context(indexed_repository, "/Users/ann/Web/src/Login.py")["target"]["path"] == "src/Login.py"


def test_a_claim_from_the_root_of_a_machine_is_told(indexed_repository: Repository) -> None:
    app = indexed_repository.app
    app.do("claim", key="file:/home/ben/web/src", holder="cursor@ben#1", ttl_ms=600_000)
    app.do("claim", key="file:/home/ben/web/docs", holder="cursor@ben#2", ttl_ms=600_000)
    assert [claim["key"] for claim in _context(indexed_repository, "src/auth.py")["claims"]] == [
        "file:/home/ben/web/src"
    ]


def test_every_kind_of_what_is_known_of_a_file_comes_with_it(indexed_repository: Repository) -> None:
    app = indexed_repository.app
    app.do("pin_memory", content="Never log tokens in src/auth.py.")
    app.do("pin_memory", content="The cart is in another file.")
    app.do(
        "context_store",
        type="decision",
        content="Sessions last a week.",
        metadata={"fileContext": {"path": "src/auth.py"}},
    )
    column = app.do("kanban_list_boards")["boards"][0]["columns"][0]["id"]
    app.do("kanban_create_card", columnId=column, title="Split /home/ann/web/src/auth.py")
    app.do("journal_create", title="Moved", date="2026-02-18", body="Moved code out of `src/auth.py`.")
    app.do("calendar_create_event", title="Review of src/auth.py", date="2026-02-19", time="10:00", type="event")
    context = _context(indexed_repository, "src/auth.py")
    assert [pin["content"] for pin in context["pins"]] == ["Never log tokens in src/auth.py."]
    assert [memory["content"] for memory in context["memories"]] == ["Sessions last a week."]
    assert [len(context[section]) for section in ("cards", "journal", "events")] == [1, 1, 1]
    assert context["left_out"] == {}


def test_what_does_not_fit_is_counted(indexed_repository: Repository) -> None:
    for at in range(10):
        indexed_repository.app.do("pin_memory", content=f"{at}: src/auth.py " + "has to be read with care " * 30)
    context = _context(indexed_repository, "src/auth.py", max_tokens=1000)
    assert tokens_of_json(msgspec.to_builtins(context)) <= 1000
    assert len(context["pins"]) + context["left_out"]["pins"] == 10


@pytest.mark.parametrize("path", ["src/" + "q7Z" * 150 + ".py", "дом/" * 50 + "файл.py", "src/plain.py"])
def test_the_smallest_answer_fits_whatever_the_path_is(indexed_repository: Repository, path: str) -> None:
    indexed_repository.index({path: AUTH}, analyse=analyse, url="https://example.org/" + "x" * 200)
    for target in (path, f"no/{path}"[:480]):
        assert _context(indexed_repository, target, max_tokens=400)["tokens"] <= 400
        assert tokens_of_json(_context(indexed_repository, target, max_tokens=400)) <= 400


def test_candidates_fit_too(indexed_repository: Repository) -> None:
    for at in range(20):
        indexed_repository.index(
            {"src/auth.py": AUTH}, analyse=analyse, repo_id=f"acme/service-{at}", url="https://example.org/a"
        )
    found = _context(indexed_repository, "src/auth.py", max_tokens=600)
    assert (found["truncated"], tokens_of_json(found) <= 600) == (True, True)
    assert found["candidates"]


class TestRenames:
    @pytest.mark.parametrize("calls", ["one", "new first", "gone first"])
    def test_a_former_path_means_the_file_with_its_content(self, indexed_repository: Repository, calls: str) -> None:
        app = indexed_repository.app
        app.do("pin_memory", content="src/auth.py must not log tokens.")
        new, gone = {"lib/login.py": AUTH}, ["src/auth.py"]
        if calls == "one":
            indexed_repository.index(new, removed=gone, analyse=analyse)
        elif calls == "new first":
            indexed_repository.index(new, analyse=analyse)
            indexed_repository.index(removed=gone, analyse=analyse)
        else:
            indexed_repository.index(removed=gone, analyse=analyse)
            indexed_repository.index(new, analyse=analyse)
        for target in ("src/auth.py", "lib/login.py", "src/auth.py:2"):
            context = _context(indexed_repository, target)
            assert context["target"]["path"] == "lib/login.py"
            assert context["target"]["former_paths"] == ["src/auth.py"]
            assert len(context["pins"]) == 1
        assert "is called lib/login.py now" in _context(indexed_repository, "src/auth.py")["notes"][0]

    def test_it_holds_over_edits_and_further_renames(self, indexed_repository: Repository) -> None:
        indexed_repository.index({"lib/login.py": AUTH}, removed=["src/auth.py"], analyse=analyse)
        indexed_repository.index({"lib/login.py": AUTH + OTHER}, analyse=analyse)
        indexed_repository.index({"lib/sessions.py": AUTH + OTHER}, removed=["lib/login.py"], analyse=analyse)
        context = _context(indexed_repository, "src/auth.py")
        assert context["target"]["path"] == "lib/sessions.py"
        assert context["target"]["former_paths"] == ["lib/login.py", "src/auth.py"]

    def test_a_short_file_is_followed_and_an_empty_one_is_not(self, indexed_repository: Repository) -> None:
        indexed_repository.index({"a.py": "a = 1\n", "empty.py": ""}, analyse=analyse)
        indexed_repository.index({"b.py": "a = 1\n", "blank.py": ""}, removed=["a.py", "empty.py"], analyse=analyse)
        assert _context(indexed_repository, "a.py")["target"]["path"] == "b.py"
        assert _context(indexed_repository, "empty.py")["target"]["indexed"] is False

    def test_a_file_that_comes_back_is_itself_again(self, indexed_repository: Repository) -> None:
        indexed_repository.index({"lib/login.py": AUTH}, removed=["src/auth.py"], analyse=analyse)
        indexed_repository.index({"src/auth.py": AUTH}, removed=["lib/login.py"], analyse=analyse)
        assert _context(indexed_repository, "src/auth.py")["target"]["path"] == "src/auth.py"
        assert _context(indexed_repository, "lib/login.py")["target"]["path"] == "src/auth.py"

    def test_of_several_with_the_content_the_one_of_the_same_name_is_meant(
        self, indexed_repository: Repository
    ) -> None:
        indexed_repository.index({"a/auth.py": AUTH, "b/copy.py": AUTH}, removed=["src/auth.py"], analyse=analyse)
        assert _context(indexed_repository, "src/auth.py")["target"]["path"] == "a/auth.py"

    def test_what_was_claimed_by_the_former_path_is_told(self, indexed_repository: Repository) -> None:
        indexed_repository.app.do("claim", key="file:src/auth.py", holder="cursor@ben#1", ttl_ms=600_000)
        indexed_repository.index({"lib/login.py": AUTH}, removed=["src/auth.py"], analyse=analyse)
        assert [claim["key"] for claim in _context(indexed_repository, "lib/login.py")["claims"]] == [
            "file:src/auth.py"
        ]

    def test_a_file_that_is_gone_and_one_with_other_content_have_nothing_to_do_with_each_other(
        self, indexed_repository: Repository
    ) -> None:
        indexed_repository.index(
            {"lib/new.py": "x = 1\n" * 9, "lib/empty.py": ""}, removed=["src/auth.py"], analyse=analyse
        )
        assert _context(indexed_repository, "src/auth.py")["target"]["indexed"] is False

    def test_a_repository_that_is_removed_takes_its_former_paths_with_it(self, indexed_repository: Repository) -> None:
        indexed_repository.index({"lib/login.py": AUTH}, removed=["src/auth.py"], analyse=analyse)
        indexed_repository.app.do("remove_repository", repo_id="acme/web")
        indexed_repository.index({"lib/login.py": AUTH}, analyse=analyse)
        assert "former_paths" not in _context(indexed_repository, "lib/login.py")["target"]
