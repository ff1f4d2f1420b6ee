"""Writers of skills that are killed at random: what was acknowledged is there, and nothing is half installed."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from almanac.families.skills.core.records import SKILLS, VERSIONS
from almanac.families.skills.skill_store.reader import content_of, find_skill, version_of
from tests.integration.skill_writer import skills_at
from tests.unit.families.skills.installed import skill_md

ROOT = Path(__file__).parents[2]
ROUNDS = 6
WRITERS = 2


def run_until_killed(path: Path, round_number: int, lines: int) -> list[str]:
    """Return the whole lines that writers printed until they were killed."""
    command = [sys.executable, "-m", "tests.integration.skill_writer", str(path)]
    writers = [
        subprocess.Popen([*command, f"r{round_number}w{number}"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for number in range(WRITERS)
    ]
    said: list[str] = []
    for writer in writers:
        assert writer.stdout is not None
        said += [writer.stdout.readline() for _ in range(lines)]
    for writer in writers:
        writer.kill()
    for writer in writers:
        said += writer.communicate()[0].splitlines(keepends=True)
    return [line.rstrip("\n") for line in said if line.endswith("\n")]


@pytest.mark.slow
def test_killed_writers_lose_nothing_and_leave_no_half_of_a_skill(tmp_path: Path) -> None:
    path, chance = tmp_path / "store.db", Random(18)
    project = skills_at(path)
    assert project.rows(SKILLS).get("tidy-desk") is None  # the file is made before two make it at once
    said = [line for number in range(ROUNDS) for line in run_until_killed(path, number, chance.randint(3, 25))]

    told = dict(line.split(" ") for line in said)
    last = find_skill(project, "tidy-desk").number
    assert len(told) == len(said)
    assert len(said) <= last <= len(said) + ROUNDS * WRITERS
    assert [each.number for each in project.rows(VERSIONS).every("tidy-desk")] == list(range(1, last + 1))
    for number in range(1, last + 1):
        version = version_of(project, "tidy-desk", number)
        body = told.get(str(number), version.skill_md.splitlines()[-1])
        assert version.skill_md == skill_md(body=body)
        files = {file.path: content_of(project, version, file).decode() for file in version.files}
        assert files == {"a.md": f"{body}\n" * 200, "b.md": body}
