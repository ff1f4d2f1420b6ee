"""Test pages of skills: each installed skill once, after any removals."""

from typing import Any

import pytest

from almanac.families.skills.skill_store import reader
from almanac.families.skills.skill_store.reader import page_of
from tests.project_app import ProjectApp
from tests.unit.families.skills.installed import install, names, project_of, skill_md

NAMES = [f"skill-{number:02}" for number in range(9)]


@pytest.fixture
def remaining_names(app: ProjectApp) -> list[str]:
    """Names of the skills that are left after every third was removed."""
    for name in NAMES:
        install(app, skill_md=skill_md(name))
    for name in NAMES[::3]:
        app.do("remove_skill", name=name)
    return [name for name in NAMES if name not in NAMES[::3]]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 7])
def test_pages_bring_each_skill_once(app: ProjectApp, remaining_names: list[str], limit: int) -> None:
    found: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        page = app.do("list_skills", limit=limit, **cursor)
        assert 1 <= len(page["skills"]) <= limit
        found += [row["name"] for row in page["skills"]]
        assert page["truncated"] == (page["next_cursor"] is not None)
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert found == remaining_names == names(app)


def test_a_page_ends_where_much_was_read_and_removed(
    app: ProjectApp, remaining_names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MAX_READ", 2)
    found: list[str] = []
    place: str | None = ""
    while place is not None:
        page, place = page_of(project_of(app), limit=5, after=place)
        assert len(page) <= 2
        found += [skill.name for skill in page]
    assert found == remaining_names


def test_a_cursor_of_another_list_is_refused(app: ProjectApp) -> None:
    assert "cursor" in app.refusal("list_skills", cursor="nonsense")


def test_an_empty_list_says_what_to_do(app: ProjectApp) -> None:
    assert "install_skill" in app.do("list_skills")["empty"]
    install(app)
    assert app.do("list_skills")["empty"] is None
    app.do("remove_skill", name="tidy-desk")
    assert "list_default_skills" in app.do("list_skills")["empty"]
