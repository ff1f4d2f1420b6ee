"""Skills for tests, and views of stored skills."""

from typing import Any

from almanac.families.skills.core.records import CONTENTS, SKILLS, UPLOADS, VERSIONS, Skill, SkillVersion
from almanac.families.skills.core.skills import SkillProject, open_skills
from almanac.kernel.caller import Caller
from tests.app import Json
from tests.project_app import ProjectApp

AWS_KEY = "AKIAQ3EGRVZ7JPWL2TMX"
TABLES: tuple[Any, ...] = (SKILLS, CONTENTS, UPLOADS)


def skill_md(name: str = "tidy-desk", body: str = "Do it.", description: str = "Tidies a desk. Use when full.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def project_of(app: ProjectApp, caller: Caller | None = None) -> SkillProject:
    return open_skills(app.services, caller or app.caller, app.clock)


def install(app: ProjectApp, *, caller: Caller | None = None, **arguments: Any) -> Json:
    arguments.setdefault("skill_md", skill_md())
    return app.do("install_skill", caller=caller, **arguments)


def stored_skill(app: ProjectApp, name: str = "tidy-desk") -> Skill:
    found = project_of(app).rows(SKILLS).get(name)
    assert found is not None
    return found


def stored_version(app: ProjectApp, number: int = 1, name: str = "tidy-desk") -> SkillVersion:
    found = project_of(app).rows(VERSIONS).get(name, number)
    assert found is not None
    return found


def stored_text(app: ProjectApp, name: str = "tidy-desk") -> str:
    """Return everything that is stored of all skills, and of the named skill's versions, as text."""
    project = project_of(app)
    return str([*(list(project.rows(table).every()) for table in TABLES), *project.rows(VERSIONS).every(name)])


def names(app: ProjectApp, caller: Caller | None = None) -> list[str]:
    return [row["name"] for row in app.do("list_skills", caller=caller)["skills"]]
