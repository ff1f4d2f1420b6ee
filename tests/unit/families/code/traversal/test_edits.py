"""Test that the graph after edits equals a new one, and that only changed files are read."""

from collections.abc import Iterable
from random import Random

import pytest

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES, CodeRepository, CodeSignature
from almanac.families.code.core.signatures import signature_of
from almanac.families.code.indexer.repositories import RECENT, with_recent
from almanac.families.code.traversal.name_table import MOST_APART, NameTable
from almanac.families.code.traversal.read_cache import ReadCache
from almanac.families.code.traversal.revision_view import RevisionView
from tests.unit.families.code.repository import Repository
from tests.unit.families.code.traversal.graph_app import REPO, GraphApp

NAMES = ("take", "place", "view", "order")
PATHS = ("a.py", "pkg/__init__.py", "pkg/b.py", "pkg/c.py", "lib/d.ts", "go.mod", "cmd/main.go")


def _repository(project: CodeProject) -> CodeRepository:
    found = project.rows(REPOSITORIES).get(REPO)
    assert found is not None
    return found


def _snapshot(reading: RevisionView) -> object:
    names, modules = reading.names, reading.modules
    used = {name: (names.files_defining(name), names.files_using(name)) for name in NAMES}
    files = [(path, file.id, file.version) for path, file in names.files.items()]
    return files, used, modules.of_path, modules.paths, modules.manifests, modules.python


def _text(path: str, random: Random) -> str:
    one, other = random.choices(NAMES, k=2)
    if path == "go.mod":
        return f"module example.com/{one}\n"
    if path.endswith(".py"):
        return f"def {one}():\n    {other}()\n"
    if path.endswith(".ts"):
        return f"function {one}() {{ {other}() }}\n"
    return f"package x\n\nfunc {one}() {{ {other}() }}\n"


@pytest.mark.usefixtures("same_ids")
@pytest.mark.parametrize("seed", range(6))
def test_a_reading_after_edits_is_one_from_scratch(graph: GraphApp, repository: Repository, seed: int) -> None:
    random, kept = Random(seed), ReadCache()
    for _ in range(25):
        graph.app.wait(seconds=1)
        changed = random.sample(PATHS, random.randrange(1, 3))
        gone = [path for path in changed if random.random() < 0.3]
        graph.index({path: _text(path, random) for path in changed if path not in gone}, removed=gone)
        if random.random() < 0.6:
            stored = _repository(repository.project)
            after = RevisionView(repository.project, stored, kept)
            assert _snapshot(after) == _snapshot(RevisionView(repository.project, stored, ReadCache()))


def test_an_edit_costs_one_file(graph: GraphApp, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = ReadCache()
    graph.index({path: _text(path, Random(1)) for path in PATHS})
    before = RevisionView(repository.project, _repository(repository.project), kept)
    graph.app.wait(seconds=1)
    graph.index({"a.py": "def changed():\n    pass\n"}, complete=True)
    monkeypatch.delattr(NameTable, "__init__")  # what reads all again
    after = RevisionView(repository.project, _repository(repository.project), kept)
    assert (before.names.files_defining("changed"), after.names.files_defining("changed")) == ([], ["a.py"])
    assert after.modules.of_path is before.modules.of_path


def test_imports_lead_to_what_a_file_defines_since_an_edit(graph: GraphApp, repository: Repository) -> None:
    kept = ReadCache()
    graph.index({"p/A.java": "package p;\nclass A {}\n", "B.java": "import p.C;\nclass B {}\n"})
    RevisionView(repository.project, _repository(repository.project), kept)
    graph.app.wait(seconds=1)
    graph.index({"p/A.java": "package p;\nclass C {}\n"})
    reading = RevisionView(repository.project, _repository(repository.project), kept)
    [summary] = reading.summaries(["B.java"]).values()
    assert "p/A.java" in set(reading.modules.files_imported("B.java", summary, reading.files_defining))


def test_a_repository_that_was_begun_again_is_read_again(graph: GraphApp, repository: Repository) -> None:
    kept = ReadCache()
    graph.index({"a.py": "def take():\n    pass\n", "b.py": ""})
    RevisionView(repository.project, _repository(repository.project), kept)
    graph.app.do("remove_repository", repo_id=REPO)
    graph.app.wait(seconds=1)
    graph.index({"c.py": "def take():\n    pass\n"})
    graph.app.wait(seconds=1)
    graph.index({"d.py": "def take():\n    pass\n"})
    again = RevisionView(repository.project, _repository(repository.project), kept)
    assert again.names.files_defining("take") == ["c.py", "d.py"]


def test_what_changed_is_not_known_where_two_wrote_at_the_same_time() -> None:
    first = with_recent(CodeRepository(repo_id=REPO, first_at=0, seen_at=0), ["a"])
    mine, other = with_recent(first, ["b"]), with_recent(first, ["c"])
    both = type(mine)(repo_id=REPO, first_at=0, seen_at=0, revision=3, recent=other.recent)
    assert mine.changed_since(1) == {"b"}
    assert [both.changed_since(revision) for revision in (0, 1, 2, 3, 4)] == [None, None, None, set(), None]
    later = with_recent(both, ["d"])
    assert [later.changed_since(revision) for revision in (0, 1, 2, 3)] == [None, None, None, {"d"}]


def test_writes_of_many_files_name_none_and_few_are_named() -> None:
    repository = CodeRepository(repo_id=REPO, first_at=0, seen_at=0)
    for number in range(3 * RECENT):
        repository = with_recent(repository, [f"{number}"])
    assert repository.changed_since(repository.revision - RECENT // 2) is not None
    assert sum(1 + len(ids) for _, ids in repository.recent) <= RECENT
    many = with_recent(repository, [f"{number}" for number in range(RECENT)])
    assert many.recent == ()
    assert many.changed_since(repository.revision) is None


def test_a_table_of_many_changed_files_is_put_together_again() -> None:
    table: NameTable | None = NameTable(_signatures(range(MOST_APART + 1)))
    for number in range(MOST_APART):
        assert table is not None
        table = table.with_changes([str(number)], _signatures([number], "new"))
    assert table is not None
    assert len(table.files_defining("new")) == MOST_APART
    assert table.files_defining("old") == [f"{MOST_APART:04}.py"]
    assert table.with_changes([str(MOST_APART)], _signatures([MOST_APART], "new")) is None


def _signatures(numbers: Iterable[int], name: str = "old") -> list[CodeSignature]:
    names = signature_of([name, "x"], [name])
    return [CodeSignature(repo_id=REPO, id=str(at), version=1, names=names, path=f"{at:04}.py") for at in numbers]
