"""Answers are bounded, however many skills there are and however large."""

import json
from pathlib import Path

import pytest

from almanac.families.skills.mcp_resources.pages import MAX_PAGE_BYTES, MAX_READ, MAX_SKILLS, MAX_TEXTS
from almanac.families.skills.mcp_resources.skills import MAX_READ_BYTES
from almanac.platform.store.keys import Partition
from tests.doubles.observed_store import ObservedStore
from tests.doubles.skill_server import SkillServer, open_store, skill_md


@pytest.fixture
def server(tmp_path: Path) -> SkillServer:
    return SkillServer(open_store(tmp_path))


def test_a_thousand_skills_are_listed_once_each_and_by_name(server: SkillServer) -> None:
    for number in range(1000):
        server.install(skill_md(f"skill-{number:04}"), removed=number % 10 == 0)
    listed = server.names()
    assert listed == [f"skill-{number:04}" for number in range(1000) if number % 10]
    page = server.result("skills/list")
    assert len(page["skills"]) == MAX_SKILLS


def test_removed_skills_by_the_hundred_make_short_pages_not_long_reads(server: SkillServer) -> None:
    for number in range(MAX_READ + 20):
        server.install(skill_md(f"gone-{number:04}"), removed=True)
    server.install(skill_md("here"))
    first = server.result("skills/list")
    assert first["skills"] == []
    assert server.names() == ["here"]


def test_a_page_ends_behind_the_entry_that_makes_it_large(server: SkillServer) -> None:
    long = {f"{'é' * 120}/{'ü' * 120}/{number:03}.txt": b"x" for number in range(400)}
    for name in ("alpha", "beta", "gamma", "zeta"):
        server.install(skill_md(name), long)
    first = server.result("skills/list")
    assert 1 <= len(first["skills"]) < 4
    size = len(json.dumps(first))
    assert size < 3 * MAX_PAGE_BYTES
    assert server.names() == ["alpha", "beta", "gamma", "zeta"]


def test_a_page_of_long_texts_is_short(server: SkillServer) -> None:
    names = [f"long-{number:02}" for number in range(20)]
    for name in names:
        server.install(skill_md(name, body="x" * 400_000))
    assert len(server.result("skills/list")["skills"]) == 1 + MAX_TEXTS // 400_000
    assert server.names() == names


def test_the_largest_file_is_read_and_a_larger_one_refused_with_what_to_do(server: SkillServer) -> None:
    server.install(skill_md("pdf"), {"most.bin": b"\0" * MAX_READ_BYTES, "more.bin": b"\0" * (MAX_READ_BYTES + 1)})
    (content,) = server.result("resources/read", uri="skill://pdf/most.bin")["contents"]
    assert len(content["blob"]) > MAX_READ_BYTES
    code, message = server.error_of("resources/read", uri="skill://pdf/more.bin")
    assert (code, "read_skill_file" in message) == (-32602, True)


def test_a_text_that_grows_on_its_way_is_refused_before_it_breaks_the_gateway(server: SkillServer) -> None:
    server.install(skill_md("pdf"), {"quotes.txt": b'"' * MAX_READ_BYTES})
    code, message = server.error_of("resources/read", uri="skill://pdf/quotes.txt")
    assert (code, "larger than can be sent" in message) == (-32602, True)


def test_reading_a_file_asks_for_its_project_alone(tmp_path: Path) -> None:
    asked: list[Partition] = []
    store = open_store(tmp_path)
    SkillServer(store).install(skill_md("pdf"), {"a.txt": b"a"})
    server = SkillServer(ObservedStore(store, lambda request: asked.extend(request[1])))
    server.result("resources/read", uri="skill://pdf/a.txt")
    server.result("skills/list")
    assert asked
    assert all(partition.text.startswith("P#tenant#project#") for partition in asked)


def test_a_large_skill_whose_text_is_gone_breaks_no_list(server: SkillServer, tmp_path: Path) -> None:
    server.install(skill_md("large", body="x" * 500_000))
    server.install(skill_md("small"))
    assert server.names() == ["large", "small"]
    for blob in [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]:
        blob.unlink()
    page = server.result("skills/list")
    assert [skill["frontmatter"]["name"] for skill in page["skills"]] == ["small"]
    assert page["_meta"]["io.modelcontextprotocol.skills/unavailable"] == ["large"]
    assert server.answer("resources/read", {"uri": "skill://large/SKILL.md"})["error"]
