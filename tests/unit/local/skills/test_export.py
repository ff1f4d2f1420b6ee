"""A skill written to a folder: whole, proven, and nowhere else."""

import os
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.commands.skills import Archive
from almanac.kernel.errors import AlmanacError, Conflict, InvalidInput, NotFound
from almanac.local.skills.export import SkillExport, export
from almanac.local.skills.server import PART, DamagedAnswer
from almanac.local.skills.sources import read_source
from almanac.local.skills.upload import send
from tests.unit.local.skills.tool_calls import ToolCalls

TEXT = "---\nname: desk\ndescription: Tidies.\n---\n{0}\n"
FILES = {"references/a.md": "Ä\r\n😀".encode() * 50_500, "assets/b.bin": bytes(range(256)) * 800, "empty.txt": b""}
HOSTILE = [
    "../out.md",
    "/tmp/out.md",
    "a/../../out.md",
    "a\\..\\out.md",
    "C:out.md",
    "nul",
    "a/./b",
    "..",
    "skill.md",
    "\uff0e\uff0e/out.md",
]


@pytest.fixture(scope="module")
def filled_store(tmp_path_factory: pytest.TempPathFactory) -> ToolCalls:
    calls = ToolCalls(tmp_path_factory.mktemp("store"))
    for body in ("One", "Two"):
        send(calls.server, Archive(TEXT.format(body), FILES, "desk"), lambda _: None, strict=True)
    return calls


@pytest.fixture
def calls(filled_store: ToolCalls) -> ToolCalls:
    """A server with two versions of a skill, which exports only read."""
    return filled_store.reset()


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "skills"


def export_desk(calls: ToolCalls, into: Path, version: int | None = None, *, force: bool = False) -> SkillExport:
    return export(calls.server, "desk", version, into, force=force)


def written_files(into: Path) -> dict[str, bytes]:
    return {path.relative_to(into).as_posix(): path.read_bytes() for path in into.rglob("*") if path.is_file()}


def test_what_was_installed_is_written_and_can_be_read_again(calls: ToolCalls, into: Path):
    report = export_desk(calls, into)

    assert (report.name, report.version, report.folder, report.files) == ("desk", 2, str(into / "desk"), 4)
    assert report.untrusted
    again = read_source(into / "desk")
    assert (again.skill_md, again.files, again.folder) == (TEXT.format("Two"), FILES, "desk")
    assert len(FILES["references/a.md"].decode()) > PART > 0
    assert not os.access(into / "desk" / "SKILL.md", os.X_OK)


def test_an_older_version_is_written(calls: ToolCalls, into: Path):
    assert export_desk(calls, into, 1).version == 1
    assert read_source(into / "desk").skill_md == TEXT.format("One")


def test_nothing_is_written_over_but_with_force(calls: ToolCalls, into: Path):
    (into / "desk" / "references").mkdir(parents=True)
    (into / "desk" / "references" / "a.md").write_text("mine")
    (into / "desk" / "mine.txt").write_text("mine")
    before = written_files(into)

    with pytest.raises(Conflict, match=r"a\.md already exists"):
        export_desk(calls, into)
    assert written_files(into) == before

    export_desk(calls, into, force=True)
    assert written_files(into / "desk") == {"SKILL.md": TEXT.format("Two").encode(), "mine.txt": b"mine", **FILES}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("link", ["desk", "desk/references", "desk/SKILL.md"])
def test_nothing_is_written_through_a_link(calls: ToolCalls, into: Path, tmp_path: Path, link: str, force: bool):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (into / link).parent.mkdir(parents=True)
    (into / link).symlink_to(elsewhere)

    with pytest.raises(InvalidInput, match="is there, and a link"):
        export_desk(calls, into, force=force)
    assert not list(elsewhere.iterdir())


def test_a_folder_where_a_file_belongs_is_refused(calls: ToolCalls, into: Path):
    (into / "desk" / "SKILL.md").mkdir(parents=True)

    with pytest.raises(InvalidInput, match="of another kind"):
        export_desk(calls, into, force=True)


@pytest.mark.parametrize("path", HOSTILE)
def test_a_path_that_the_server_makes_up_is_refused(calls: ToolCalls, into: Path, tmp_path: Path, path: str):
    before = set(written_files(tmp_path))

    def bend(tool: str, answer: dict[str, Any]) -> dict[str, Any]:
        listed = [{**each, "path": path} for each in answer.get("files", [])[:1]]
        return answer | {"files": listed} if tool == "get_skill" else answer

    calls.bend = bend
    with pytest.raises(AlmanacError):
        export_desk(calls, into)
    assert set(written_files(tmp_path)) == before


@pytest.mark.parametrize("name", ["..", "../other", "a/b", "/tmp", "con"])
def test_a_name_that_the_server_makes_up_is_refused(calls: ToolCalls, into: Path, name: str):
    calls.bend = lambda tool, answer: answer | ({"name": name} if tool == "get_skill" else {})

    with pytest.raises(InvalidInput):
        export_desk(calls, into)
    assert not into.exists()


@pytest.mark.parametrize("field", ["sha256", "text"])
def test_a_file_that_is_not_what_its_digest_says_is_not_written(calls: ToolCalls, into: Path, field: str):
    def bend(tool: str, answer: dict[str, Any]) -> dict[str, Any]:
        there = tool == "read_skill_file" and answer["path"] == "references/a.md"
        return answer | {field: "0" * 64} if there else answer

    calls.bend = bend
    with pytest.raises(DamagedAnswer):
        export_desk(calls, into)
    assert not into.exists()


def test_a_file_that_is_another_than_the_list_says_is_not_written(calls: ToolCalls, into: Path):
    def bend(tool: str, answer: dict[str, Any]) -> dict[str, Any]:
        listed = [{**each, "sha256": "0" * 64} for each in answer.get("files", [])]
        return answer | {"files": listed} if tool == "get_skill" else answer

    calls.bend = bend
    with pytest.raises(DamagedAnswer, match="differs from what get_skill lists"):
        export_desk(calls, into)


def test_a_file_without_end_is_given_up(calls: ToolCalls, into: Path):
    calls.bend = lambda tool, answer: answer | ({"next_offset": 0} if tool == "read_skill_file" else {})

    with pytest.raises(DamagedAnswer, match="has no end"):
        export_desk(calls, into)


def test_a_skill_that_there_is_not_is_not_found(calls: ToolCalls, into: Path):
    with pytest.raises(NotFound):
        export(calls.server, "nope", None, into, force=False)
