"""Test that a changed byte of a stored skill is reported, and the skill not read."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from almanac.families.skills.core.records import CONTENTS, VERSIONS, SkillVersion
from tests.project_app import ProjectApp
from tests.unit.families.skills.installed import install, project_of, skill_md, stored_version

FILES: dict[str, Any] = {"a.md": "Good.\n", "b.bin": {"base64": "AAEC"}}
CHANGES: dict[str, Callable[[SkillVersion], SkillVersion]] = {
    "SKILL.md": lambda one: replace(one, skill_md=one.skill_md.replace("Do", "Dx")),
    "digest": lambda one: replace(one, digest="f" * 64),
    "front matter": lambda one: replace(one, frontmatter=one.frontmatter.replace("tidy", "tide")),
    "description": lambda one: replace(one, description="Tidies all."),
    "verdict": lambda one: replace(one, valid=not one.valid),
    "list of files": lambda one: replace(one, files=one.files[1:]),
    "path of a file": lambda one: replace(one, files=(replace(one.files[0], path="c.md"), *one.files[1:])),
    "digest of a file": lambda one: replace(one, files=(replace(one.files[0], sha256="0" * 64), *one.files[1:])),
    "installer": lambda one: replace(one, installed_by="trusted@example.org"),
    "instant": lambda one: replace(one, installed_at=one.installed_at + 1),
    "checksum": lambda one: replace(one, checksum="0" * 64),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_byte_of_a_version_is_told(app: ProjectApp, change: Callable[[SkillVersion], SkillVersion]) -> None:
    install(app, files=FILES)
    install(app, skill_md=skill_md(body="Do more."), files=FILES)
    project = project_of(app)
    project.store.write([project.rows(VERSIONS).put(change(stored_version(app, 2)))])
    asked: list[tuple[str, dict[str, Any]]] = [
        ("get_skill", {}),
        ("read_skill_file", {}),
        ("read_skill_file", {"path": "a.md"}),
    ]
    for tool, more in asked:
        assert "Version 2 of tidy-desk is not what was installed" in app.refusal(tool, name="tidy-desk", **more)
        assert app.do(tool, name="tidy-desk", version=1, **more)["version"] == 1


@pytest.mark.parametrize(("path", "data"), [("a.md", b"Evil.\n"), ("a.md", b"Good."), ("b.bin", b"\x00\x01\x03")])
def test_a_changed_byte_of_a_file_is_told(app: ProjectApp, path: str, data: bytes) -> None:
    install(app, files=FILES)
    project = project_of(app)
    digest = next(file.sha256 for file in stored_version(app).files if file.path == path)
    content = project.rows(CONTENTS).get(digest)
    assert content is not None
    project.store.write([project.rows(CONTENTS).put(replace(content, data=data))])
    assert f"{path} of tidy-desk is not what was installed" in app.refusal(
        "read_skill_file", name="tidy-desk", path=path
    )
    other = "b.bin" if path == "a.md" else "a.md"
    assert app.do("read_skill_file", name="tidy-desk", path=other)["path"] == other


def test_a_file_that_is_gone_is_told(app: ProjectApp) -> None:
    install(app, files=FILES)
    project = project_of(app)
    project.store.write([project.rows(CONTENTS).delete(file.sha256) for file in stored_version(app).files])
    for path in FILES:
        assert "not what was installed" in app.refusal("read_skill_file", name="tidy-desk", path=path)
