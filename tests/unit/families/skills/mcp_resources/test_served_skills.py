"""A project's skills as a client of the extension finds, proves and reads them."""

from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from almanac.families.skills.core.records import CONTENTS, SKILLS, VERSIONS
from almanac.kernel.caller import Caller, Scope
from almanac.platform.store.port import Put
from almanac.protocol.message.revisions import HANDSHAKE
from almanac.protocol.skills import META
from tests.doubles.skill_server import SCOPE, SkillServer, open_store, skill_md

PNG = b"\x89PNG\r\n\x1a\n\x00\x00"
FILES = {
    "references/format.md": b"# Format\r\n",
    "references/deep/a b é.txt": "é\ufeff".encode(),
    "scripts/run.py": b"print('%s')\n",
    "logo.png": PNG,
}


@pytest.fixture
def server(tmp_path: Path) -> SkillServer:
    return SkillServer(open_store(tmp_path))


def _bytes(content: dict[str, Any]) -> bytes:
    return content["text"].encode() if "text" in content else b64decode(content["blob"])


def test_every_file_of_an_entry_reads_back_as_its_digest_and_size_say(server: SkillServer) -> None:
    server.install(skill_md("pdf", more="license: MIT\n"), FILES)
    (skill,) = server.result("skills/list")["skills"]
    assert skill["uri"] == "skill://pdf/SKILL.md"
    assert [file["uri"] for file in skill["resources"]] == [
        "skill://pdf/SKILL.md",
        "skill://pdf/logo.png",
        "skill://pdf/references/deep/a%20b%20%C3%A9.txt",
        "skill://pdf/references/format.md",
        "skill://pdf/scripts/run.py",
    ]
    for file in skill["resources"]:
        (content,) = server.result("resources/read", uri=file["uri"])["contents"]
        data = _bytes(content)
        assert (content["uri"], f"sha256:{sha256(data).hexdigest()}", len(data)) == (
            file["uri"],
            file["digest"],
            file["size"],
        )
    assert server.result("skills/get", uri="skill://pdf/SKILL.md")["skill"] == skill


def test_a_file_is_read_by_the_path_that_the_text_refers_to_it_by(server: SkillServer) -> None:
    server.install(skill_md("pdf"), FILES)
    (content,) = server.result("resources/read", uri="skill://pdf/references/deep/a b é.txt")["contents"]
    assert content["uri"] == "skill://pdf/references/deep/a%20b%20%C3%A9.txt"


def test_what_is_no_text_travels_as_bytes_with_its_kind(server: SkillServer) -> None:
    server.install(skill_md("pdf"), FILES)
    kinds = {
        path: server.result("resources/read", uri=f"skill://pdf/{path}")["contents"][0]
        for path in ("SKILL.md", "logo.png", "scripts/run.py")
    }
    assert [(path, one["mimeType"], "blob" in one) for path, one in kinds.items()] == [
        ("SKILL.md", "text/markdown", False),
        ("logo.png", "image/png", True),
        ("scripts/run.py", "text/x-python", False),
    ]


def test_folders_are_read_level_by_level(server: SkillServer) -> None:
    server.install(skill_md("pdf"), FILES)

    def list_directory(uri: str) -> list[tuple[str, str, str]]:
        found = server.result("resources/directory/read", uri=uri)["resources"]
        return [(one["uri"].removeprefix("skill://pdf/"), one["name"], one["mimeType"]) for one in found]

    assert list_directory("skill://pdf") == [
        ("SKILL.md", "SKILL.md", "text/markdown"),
        ("logo.png", "logo.png", "image/png"),
        ("references", "references", "inode/directory"),
        ("scripts", "scripts", "inode/directory"),
    ]
    assert list_directory("skill://pdf/references") == [
        ("references/deep", "deep", "inode/directory"),
        ("references/format.md", "format.md", "text/markdown"),
    ]
    assert list_directory("skill://pdf/references/deep") == [
        ("references/deep/a%20b%20%C3%A9.txt", "a b é.txt", "text/plain"),
    ]


def test_a_folder_with_a_space_is_read_by_either_spelling(server: SkillServer) -> None:
    server.install(skill_md("pdf"), {"my notes/one.md": b"1"})
    for uri in ("skill://pdf/my%20notes", "skill://pdf/my notes"):
        (child,) = server.result("resources/directory/read", uri=uri)["resources"]
        assert (child["uri"], child["name"]) == ("skill://pdf/my%20notes/one.md", "one.md")


def test_it_says_who_installed_a_skill_and_whether_the_project_trusts_him(server: SkillServer) -> None:
    server.install(skill_md("ours"), by="ann")
    server.install(skill_md("theirs"), by="eve")
    caller = Caller(SCOPE, actor="bob", key_id="key", trusted_installers=frozenset({"ann"}))
    ours, theirs = (skill["_meta"] for skill in server.result("skills/list", caller=caller)["skills"])
    assert ours == {
        META + "version": 1,
        META + "installedBy": "ann",
        META + "installedAt": "2026-03-01T09:00:00.123Z",
        META + "trusted": True,
    }
    assert (theirs[META + "installedBy"], theirs[META + "trusted"]) == ("eve", False)
    assert "data" in theirs[META + "notice"]
    (content,) = server.result("resources/read", caller=caller, uri="skill://theirs/SKILL.md")["contents"]
    assert content["_meta"] == theirs


def test_the_version_that_is_installed_is_served(server: SkillServer) -> None:
    server.install(skill_md("pdf", "Old."))
    server.install(skill_md("pdf", "New."), number=2)
    assert server.result("skills/get", uri="skill://pdf/SKILL.md")["skill"]["frontmatter"]["description"] == "New."


def test_a_removed_skill_is_not_served(server: SkillServer) -> None:
    server.install(skill_md("gone"), FILES, removed=True)
    server.install(skill_md("here"))
    assert server.names() == ["here"]
    for method in ("skills/get", "resources/read"):
        assert server.error_of(method, uri="skill://gone/SKILL.md")[0] == -32602
    assert server.error_of("resources/read", uri="skill://gone/logo.png")[0] == -32602
    assert server.error_of("resources/directory/read", uri="skill://gone")[0] == -32602


def test_skills_are_among_the_resources_of_every_revision(server: SkillServer) -> None:
    server.install(skill_md("pdf", "Work with PDF files."), FILES)
    for revision in (*HANDSHAKE, "2026-07-28"):
        (listed,) = server.result("resources/list", revision=revision)["resources"]
        assert (listed["uri"], listed["name"], listed["description"], listed["mimeType"]) == (
            "skill://pdf/SKILL.md",
            "pdf",
            "Work with PDF files.",
            "text/markdown",
        )
        (template,) = server.result("resources/templates/list", revision=revision)["resourceTemplates"]
        assert template["uriTemplate"] == "skill://{name}/{+path}"
        (content,) = server.result("resources/read", revision=revision, uri="skill://pdf/scripts/run.py")["contents"]
        assert content["text"] == "print('%s')\n"


def test_older_revisions_have_no_methods_of_the_extension(server: SkillServer) -> None:
    server.install(skill_md("pdf"))
    for revision in HANDSHAKE:
        for method in ("skills/list", "skills/get", "resources/directory/read"):
            assert server.error_of(method, revision=revision, uri="skill://pdf/SKILL.md")[0] == -32601
        assert server.error_of("resources/read", revision=revision, uri="skill://none/SKILL.md")[0] == -32002


def test_a_key_for_other_families_finds_no_skills_and_a_readonly_one_reads_them(server: SkillServer) -> None:
    server.install(skill_md("pdf"))
    other = Caller(SCOPE, actor="ann", key_id="key", families=frozenset({"time"}))
    told = server.result("server/discover", caller=other)["capabilities"]
    assert "extensions" not in told
    for method in ("skills/list", "skills/get", "resources/directory/read", "resources/read", "resources/list"):
        assert server.error_of(method, caller=other, uri="skill://pdf/SKILL.md")[0] == -32601
    reader = Caller(SCOPE, actor="ann", key_id="key", readonly=True)
    assert server.names(reader) == ["pdf"]
    assert server.result("resources/read", caller=reader, uri="skill://pdf/SKILL.md")["contents"]


def test_projects_and_tenants_see_their_own_skills_only(server: SkillServer) -> None:
    server.install(skill_md("secret", "Ours."), {"a.txt": b"ours"})
    for scope in (Scope("tenant", "other"), Scope("stranger", "project")):
        stranger = Caller(scope, actor="ann", key_id="key")
        server.install(skill_md("own"), scope=scope)
        assert server.names(stranger) == ["own"]
        for method in ("skills/get", "resources/read"):
            code, message = server.error_of(method, caller=stranger, uri="skill://secret/SKILL.md")
            assert code == -32602
            assert "Ours" not in message


def test_a_changed_text_is_refused_and_named_and_the_others_are_listed(server: SkillServer) -> None:
    version = server.install(skill_md("bad"), FILES)
    server.install(skill_md("good"))
    server.rewrite(version, skill_md=version.skill_md.replace("Do it.", "Do iT."))
    page = server.result("skills/list")
    assert [skill["frontmatter"]["name"] for skill in page["skills"]] == ["good"]
    assert page["_meta"][META + "damaged"] == ["bad"]
    for method, uri in [
        ("skills/get", "skill://bad/SKILL.md"),
        ("resources/read", "skill://bad/SKILL.md"),
        ("resources/read", "skill://bad/logo.png"),
        ("resources/directory/read", "skill://bad"),
    ]:
        code, message = server.error_of(method, uri=uri)
        assert (code, "not what was installed" in message) == (-32603, True)
    assert len(server.defects) == 4


@pytest.mark.parametrize("path", ["logo.png", "scripts/run.py"])
def test_a_flipped_byte_of_a_file_is_found_when_it_is_read(server: SkillServer, path: str) -> None:
    server.install(skill_md("pdf"), FILES)
    rows = CONTENTS.within(server.store, SCOPE)
    digest = sha256(FILES[path]).hexdigest()
    stored = rows.get(digest)
    assert stored is not None
    flipped = bytes([stored.data[0] ^ 1]) + stored.data[1:]
    server.store.write([rows.put(type(stored)(sha256=digest, data=flipped))])
    code, message = server.error_of("resources/read", uri=f"skill://pdf/{path}")
    assert code == -32603
    assert path in message
    server.store.write([rows.delete(digest)])
    assert server.error_of("resources/read", uri=f"skill://pdf/{path}")[0] == -32603
    assert server.result("resources/read", uri="skill://pdf/SKILL.md")["contents"]


def test_rows_that_cannot_be_read_at_all_break_no_list(server: SkillServer) -> None:
    server.install(skill_md("alpha"))
    for name in ("row", "version", "missing"):
        server.install(skill_md(name))
    server.install(skill_md("zeta"))
    skills, versions = SKILLS.within(server.store, SCOPE), VERSIONS.within(server.store, SCOPE)
    row = server.store.get(skills.key("row"))
    version = server.store.get(versions.key("version", 1))
    assert row is not None
    assert version is not None
    server.store.write(
        [
            Put(row.key, {**row.attributes, "number": "one"}),
            Put(version.key, {**version.attributes, "files": "none"}),
            versions.delete("missing", 1),
        ]
    )
    page = server.result("skills/list")
    assert [skill["frontmatter"]["name"] for skill in page["skills"]] == ["alpha", "zeta"]
    assert page["_meta"][META + "damaged"] == ["missing", "row", "version"]
    for name in ("row", "version"):
        assert server.error_of("resources/read", uri=f"skill://{name}/SKILL.md")[0] == -32603


def test_a_version_of_another_skill_does_not_pass_for_this_one(server: SkillServer) -> None:
    other = server.install(skill_md("other"))
    server.install(skill_md("pdf"))
    rows = VERSIONS.within(server.store, SCOPE)
    mine, theirs = server.store.get(rows.key("pdf", 1)), server.store.get(rows.key("other", 1))
    assert mine is not None
    assert theirs is not None
    server.store.write([Put(mine.key, theirs.attributes)])
    assert other.is_whole
    assert server.error_of("resources/read", uri="skill://pdf/SKILL.md")[0] == -32603
    assert server.result("skills/list")["_meta"][META + "damaged"] == ["pdf"]
