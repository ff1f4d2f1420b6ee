"""Test concurrent installs of skills on every store: each is a version, none is lost, and contents stay unchanged."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from almanac.families.skills.bundle.files import BundleFile
from almanac.families.skills.core.documents import SOURCES
from almanac.families.skills.core.records import CONTENTS, SKILLS, UPLOADS, VERSIONS
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.skill_store.file_input import SkillFileInput
from almanac.families.skills.skill_store.installation import Outcome, SkillInstallation, install, remove
from almanac.families.skills.skill_store.reader import content_of, find_skill, page_of, version_of
from almanac.families.skills.skill_store.uploads import upload
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.errors import NotFound
from almanac.platform.project import patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.contract.backends import Place
from tests.unit.families.skills.installed import skill_md

WRITERS = 8
Opener = Callable[[], SkillProject]


@pytest.fixture
def skills(place: Place, clock: FixedClock, scope: Scope) -> Opener:
    """Return a project with a store of its own, as each process has."""
    return lambda: skills_over(place, scope, clock)


def skills_over(place: Place, scope: Scope, clock: FixedClock) -> SkillProject:
    return SkillProject(place.open(clock), scope, "ann", clock, os.urandom, patient_backoff())


def install_skill(project: SkillProject, body: str, files: dict[str, str | SkillFileInput] | None = None) -> Outcome:
    return install(project, SkillInstallation(skill_md=skill_md(body=body), files=files or {}))


def at_once(count: int, call: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(count) as agents:
        return list(agents.map(call, range(count)))


def number_of(outcome: Outcome) -> int:
    assert outcome.version is not None
    return outcome.version.number


def files_of(project: SkillProject, number: int) -> dict[str, bytes]:
    version = version_of(project, "tidy-desk", number)
    return {file.path: content_of(project, version, file) for file in version.files}


def test_of_installs_at_once_each_is_a_version_and_none_is_lost(skills: Opener) -> None:
    skills().rows(SKILLS).get("tidy-desk")  # the file is made before eight make it at once
    files: list[dict[str, str | SkillFileInput]] = [
        {"own.md": f"{number}\n", "same.md": "Same.\n"} for number in range(WRITERS)
    ]
    made = at_once(WRITERS, lambda number: install_skill(skills(), f"Do {number}.", files[number]))

    assert sorted(map(number_of, made)) == list(range(1, WRITERS + 1))
    project = skills()
    for number, outcome in enumerate(made):
        version = version_of(project, "tidy-desk", number_of(outcome))
        assert version.skill_md == skill_md(body=f"Do {number}.")
        assert files_of(project, version.number) == {"own.md": f"{number}\n".encode(), "same.md": b"Same.\n"}
    skill = find_skill(project, "tidy-desk")
    assert (skill.number, skill.content) == (WRITERS, version_of(project, "tidy-desk").content)
    assert [entry.version for entry in skill.history] == list(range(WRITERS, 0, -1))
    assert len(list(project.rows(CONTENTS).every())) == WRITERS + 1


def test_of_the_same_install_at_once_one_is_made(skills: Opener) -> None:
    skills().rows(SKILLS).get("tidy-desk")
    made = at_once(WRITERS, lambda _: install_skill(skills(), "Do it.", {"a.md": "A.\n"}))
    assert {number_of(outcome) for outcome in made} == {1}
    assert [outcome.changed for outcome in made].count(True) == 1


def test_installs_and_removals_at_once_leave_one_of_both_and_every_version(skills: Opener) -> None:
    install_skill(skills(), "First.")

    def act(number: int) -> Outcome | None:
        if number % 2:
            return install_skill(skills(), f"Do {number}.")
        remove(skills(), "tidy-desk")
        return None

    made = [outcome for outcome in at_once(WRITERS, act) if outcome is not None]
    assert sorted(map(number_of, made)) == [2, 3, 4, 5]
    project = skills()
    last = project.rows(SKILLS).get("tidy-desk")
    assert last is not None
    assert last.number == 5
    services = Services({Store: lambda: project.store, Clock: lambda: project.clock})
    found = [each.known_as for each in SOURCES[0].every(services, project.scope, "")]
    assert found == ([] if last.removed_at is not None else ["tidy-desk"])


def test_uploads_of_many_at_once_are_joined(skills: Opener) -> None:
    skills().rows(UPLOADS).get("x")
    parts = [f"part {number} " * 1000 for number in range(WRITERS)]
    sent = at_once(WRITERS, lambda number: upload(skills(), {"part": parts[number]})[0].sha256)
    install_skill(skills(), "Do it.", {"whole.txt": SkillFileInput(uploads=sent)})
    assert files_of(skills(), 1) == {"whole.txt": "".join(parts).encode()}


def test_a_skill_of_many_and_large_files_reads_back(skills: Opener) -> None:
    files: dict[str, str | SkillFileInput] = {f"f/{number:03}.md": f"{number}\n" * 20 for number in range(300)}
    files |= {f"large-{number}.txt": f"{number}" * 250_000 for number in range(9)}
    outcome = install_skill(skills(), "Do it.", files)
    assert outcome.changed
    assert files_of(skills(), 1) == {path: str(text).encode() for path, text in files.items()}


def test_pages_bring_each_skill_once_and_removed_ones_never(skills: Opener) -> None:
    project = skills()
    names = [f"skill-{number}" for number in range(7)]
    for name in names:
        install(project, SkillInstallation(skill_md=skill_md(name)))
    remove(project, names[3])
    found: list[str] = []
    place: str | None = ""
    while place is not None:
        page, place = page_of(project, limit=2, after=place)
        found += [skill.name for skill in page]
    assert found == [name for name in names if name != names[3]]


def test_tenants_and_projects_have_nothing_of_each_other(place: Place, clock: FixedClock, scope: Scope) -> None:
    scopes = [scope, Scope(scope.tenant, "other"), Scope(f"{scope.tenant}-b", scope.project)]
    projects = [skills_over(place, each, clock) for each in scopes]
    for number, project in enumerate(projects):
        assert page_of(project, limit=5, after="") == ([], None)
        with pytest.raises(NotFound):
            version_of(project, "tidy-desk", 1)
        assert number_of(install_skill(project, f"Do {number}.", {"a.md": "A.\n"})) == 1
    remove(projects[0], "tidy-desk")
    for number in (1, 2):
        assert version_of(projects[number], "tidy-desk").skill_md == skill_md(body=f"Do {number}.")
        assert files_of(projects[number], 1) == {"a.md": b"A.\n"}


def test_a_removed_version_reads_as_before_in_another_process(skills: Opener) -> None:
    files: dict[str, str | SkillFileInput] = {"a.md": "A.\n"}
    before = install_skill(skills(), "Do it.", files).version
    remove(skills(), "tidy-desk")
    assert version_of(skills(), "tidy-desk", 1) == before
    assert number_of(install_skill(skills(), "Do it.", files)) == 2
    (file,) = version_of(skills(), "tidy-desk").files
    assert isinstance(file, BundleFile)
    assert len(list(skills().rows(VERSIONS).every("tidy-desk"))) == 2
