"""Skills as large as they may be, in a store that keeps large values apart."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.skills.bundle.files import MAX_FILES
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.skill_store.file_input import SkillFileInput
from almanac.families.skills.skill_store.installation import SkillInstallation, install
from almanac.families.skills.skill_store.reader import content_of, version_of
from almanac.kernel.errors import InvalidInput
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.large_values import LargeValues
from tests.project_app import ProjectApp
from tests.unit.families.skills.installed import project_of, skill_md


@pytest.fixture
def project(app: ProjectApp, tmp_path: Path) -> SkillProject:
    return replace(project_of(app), store=LargeValues(app.store, FolderBlobs(tmp_path / "blobs"), os.urandom))


@pytest.mark.parametrize("length", [10, 290_000, 1_000_000])
def test_as_many_files_as_there_may_be_stand_beside_any_text(project: SkillProject, length: int) -> None:
    files: dict[str, str | SkillFileInput] = {
        f"{'d' * 150}/{'e' * 150}/{number:03}.md": f"{number}\n" for number in range(MAX_FILES - 1)
    }
    text = skill_md(body="step " * (length // 5))
    assert install(project, SkillInstallation(skill_md=text, files=files)).changed
    version = version_of(project, "tidy-desk")
    assert version.skill_md == text
    assert {file.path: content_of(project, version, file).decode() for file in version.files} == files


def test_a_file_of_several_megabytes_reads_back(project: SkillProject) -> None:
    whole = "line of a table\n" * 250_000
    install(project, SkillInstallation(skill_md=skill_md(), files={"table.txt": whole}))
    version = version_of(project, "tidy-desk")
    assert content_of(project, version, version.files[0]).decode() == whole


def test_more_than_a_skill_may_have_is_refused_whole(project: SkillProject) -> None:
    part = "x" * 6_000_000
    files: dict[str, str | SkillFileInput] = {f"{number}.txt": part for number in range(3)}
    with pytest.raises(InvalidInput, match="bytes in all"):
        install(project, SkillInstallation(skill_md=skill_md(), files=files))
    with pytest.raises(InvalidInput, match="over 8388608"):
        install(project, SkillInstallation(skill_md=skill_md(), files={"a.txt": "x" * 9_000_000}))
