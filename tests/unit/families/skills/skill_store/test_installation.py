"""Installing: each change a version of its own, the same again no change, and nothing half installed."""

from base64 import b64encode
from dataclasses import replace as replace_caller
from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from almanac.families.skills.core.records import CONTENTS, MAX_HISTORY, UPLOADS, VERSIONS
from almanac.families.skills.skill_store.installation import SkillInstallation
from almanac.families.skills.skill_store.installation import install as install_in
from almanac.kernel.caller import Scope
from almanac.platform.store.wrapper import StoreWrapper
from tests.project_app import ProjectApp
from tests.unit.families.skills.installed import (
    AWS_KEY,
    install,
    names,
    project_of,
    skill_md,
    stored_skill,
    stored_text,
    stored_version,
)

FILES: dict[str, Any] = {"scripts/run.py": "print(1)\n", "assets/dot.png": {"base64": "iVBORw0KGgoAAAA="}}


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def test_an_installed_skill_reads_back_as_it_was_sent(app: ProjectApp) -> None:
    made = install(app, files=FILES, folder="tidy-desk")
    assert made == {
        "ok": True,
        "name": "tidy-desk",
        "version": 1,
        "valid": True,
        "changed": True,
        "errors": [],
        "warnings": made["warnings"],
        "redacted": [],
        "files": 3,
        "size": len(skill_md()) + 9 + 11,
        "files_kept": [],
        "files_dropped": [],
        "notes": [],
        "uploads": [],
        "refused": None,
    }
    skill = app.do("get_skill", name="tidy-desk")
    assert skill["body"] == "Do it."
    assert skill["manifest"] == {"name": "tidy-desk", "description": "Tidies a desk. Use when full."}
    assert [(each["path"], each["sha256"], each["is_text"]) for each in skill["files"]] == [
        ("assets/dot.png", digest(b"\x89PNG\r\n\x1a\n\x00\x00\x00"), False),
        ("scripts/run.py", digest(b"print(1)\n"), True),
    ]


def test_the_same_again_changes_nothing(app: ProjectApp) -> None:
    install(app, files=FILES)
    before, told = stored_text(app), len(app.events())
    again = install(app, files=dict(reversed(FILES.items())))
    assert (again["ok"], again["changed"], again["version"]) == (True, False, 1)
    assert stored_text(app) == before
    assert len(app.events()) == told


def test_each_change_makes_the_next_version(app: ProjectApp) -> None:
    install(app, files=FILES)
    changes: list[dict[str, Any]] = [
        {"skill_md": skill_md(body="Do it well."), "files": FILES},
        {"skill_md": skill_md(body="Do it well."), "files": {**FILES, "scripts/run.py": "print(2)\n"}},
        {"skill_md": skill_md(body="Do it well."), "files": {"scripts/run.py": "print(2)\n"}},
        {"skill_md": skill_md(), "files": FILES},
    ]
    assert [install(app, **change)["version"] for change in changes] == [2, 3, 4, 5]
    assert app.do("get_skill", name="tidy-desk", version=2)["body"] == "Do it well."
    skill = app.do("get_skill", name="tidy-desk")
    assert [each["version"] for each in skill["versions"]] == [5, 4, 3, 2, 1]


def test_only_the_last_versions_are_listed_and_all_are_read(app: ProjectApp) -> None:
    for number in range(MAX_HISTORY + 2):
        install(app, skill_md=skill_md(body=f"Do {number}."))
    skill = app.do("get_skill", name="tidy-desk")
    assert [each["version"] for each in skill["versions"]] == list(range(MAX_HISTORY + 2, 2, -1))
    assert app.do("get_skill", name="tidy-desk", version=1)["body"] == "Do 0."
    assert "versions 1 to 22" in app.refusal("get_skill", name="tidy-desk", version=23)


def test_what_the_author_calls_a_version_is_kept_as_it_is_written(app: ProjectApp) -> None:
    install(app, skill_md='---\nname: tidy-desk\ndescription: Tidies.\nmetadata:\n  version: "1.10"\n---\nDo.\n')
    assert app.do("list_skills")["skills"][0]["declared"] == "1.10"


def test_bytes_of_files_are_kept_once_for_all_skills(app: ProjectApp) -> None:
    install(app, files={"a.md": "Same.\n", "b/c.md": "Same.\n"})
    install(app, skill_md=skill_md("other"), files={"d.md": "Same.\n"})
    assert len(list(project_of(app).rows(CONTENTS).every())) == 1
    assert app.do("read_skill_file", name="other", path="d.md")["text"] == "Same.\n"


def test_what_is_not_valid_is_installed_with_its_errors_unless_strict(app: ProjectApp) -> None:
    odd = "---\nname: Tidy Desk\ndescription: Tidies a desk.\n---\nDo it.\n"
    refused = install(app, skill_md=odd, strict=True)
    assert (refused["ok"], refused["version"], names(app)) == (False, None, [])
    assert [each["rule"] for each in refused["errors"]]
    assert "not valid" in refused["refused"]

    made = install(app, skill_md=odd)
    assert (made["ok"], made["valid"], made["errors"]) == (True, False, refused["errors"])
    assert app.do("list_skills")["skills"][0]["valid"] is False


def test_without_a_description_nothing_is_installed(app: ProjectApp) -> None:
    refused = install(app, skill_md="---\nname: tidy-desk\n---\nDo it.\n", files=FILES)
    assert (refused["ok"], refused["valid"]) == (False, False)
    assert refused["errors"]
    assert stored_text(app) == "[[], [], []]"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"../out.md": "x"}, "leads to another folder"),
        ({"/etc/passwd": "x"}, "is absolute"),
        ({"skill.md": "x"}, "Give its text as skill_md"),
        ({"a.md": "x", "A.md": "y"}, "cannot both be files"),
        ({"a.md": "x", "a.md/b": "y"}, "cannot both be files"),
        ({"a.bin": {"base64": "no base64"}}, "is not base64"),
        ({"a.bin": {}}, "needs exactly one of text, base64 and uploads"),
        ({"a.bin": {"base64": "AA==", "uploads": ["0" * 64]}}, "needs exactly one of text, base64 and uploads"),
        ({"a.bin": {"uploads": ["0" * 64]}}, "no content with this SHA-256"),
        ({"a.bin": {"uploads": ["x"]}}, '"files.a.bin.uploads[0]" has the wrong form'),
        ({"a.bin": 5}, '"files.a.bin" must be an object or a string'),
        ({f"{number}.md": "x" for number in range(512)}, '"files" may have at most 511 entries'),
    ],
)
def test_files_that_cannot_be_kept_refuse_the_whole_skill(app: ProjectApp, files: dict[str, Any], said: str) -> None:
    assert said in app.refusal("install_skill", skill_md=skill_md(), files=files)
    assert names(app) == []


def test_halves_of_characters_are_refused(app: ProjectApp) -> None:
    assert "incomplete characters" in app.refusal("install_skill", skill_md=skill_md(body="\ud800"))
    assert "incomplete characters" in app.refusal("install_skill", skill_md=skill_md(), files={"a.md": "\udfff"})


def test_a_call_without_a_skill_says_what_to_give(app: ProjectApp) -> None:
    assert "Give the whole text as skill_md" in app.refusal("install_skill", files=FILES)


def test_a_large_file_is_sent_in_parts(app: ProjectApp) -> None:
    whole = bytes(range(256)) * 3000
    parts = [whole[start : start + 300_000] for start in range(0, len(whole), 300_000)]
    sent: list[str] = []
    for part in parts:
        answer = install(app, upload_only=True, skill_md="", files={"big.bin": {"base64": b64encode(part).decode()}})
        assert answer["uploads"] == [{"path": "big.bin", "sha256": digest(part), "size": len(part)}]
        sent.append(digest(part))
    assert names(app) == []
    files = {"big.bin": {"uploads": sent[:1]}, "twice.bin": {"uploads": [sent[0]]}}
    made = install(app, files=files)
    assert made["files"] == 3
    part = app.do("read_skill_file", name="tidy-desk", path="big.bin", limit=4)
    assert (part["base64"], part["length"], part["next_offset"]) == ("AAECAw==", 300_000, 4)


def test_parts_are_joined_in_the_order_in_which_they_are_named(app: ProjectApp) -> None:
    for text in ("one ", "two "):
        install(app, upload_only=True, files={"x": text})
    parts = [digest(b"two "), digest(b"one "), digest(b"two ")]
    install(app, files={"x.txt": {"uploads": parts}})
    assert app.do("read_skill_file", name="tidy-desk", path="x.txt")["text"] == "two one two "


def test_an_upload_ends_after_a_day_and_is_of_its_project_alone(app: ProjectApp) -> None:
    install(app, upload_only=True, files={"x": "text"})
    files = {"x.txt": {"uploads": [digest(b"text")]}}
    for scope in (Scope("acme", "api"), Scope("globex", "web")):
        other = replace_caller(app.caller, scope=scope)
        refused = app.refusal("install_skill", caller=other, skill_md=skill_md(), files=files)
        assert "no content with this SHA-256" in refused
    app.wait(hours=25)
    assert "in the last day" in app.refusal("install_skill", skill_md=skill_md(), files=files)


def test_a_damaged_upload_is_asked_for_again(app: ProjectApp) -> None:
    install(app, upload_only=True, files={"x": "text"})
    project = project_of(app)
    (upload,) = project.rows(UPLOADS).every()
    project.store.write([project.rows(UPLOADS).put(replace(upload, data=b"tex7"))])
    refused = app.refusal("install_skill", skill_md=skill_md(), files={"x.txt": {"uploads": [upload.sha256]}})
    assert "upload_only=true" in refused


def test_a_small_call_cannot_name_uploads_until_the_memory_is_full(app: ProjectApp) -> None:
    part = b64encode(bytes(300_000)).decode()
    install(app, upload_only=True, files={"x": {"base64": part}})
    many = {"uploads": [digest(bytes(300_000))] * 28}
    assert "over 8388608" in app.refusal("install_skill", skill_md=skill_md(), files={"a.bin": many})
    few = {"uploads": [digest(bytes(300_000))] * 20}
    files = {f"{number}.bin": few for number in range(3)}
    assert "over 16777216 bytes in all" in app.refusal("install_skill", skill_md=skill_md(), files=files)


def test_secrets_are_nowhere_once_a_skill_is_installed(app: ProjectApp) -> None:
    install(app, upload_only=True, files={"part": f"key {AWS_KEY}\n"})
    files = {
        "a.env": f"AWS_KEY={AWS_KEY}\n",
        "b.txt": {"uploads": [digest(f"key {AWS_KEY}\n".encode())]},
        "c.bin": {"base64": b64encode(b"\x00" + AWS_KEY.encode()[:4]).decode()},
    }
    made = install(app, skill_md=skill_md(body=f"Use {AWS_KEY}."), files=files)
    assert made["redacted"] == ["aws_access_key"]
    assert AWS_KEY not in stored_text(app)
    assert AWS_KEY not in str(app.events())
    assert app.do("get_skill", name="tidy-desk")["body"] == "Use [REDACTED:aws_access_key]."
    assert app.do("read_skill_file", name="tidy-desk", path="b.txt")["text"] == "key [REDACTED:aws_access_key]\n"
    rows = app.do("list_redactions")["redactions"]
    assert {(row["where"], row["item_id"]) for row in rows} == {("skill", "tidy-desk"), ("skill", "upload")}
    assert {path for row in rows for path in row["fields"]} == {"SKILL.md", "a.env", "part"}


def test_the_same_with_its_secrets_is_the_same(app: ProjectApp) -> None:
    text = skill_md(body=f"Use {AWS_KEY}.")
    assert [install(app, skill_md=text)["changed"] for _ in range(2)] == [True, False]


def test_rules_and_listeners_are_told_of_each_version_and_of_nothing_else(app: ProjectApp) -> None:
    install(app, files=FILES, folder="tidy-desk")
    install(app, files=FILES, folder="tidy-desk")
    app.do("remove_skill", name="tidy-desk")
    (installed,), (removed,) = app.events("skill_installed"), app.events("skill_removed")
    assert installed.payload == {
        "name": "tidy-desk",
        "version": 1,
        "declared": None,
        "description": "Tidies a desk. Use when full.",
        "valid": True,
        "files": 3,
        "size": len(skill_md()) + 20,
    }
    assert (removed.key, removed.payload) == ("tidy-desk", {"name": "tidy-desk", "version": 1})


def test_a_removed_skill_is_back_with_the_next_version(app: ProjectApp) -> None:
    install(app)
    app.do("remove_skill", name="tidy-desk")
    made = install(app)
    assert (made["changed"], made["version"], names(app)) == (True, 2, ["tidy-desk"])
    assert stored_skill(app).removed_at is None


def test_who_ends_between_contents_and_version_leaves_nothing_half_installed(app: ProjectApp) -> None:
    class Dying(StoreWrapper):
        def write(self, changes: Any) -> None:
            if any("number" in getattr(change, "attributes", {}) for change in changes):
                raise KeyboardInterrupt
            super().write(changes)

    install(app)
    project = replace(project_of(app), store=Dying(app.store))
    with pytest.raises(KeyboardInterrupt):
        install_in(project, SkillInstallation(skill_md=skill_md(body="New."), files={"a.md": "New.\n"}))
    assert len(list(project_of(app).rows(CONTENTS).every())) == 1
    skill = app.do("get_skill", name="tidy-desk")
    assert (skill["version"], skill["body"], skill["files"]) == (1, "Do it.", [])
    assert len(list(project_of(app).rows(VERSIONS).every("tidy-desk"))) == 1
    assert install(app, skill_md=skill_md(body="New."), files={"a.md": "New.\n"})["version"] == 2


def test_what_was_damaged_is_whole_after_an_install(app: ProjectApp) -> None:
    install(app, files={"a.md": "Good.\n"})
    project = project_of(app)
    (content,) = project.rows(CONTENTS).every()
    project.store.write([project.rows(CONTENTS).put(replace(content, data=b"Evil.\n"))])
    assert "not what was installed" in app.refusal("read_skill_file", name="tidy-desk", path="a.md")
    assert install(app, files={"a.md": "Good.\n"})["changed"] is False
    assert app.do("read_skill_file", name="tidy-desk", path="a.md")["text"] == "Good.\n"

    version = stored_version(app)
    project.store.write([project.rows(VERSIONS).put(replace(version, skill_md=skill_md(body="Evil.")))])
    assert install(app, files={"a.md": "Good.\n"})["version"] == 2
    assert app.do("get_skill", name="tidy-desk")["body"] == "Do it."


def test_names_that_differ_are_skills_of_their_own(app: ProjectApp) -> None:
    for name in ("tidy", "tidy-desk", "tidy-desks"):
        install(app, skill_md=skill_md(name, body=name))
    assert names(app) == ["tidy", "tidy-desk", "tidy-desks"]
    assert [app.do("get_skill", name=name)["body"] for name in names(app)] == names(app)
