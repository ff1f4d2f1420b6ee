"""Files are brought in and taken out: each whole, once, without secrets, and counted."""

from base64 import b64encode
from itertools import count
from random import Random

import pytest
from msgspec.structs import replace

from almanac.families.code.core.code import file_id
from almanac.families.code.core.codec import unpack
from almanac.families.code.core.records import FILES, REPOSITORIES, SIGNATURES, SUMMARIES, TEXTS
from almanac.families.code.indexer.analysis import FileAnalysis
from almanac.families.code.indexer.batch import FILES_AT_ONCE, SECONDS, IndexedRepository, index_files
from almanac.families.code.indexer.file_validation import CodeFileInput, validate_file
from almanac.families.code.indexer.operations import remove
from almanac.families.code.indexer.preparation import Preparation, PreparedFile
from almanac.families.code.indexer.prepared_files import one_by_one, prepare_file
from almanac.families.code.indexer.states import states
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.search.engine.document_writes import MOST_TOGETHER
from tests.unit.families.code.repository import Repository, by_lines, may_have, preparation_by

LOGIN = file_id("acme/web", "src/login.py")


def _text(repository: Repository, file: str = LOGIN) -> str:
    stored = repository.project.rows(TEXTS).get(file)
    assert stored is not None
    return unpack(stored.content, str)


def test_what_was_indexed_is_found_before_and_after_search_has_followed(repository: Repository) -> None:
    repository.index({"src/login.py": "login checks the password\nlogout forgets it\n"})
    assert repository.search_names("forgets") == ["logout"]
    repository.app.follow()
    assert repository.search_names("forgets") == ["logout"]


def test_a_file_that_changed_is_found_as_it_is_now(repository: Repository) -> None:
    repository.index({"src/login.py": "login checks\nlogout forgets\n"})
    repository.app.follow()
    repository.app.wait(seconds=1)
    repository.index({"src/login.py": "login welcomes\nregister adds\n"})
    for _ in range(2):
        assert [repository.search_names(word) for word in ("forgets", "checks", "welcomes", "adds")] == [
            [],
            [],
            ["login"],
            ["register"],
        ]
        repository.app.follow()
    assert _text(repository) == "login welcomes\nregister adds\n"


def test_a_file_that_did_not_change_is_left_as_it_is(repository: Repository) -> None:
    repository.index({"src/login.py": "login checks"})
    before = repository.project.rows(FILES).get(LOGIN)
    outcome = repository.index({"src/login.py": "login checks", "src/new.py": "new one"})
    assert (outcome.indexed.indexed, outcome.indexed.unchanged) == (("src/new.py",), ("src/login.py",))
    assert repository.project.rows(FILES).get(LOGIN) == before


def test_a_file_that_is_gone_leaves_nothing(repository: Repository) -> None:
    repository.index({"src/login.py": "login checks", "src/new.py": "new one"})
    repository.app.follow()
    outcome = repository.index(removed=["src/login.py", "src/never.py"])
    assert outcome.removed == 1
    repository.app.follow()
    assert (repository.search_names("checks"), repository.search_names("one")) == ([], ["new"])
    project = repository.project
    assert project.rows(FILES).get(LOGIN) is None
    assert project.rows(TEXTS).get(LOGIN) is None
    assert project.rows(SUMMARIES).get(LOGIN) is None
    assert project.rows(SIGNATURES).get("acme/web", LOGIN) is None


def test_a_file_that_comes_back_is_found_again(repository: Repository) -> None:
    for removed in (["src/login.py"], []):
        repository.index({"src/login.py": "login checks"})
        repository.app.follow()
        repository.app.wait(seconds=1)
        repository.index(removed=removed)
        repository.app.follow()
    assert repository.search_names("checks") == ["login"]


def test_of_two_texts_for_one_path_the_last_counts(repository: Repository) -> None:
    files = [{"path": "a.py", "content": "first one"}, {"path": "./a.py", "content": "second one"}]
    repository.index(files=files)
    assert (repository.search_names("one"), _state(repository).files) == (["second"], 1)


def _state(repository: Repository, repo_id: str = "acme/web"):
    return states(repository.project, repo_id)[0]


def test_what_was_sent_and_removed_in_one_call_is_there(repository: Repository) -> None:
    repository.index({"a.py": "first one"}, removed=["a.py"])
    assert repository.search_names("one") == ["first"]


def test_the_files_of_a_repository_are_counted(repository: Repository) -> None:
    repository.index({"a.py": "one", "b.py": "broken", "c.py": "three"})
    assert (_state(repository).files, _state(repository).failed) == (3, 1)
    repository.index({"b.py": "mended", "c.py": "broken"}, removed=["a.py"])
    assert (_state(repository).files, _state(repository).failed) == (2, 1)
    stored = repository.project.rows(REPOSITORIES).get("acme/web")
    assert stored is not None
    assert stored.bytes == len("mended") + len("broken")


def test_an_index_says_that_it_is_behind_until_it_is_complete(repository: Repository) -> None:
    repository.index({"a.py": "one"}, commit="c1")
    assert "has not been completed" in (_state(repository).behind or "")
    repository.index(complete=True, commit="c1")
    repository.app.wait(hours=3)
    state = _state(repository)
    assert (state.commit, state.behind, state.age) == ("c1", None, "3 hours ago")
    repository.index({"a.py": "two"}, commit="c2")
    state = _state(repository)
    assert (state.commit, "changed since" in (state.behind or "")) == ("c1", True)


def test_an_index_of_which_something_was_refused_is_not_complete(repository: Repository) -> None:
    outcome = repository.index({"a.py": "one", "../b.py": "two"}, complete=True)
    assert (list(outcome.refused), _state(repository).indexed_at) == (["../b.py"], None)


def test_secrets_are_taken_out_and_lines_stay_where_they_were(repository: Repository) -> None:
    body = b64encode(Random(7).randbytes(48 * 12)).decode()
    lines = "\n".join(body[start : start + 64] for start in range(0, len(body), 64))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----"
    repository.index({"src/login.py": f"first line\nkey = '''{key}'''\nlast line\n"})
    text = _text(repository)
    assert body[:20] not in text
    assert text.splitlines()[15] == "last line"
    file = repository.project.rows(FILES).get(LOGIN)
    assert file is not None
    assert file.redacted == ("private_key",)
    assert repository.search_names(body[:20]) == []
    rows = repository.app.do("list_redactions")["redactions"]
    assert [(row["where"], row["item_id"]) for row in rows] == [("code", "acme/web/src/login.py")]


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../up.py", "a/../../b.py", "a//b.py", "C:\\x.py", "a\x00.py", "x" * 501, "./"]
)
def test_a_path_that_is_none_in_the_repository_is_refused_and_the_others_are_not(
    repository: Repository, path: str
) -> None:
    outcome = repository.index(files=[{"path": path, "content": "x"}, {"path": "ok.py", "content": "fine"}])
    assert (len(outcome.refused), outcome.indexed.indexed) == (1, ("ok.py",))


def test_a_file_that_is_no_file_is_refused_by_its_place(repository: Repository) -> None:
    outcome = repository.index(files=[7, {"path": "a.py"}, {"path": "b.py", "content": "x", "mode": 7}])
    assert set(outcome.refused) == {"files[0]", "a.py", "b.py"}


def test_a_file_over_a_megabyte_is_refused(repository: Repository) -> None:
    outcome = repository.index({"big.py": "x " * 500_001, "fits.py": "x " * 500_000})
    assert (list(outcome.refused), outcome.indexed.indexed) == (["big.py"], ("fits.py",))


def test_files_that_are_too_large_together_are_refused_whole(repository: Repository) -> None:
    with pytest.raises(InvalidInput, match="together"):
        repository.index({f"{number}.py": "x" * 999_999 for number in range(5)})


def test_what_a_call_has_no_time_for_is_named(repository: Repository) -> None:
    files = [validate_file("acme/web", CodeFileInput(f"{number:02}.py", f"n{number} is here")) for number in range(30)]
    repository.index()
    seconds = count(step=10)
    brought = index_files(
        IndexedRepository(repository.project, "acme/web"), files, preparation_by(by_lines), cpu=lambda: next(seconds)
    )
    assert brought.indexed == tuple(f"{number:02}.py" for number in range(FILES_AT_ONCE))
    assert brought.left == tuple(f"{number:02}.py" for number in range(FILES_AT_ONCE, 30))


def test_who_is_outrun_while_he_reads_tries_again_on_what_stands_then(repository: Repository) -> None:
    outrun = iter([True])

    def slowly(path: str, text: str) -> FileAnalysis:
        if next(outrun, False):
            repository.index({path: "other words"})
        return by_lines(path, text)

    repository.index({"src/login.py": "login checks"}, analyse=slowly)
    assert _text(repository) == "login checks"
    assert (_state(repository).files, repository.search_names("other"), repository.search_names("checks")) == (
        1,
        [],
        ["login"],
    )


def test_who_is_outrun_by_the_same_text_writes_nothing(repository: Repository) -> None:
    outrun = iter([True])

    def slowly(path: str, text: str) -> FileAnalysis:
        if next(outrun, False):
            repository.index({path: text})
        return by_lines(path, text)

    repository.index({"src/login.py": "login checks"}, analyse=slowly)
    stored = repository.project.rows(REPOSITORIES).get("acme/web")
    assert stored is not None
    assert (stored.files, stored.revision) == (1, 1)


def test_a_repository_that_is_removed_meanwhile_is_begun_again(repository: Repository) -> None:
    removed = iter([True])

    def slowly(path: str, text: str) -> FileAnalysis:
        if next(removed, False):
            remove(repository.project, "acme/web")
        return by_lines(path, text)

    repository.index({"src/login.py": "login checks"}, analyse=slowly)
    assert (_state(repository).files, repository.search_names("checks")) == (1, ["login"])


def test_two_texts_of_one_millisecond_are_told_apart(repository: Repository) -> None:
    repository.index({"src/login.py": "login checks"})
    repository.app.follow()
    repository.index({"src/login.py": "login welcomes"})
    repository.app.follow()
    assert (repository.search_names("checks"), repository.search_names("welcomes")) == ([], ["login"])


def test_an_index_that_had_no_time_for_all_is_not_complete(repository: Repository) -> None:
    seconds = count(step=10)
    texts = {f"{number:02}.py": f"n{number} is here" for number in range(40)}
    outcome = repository.index(texts, complete=True, cpu=lambda: next(seconds))
    assert (len(outcome.indexed.left) > 0, _state(repository).indexed_at) == (True, None)


def test_many_files_are_written_in_several_writes(repository: Repository) -> None:
    repository.index({f"{number}.py": f"n{number} is here" for number in range(40)})
    assert _state(repository).files == 40
    repository.app.follow()
    assert repository.search_names("n37") == ["n37"]


def test_a_file_of_very_many_parts_is_indexed_up_to_a_bound(repository: Repository) -> None:
    repository.index({"a.py": "\n".join(f"n{number} is here" for number in range(1000))})
    repository.app.follow()
    assert (repository.search_names("n299"), repository.search_names("n300")) == (["n299"], [])
    assert repository.app.defects == []


def test_the_names_of_a_file_are_in_its_signature(repository: Repository) -> None:
    repository.index({"src/login.py": "login checks the password"})
    signature = repository.project.rows(SIGNATURES).get("acme/web", LOGIN)
    assert signature is not None
    assert may_have(signature.names, "password")
    assert not may_have(signature.names, "postbox")


def test_a_whole_repository_is_taken_out(repository: Repository) -> None:
    repository.index({f"{number}.py": f"n{number} is here" for number in range(30)})
    repository.index({"a.py": "kept here"}, repo_id="acme/other")
    assert remove(repository.project, "acme/web") == (30, False)
    repository.app.follow()
    assert repository.search_names("here") == ["kept"]
    assert [state.repo_id for state in states(repository.project)] == ["acme/other"]
    with pytest.raises(NotFound, match=r"not indexed"):
        remove(repository.project, "acme/web")


def test_the_same_repository_of_another_project_is_another_one(repository: Repository) -> None:
    repository.index({"src/login.py": "login checks"})
    other = Caller(Scope("acme", "ops"), actor="ole", key_id="other")
    assert repository.search_names("checks", other) == []
    assert states(repository.of(other)) == []
    with pytest.raises(NotFound):
        remove(repository.of(other), "acme/web")


def test_files_of_one_write_are_told_to_search_together(repository: Repository) -> None:
    repository.index({f"{number}.py": f"n{number} is here" for number in range(FILES_AT_ONCE)})
    (event,) = repository.app.events("document_written")
    assert len(event.payload["more"]) == FILES_AT_ONCE - 1
    repository.index({"0.py": "other words"}, removed=[f"{number}.py" for number in range(1, FILES_AT_ONCE)])
    repository.app.follow()
    assert repository.search_names("other here n7") == ["other"]


def test_search_is_told_of_many_parts_at_once_as_far_as_an_event_holds(repository: Repository) -> None:
    repository.index({f"{one}.py": "\n".join(f"n{one}x{line} is here" for line in range(300)) for one in range(4)})
    events = repository.app.events("document_written")
    assert max(1 + len(event.payload["more"]) for event in events) == MOST_TOGETHER
    repository.app.follow()
    assert repository.search_names("n0x0")[0] == "n0x0"
    assert repository.search_names("n3x299")[0] == "n3x299"


def test_what_search_is_told_counts_among_the_changes_of_a_write(repository: Repository) -> None:
    texts = {f"{number}.py": "\n".join(f"n{line} of {number}" for line in range(300)) for number in range(20)}
    # Five changes for each file that stands there, three for its parts: more than one write takes.
    assert len(repository.index(texts).indexed.indexed) == 20
    repository.app.wait(seconds=1)
    assert len(repository.index({path: f"{text}\nmore" for path, text in texts.items()}).indexed.indexed) == 20
    assert _state(repository).files == 20


def test_what_other_processes_take_counts_as_time_of_the_call(repository: Repository) -> None:
    def elsewhere(path: str, text: str) -> PreparedFile:
        return replace(prepare_file(path, text, by_lines), seconds=SECONDS / FILES_AT_ONCE)

    inputs = (CodeFileInput(f"{number:02}.py", f"n{number}") for number in range(3 * FILES_AT_ONCE))
    files = [validate_file("acme/web", each) for each in inputs]
    repository.index()
    brought = index_files(
        IndexedRepository(repository.project, "acme/web"), files, one_by_one(elsewhere), cpu=lambda: 0.0
    )
    assert len(brought.indexed) == 2 * FILES_AT_ONCE


def test_files_are_prepared_by_what_the_process_has_for_it(repository: Repository) -> None:
    app, asked = repository.app, list[str]()

    def here(path: str, text: str) -> PreparedFile:
        asked.append(path)
        return prepare_file(path, text)

    app.open_again(also={Preparation: one_by_one(here)})
    app.do("index_files", repo_id="acme/web", files=[{"path": "a.py", "content": "x = 1\n"}])
    assert asked == ["a.py"]


@pytest.mark.parametrize("path", [".env", "deploy/tls.key", "id_rsa"])
def test_a_file_that_holds_secrets_by_its_name_is_refused_and_the_others_are_indexed(
    repository: Repository, path: str
) -> None:
    outcome = repository.index({path: "swordfish\n", "a.py": "login does it\n", ".env.example": "KEY=\n"})

    assert list(outcome.refused) == [path]
    assert len(outcome.indexed.indexed) == 2
    assert repository.search_names("swordfish") == []


def test_a_file_that_an_earlier_version_analysed_is_read_again(repository: Repository) -> None:
    texts = {"src/login.py": "login checks", "src/other.py": "other works"}
    repository.index(texts)
    repository.app.wait(seconds=1)
    rows = repository.project.rows(FILES)
    file = rows.get(LOGIN)
    assert file is not None
    repository.app.store.write([rows.put(replace(file, analysis=file.analysis - 1))])
    listed = repository.app.do("list_files", repo_id="acme/web")["files"]
    assert [row.get("outdated", False) for row in listed] == [True, False]

    brought = repository.index(texts).indexed

    assert (brought.indexed, brought.unchanged, brought.new) == (("src/login.py",), ("src/other.py",), ())
    assert not any(row.get("outdated") for row in repository.app.do("list_files", repo_id="acme/web")["files"])
