"""Skills on their way to a server: in one call, in several, and where something is wrong with one of them."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from almanac.composition.commands.skills import Archive, default_skills
from almanac.kernel.errors import Unavailable
from almanac.local.client.patient_calls import ServerRefusal
from almanac.local.client.tool_calls import Failed
from almanac.local.skills.installation import InstallReport, Source, default_sources, install, sources_at
from almanac.local.skills.server import DamagedAnswer
from almanac.local.skills.upload import AT_ONCE, PART, send, size_of
from tests.unit.local.skills.tool_calls import ToolCalls

TEXT = "---\nname: {0}\ndescription: Tidies the {0}.\n---\nBody\n"


@pytest.fixture
def calls(tmp_path: Path) -> ToolCalls:
    return ToolCalls(tmp_path)


def skill(name: str = "desk", files: Mapping[str, bytes] | None = None) -> Archive:
    return Archive(TEXT.format(name), dict(files or {}), name)


def noise(size: int, seed: int = 1) -> bytes:
    return Random(seed).randbytes(size)


def install_skills(calls: ToolCalls, *skills: Archive, strict: bool = False) -> list[InstallReport]:
    sources = [Source(each.folder or "?", each) for each in skills]
    return list(install(calls.server, sources, lambda _: None, strict=strict))


def there(calls: ToolCalls, name: str, paths: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: calls.server.file(name, 1, path) for path in paths}


def test_a_small_skill_goes_in_one_call(calls: ToolCalls):
    files = {"references/a.md": "Ä\r\n".encode(), "assets/b.bin": b"\x00\xff", "empty.txt": b""}

    [row] = install_skills(calls, skill(files=files))

    assert (row.ok, row.name, row.version, row.changed, row.valid, row.files) == (True, "desk", 1, True, True, 4)
    assert row.bytes == size_of(skill(files=files))
    assert [tool for tool, _ in calls.sent] == ["install_skill"]
    assert there(calls, "desk", files) == files


def test_the_same_again_changes_nothing(calls: ToolCalls):
    first, again = install_skills(calls, skill(), skill())

    assert (first.changed, again.changed, again.version) == (True, False, 1)


def test_a_large_skill_goes_in_parts_each_sent_once(calls: ToolCalls):
    large = noise(2 * PART + 5)
    files = {"a.bin": large, "b.bin": large, "c.txt": "aä€😀\n".encode() * 60_000, "d.txt": b"d", "empty": b""}
    told: list[int] = []

    answer = send(calls.server, skill(files=files), told.append, strict=False)

    assert (answer["ok"], answer["files"]) == (True, 6)
    assert sum(told) == size_of(skill(files=files))
    *uploads, (_, last) = calls.sent
    assert all(arguments["upload_only"] for _, arguments in uploads)
    assert all(len(str(arguments["files"])) < AT_ONCE + 1000 for _, arguments in uploads)
    assert "b.bin" not in {path for _, arguments in uploads for path in arguments["files"]}
    assert all("uploads" in each for each in last["files"].values())
    assert there(calls, "desk", files) == files


def test_a_bad_skill_stops_no_other(calls: ToolCalls):
    nameless = Archive("no front matter", {}, "none")
    colliding = skill("twice", {"a.md": b"", "A.md": b""})
    colon = Archive("---\nname: Colon\ndescription: Loads.\n---\n", {}, "colon")

    rows = install_skills(calls, nameless, colliding, colon, skill())

    assert [row.ok for row in rows] == [False, False, True, True]
    assert "no description" in (rows[0].problem or "")
    assert "on some systems" in (rows[1].problem or "") or rows[1].problem
    assert (rows[2].valid, rows[2].errors[0].rule) == (False, "name_not_lowercase")
    assert install_skills(calls, colon, strict=True)[0].problem


def test_sources_say_what_is_wrong_with_them(tmp_path: Path, calls: ToolCalls):
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "SKILL.md").write_text(TEXT.format("desk"))
    (tmp_path / "bare").mkdir()

    sources = [*sources_at([tmp_path / "desk", tmp_path / "bare", tmp_path / "nowhere"])]
    rows = list(install(calls.server, sources, lambda _: None, strict=True))

    assert [row.ok for row in rows] == [True, False, False]
    assert "no SKILL.md" in (rows[1].problem or "")
    assert [row.source for row in rows] == [str(tmp_path / each) for each in ("desk", "bare", "nowhere")]


def test_default_skills_are_installed_by_name_as_they_are_and_trusted(calls: ToolCalls):
    rows = list(install(calls.server, default_sources([], every=True), lambda _: None, strict=True))

    assert [row.name for row in rows] == [each.name for each in default_skills()]
    assert all(row.ok and row.valid and not row.warnings and not row.redacted for row in rows)
    assert all(row["trusted"] for row in calls.server.skills())
    for each in default_skills():
        assert calls.server.file(each.name, 1, "SKILL.md").decode() == each.skill_md


def test_a_default_skill_that_there_is_not_is_named_with_those_that_there_are(calls: ToolCalls):
    one, other = install(
        calls.server, default_sources(["go-project", "nope"], every=False), lambda _: None, strict=True
    )

    assert (one.ok, one.name) == (True, "go-project")
    assert (other.ok, other.source) == (False, "nope")
    assert "almanac-toolkit" in (other.problem or "")


def test_a_server_that_is_away_for_a_moment_is_asked_again(calls: ToolCalls):
    away = iter([Failed("away", 2, passing=True), Failed("busy", 1, passing=True, retry_after=1)])
    calls.fail = lambda _: next(away, None)

    [row] = install_skills(calls, skill())

    assert (row.ok, row.version, len(calls.sent)) == (True, 1, 3)


@pytest.mark.parametrize(
    ("failed", "raised"),
    [(Failed("No server answers.", 2, passing=True), Unavailable), (Failed("The key is not known.", 1), ServerRefusal)],
)
def test_where_the_server_does_not_answer_nothing_more_is_tried(
    calls: ToolCalls, failed: Failed, raised: type[Exception]
):
    calls.fail = lambda _: failed

    with pytest.raises(raised):
        install_skills(calls, skill("a"), skill("b"))
    assert {arguments["folder"] for _, arguments in calls.sent} == {"a"}


def test_what_arrives_otherwise_than_it_was_sent_is_not_installed(calls: ToolCalls):
    def bend(tool: str, answer: dict[str, object]) -> dict[str, object]:
        return answer | {"uploads": [{"path": "a.bin", "sha256": "0" * 64, "size": 1}]}

    calls.bend = bend
    with pytest.raises(DamagedAnswer, match="did not arrive"):
        send(calls.server, skill(files={"a.bin": noise(AT_ONCE)}), lambda _: None, strict=False)
    assert not list(calls.server.skills())
