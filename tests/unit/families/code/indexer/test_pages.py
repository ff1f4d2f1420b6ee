"""Indexed files are listed by repository and path, a page at a time."""

from almanac.families.code.indexer.pages import FileFilter, page_of
from tests.unit.families.code.repository import Repository


def _pages(repository: Repository, limit: int = 2, **wanted: object) -> list[list[str]]:
    pages: list[list[str]] = []
    place: str | None = ""
    while place is not None:
        files, place = page_of(repository.project, FileFilter(**wanted), limit=limit, after=place)  # type: ignore[arg-type]
        pages.append([f"{file.repo_id}:{file.path}" for file in files])
    return pages


def _fill(repository: Repository) -> None:
    repository.index({"src/a.py": "a", "src/b.ts": "b", "src/b.ts.map": "m", "docs/c.md": "c"}, repo_id="web")
    repository.app.wait(hours=1)
    repository.index({"src/a.py": "a", "src/z.py": "z"}, repo_id="app")


def test_all_files_are_listed_page_by_page(repository: Repository) -> None:
    _fill(repository)
    assert _pages(repository) == [
        ["app:src/a.py", "app:src/z.py"],
        ["web:docs/c.md", "web:src/a.py"],
        ["web:src/b.ts", "web:src/b.ts.map"],
    ]


def test_those_of_a_repository_a_language_a_folder_or_since_a_moment(repository: Repository) -> None:
    _fill(repository)
    assert _pages(repository, 9, repo_id="web", prefix="src/b") == [["web:src/b.ts", "web:src/b.ts.map"]]
    assert _pages(repository, 9, language="py") == [["app:src/a.py", "app:src/z.py", "web:src/a.py"]]
    assert _pages(repository, 9, since=repository.app.now) == [["app:src/a.py", "app:src/z.py"]]
    assert _pages(repository, 1, prefix="src/", repo_id="app") == [["app:src/a.py"], ["app:src/z.py"]]
    assert _pages(repository, 9, repo_id="nobody") == [[]]
