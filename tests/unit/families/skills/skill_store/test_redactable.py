"""Test skills stored before redaction existed. A scan removes their secrets and seals the rest."""

from collections.abc import Iterator
from hashlib import sha256

from msgspec.structs import replace

from almanac.families.skills.bundle.files import bundle_of
from almanac.families.skills.core.records import CONTENTS, SKILLS, VERSIONS, SkillContent
from almanac.families.skills.skill_store.redactable import REDACTABLE
from almanac.platform.redactions.scan import Redactable, ScanResult, StoredTexts, scan
from tests.project_app import ProjectApp
from tests.unit.families.skills.installed import (
    AWS_KEY,
    install,
    project_of,
    skill_md,
    stored_skill,
    stored_text,
    stored_version,
)

LEAKING = f"key: {AWS_KEY}\n".encode()


def store_leak(app: ProjectApp, number: int, name: str = "tidy-desk") -> None:
    """Store a version and its file with a secret, as if no scan had run."""
    version, project = stored_version(app, number, name), project_of(app)
    text = skill_md(name, body=f"Use {AWS_KEY}.", description=f"Tidies with {AWS_KEY}.")
    new = replace(
        version,
        skill_md=text,
        digest=sha256(text.encode()).hexdigest(),
        description=f"Tidies with {AWS_KEY}.",
        frontmatter=version.frontmatter.replace("Tidies a desk", f"Tidies with {AWS_KEY}"),
        files=bundle_of({"a.env": LEAKING, "b.md": b"Good.\n"}),
    ).seal()
    content = SkillContent(sha256=sha256(LEAKING).hexdigest(), data=LEAKING)
    project.store.write([project.rows(VERSIONS).put(new), project.rows(CONTENTS).put(content)])
    skill = stored_skill(app, name)
    if skill.number == number:
        told = replace(skill, description=new.description, content=new.content)
        project.store.write([project.rows(SKILLS).put(told)])


def run_scan(app: ProjectApp, *, rewrite: bool = True) -> ScanResult:
    return scan(app.services, app.caller, REDACTABLE, rewrite=rewrite)["skill"]


def everywhere(app: ProjectApp) -> str:
    return stored_text(app) + stored_text(app, "other")


def install_leaks(app: ProjectApp) -> None:
    """Install two versions of one skill and one of another, with the same leaking file."""
    install(app, files={"b.md": "Good.\n"})
    install(app, skill_md=skill_md(body="More."), files={"b.md": "Good.\n"})
    install(app, skill_md=skill_md("other"), files={"b.md": "Good.\n"})
    for number, name in ((1, "tidy-desk"), (2, "tidy-desk"), (1, "other")):
        store_leak(app, number, name)


def test_a_scan_reports_and_changes_nothing_until_it_is_told_to(app: ProjectApp) -> None:
    install_leaks(app)
    before = everywhere(app)
    found = run_scan(app, rewrite=False)
    assert (found.items, found.found, found.rewritten) == (5, 4, 0)
    assert everywhere(app) == before


def test_a_rewrite_takes_them_out_everywhere_and_seals_what_is_left(app: ProjectApp) -> None:
    install_leaks(app)
    done = run_scan(app)
    assert (done.found, done.rewritten, done.changing) == (4, 4, 0)
    assert AWS_KEY not in everywhere(app)
    assert run_scan(app) == ScanResult(items=5)
    for name, number in (("tidy-desk", 1), ("tidy-desk", 2), ("other", 1)):
        version = stored_version(app, number, name)
        assert version.is_whole
        assert version.redacted == ("aws_access_key",)
        part = app.do("read_skill_file", name=name, version=number, path="a.env")
        assert part["text"] == "key: [REDACTED:aws_access_key]\n"
        assert app.do("read_skill_file", name=name, version=number, path="b.md")["text"] == "Good.\n"
    skill = app.do("get_skill", name="tidy-desk")
    assert skill["manifest"]["description"] == skill["description"] == "Tidies with [REDACTED:aws_access_key]."
    (row, _) = app.do("list_skills")["skills"]
    assert row["description"] == "Tidies with [REDACTED:aws_access_key]."
    assert len(list(project_of(app).rows(CONTENTS).every())) == 2
    assert {each["where"] for each in app.do("list_redactions")["redactions"]} == {"skill"}


def test_what_search_knows_has_no_secrets_either(app: ProjectApp) -> None:
    install_leaks(app)
    run_scan(app)
    app.follow()
    hits = app.do("search_memory", query="tidies with use", mode="skills")["hits"]
    assert hits
    assert AWS_KEY not in str(hits)


def test_after_a_scan_the_same_install_is_the_same(app: ProjectApp) -> None:
    install(app, files={"b.md": "Good.\n"})
    store_leak(app, 1)
    run_scan(app)
    version = stored_version(app)
    files = {"a.env": LEAKING.decode(), "b.md": "Good.\n"}
    text = skill_md(body=f"Use {AWS_KEY}.", description=f"Tidies with {AWS_KEY}.")
    assert install(app, skill_md=text, files=files)["changed"] is False
    assert stored_version(app) == version


def test_a_damaged_version_stays_damaged(app: ProjectApp) -> None:
    install(app)
    project, version = project_of(app), stored_version(app)
    damaged = replace(version, skill_md=skill_md(body=f"Evil {AWS_KEY}."))
    project.store.write([project.rows(VERSIONS).put(damaged)])
    assert run_scan(app).rewritten == 1
    assert AWS_KEY not in stored_text(app)
    assert "not what was installed" in app.refusal("get_skill", name="tidy-desk")


def test_a_skill_that_changes_during_a_scan_is_left_for_the_next(app: ProjectApp) -> None:
    install(app)
    store_leak(app, 1)
    (stored, _) = list(REDACTABLE[0].every(app.services, app.caller))
    project = project_of(app)
    changed = replace(stored_version(app), folder="elsewhere").seal()
    project.store.write([project.rows(VERSIONS).put(changed)])

    def every(*_: object) -> Iterator[StoredTexts]:
        return iter([stored])

    moved = scan(app.services, app.caller, [Redactable("skill", every)], rewrite=True)["skill"]
    assert (moved.found, moved.changing, moved.rewritten) == (1, 1, 0)
    assert stored_version(app) == changed


def test_a_removed_skill_loses_its_secrets_and_is_not_found_again(app: ProjectApp) -> None:
    install(app)
    store_leak(app, 1)
    app.do("remove_skill", name="tidy-desk")
    assert run_scan(app).rewritten == 2
    assert AWS_KEY not in stored_text(app)
    app.follow()
    assert app.do("search_memory", query="tidies", mode="skills")["hits"] == []
