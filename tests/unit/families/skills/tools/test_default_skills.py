"""The skills that come with Almanac: offered as they can be installed, and trusted as they are."""

import json
from typing import Any

import pytest

from almanac.families.skills import catalogue
from almanac.families.skills.catalogue import DefaultSkill
from almanac.families.skills.skill_store import trust
from almanac.families.skills.tools import default_skills
from tests.project_app import ProjectApp
from tests.unit.families.skills.installed import install, skill_md

OFFERED = (
    DefaultSkill(
        name="tidy-desk",
        tags=("python", "web"),
        recommended_for="Those with desks.",
        skill_md=skill_md(),
        files={"b.md": "B.\n", "a.md": "A.\n"},
    ),
    DefaultSkill(name="tidy-room", tags=("go",), recommended_for="Others.", skill_md=skill_md("tidy-room"), files={}),
)


@pytest.fixture(autouse=True)
def offer_skills(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (trust, default_skills):
        monkeypatch.setattr(module, "default_skills", lambda: OFFERED)
    trust.own_contents.cache_clear()
    monkeypatch.setattr(trust, "own_contents", trust.own_contents.__wrapped__)


def test_each_can_be_installed_as_it_is_and_is_trusted(app: ProjectApp) -> None:
    for listed in app.do("list_default_skills")["skills"]:
        (each,) = app.do("list_default_skills", name=listed["name"])["skills"]
        made = install(app, skill_md=each["skill_md"], files=each["files"], folder=each["name"], strict=True)
        assert (made["ok"], made["valid"]) == (True, True)
        assert app.do("get_skill", name=each["name"])["untrusted"] is False


def test_a_changed_one_is_not_ours_any_more(app: ProjectApp) -> None:
    ours, other = OFFERED
    install(app, skill_md=ours.skill_md, files={**ours.files, "c.md": "C.\n"})
    install(app, skill_md=other.skill_md.replace("Do it.", "Do that."))
    assert [row["trusted"] for row in app.do("list_skills")["skills"]] == [False, False]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["tidy-desk", "tidy-room"]),
        ({"tags": ["Python"]}, ["tidy-desk"]),
        ({"tags": ["go", "web"]}, ["tidy-desk", "tidy-room"]),
        ({"name": "tidy-room"}, ["tidy-room"]),
        ({"name": "tidy-room", "tags": ["python"]}, []),
    ],
)
def test_they_are_narrowed_by_tags_and_name(app: ProjectApp, asked: dict[str, Any], found: list[str]) -> None:
    answer = app.do("list_default_skills", **asked)
    assert [each["name"] for each in answer["skills"]] == found
    assert (answer["empty"] is None) == bool(found)


def test_a_list_is_short_and_names_what_a_name_shows_whole(app: ProjectApp, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = app.do("list_default_skills")["skills"]
    assert (first["skill_md"], first["files"], second["tags"]) == (None, None, ["go"])
    (alone,) = app.do("list_default_skills", name="tidy-room")["skills"]
    assert alone["skill_md"] == skill_md("tidy-room")

    monkeypatch.setattr(default_skills, "default_skills", catalogue.default_skills)
    listed = app.do("list_default_skills")
    assert len(listed["skills"]) >= 7
    assert len(json.dumps(listed)) // 4 < 2000
