"""A skill that is installed again without its files keeps them, and the answer says so."""

from dataclasses import replace

import pytest

from tests.project_app import ProjectApp
from tests.unit.families.skills.installed import install, skill_md, stored_version

FILES = {"references/a.md": "# A\n", "scripts/b.py": "print(1)\n"}


def paths(app: ProjectApp) -> list[str]:
    return [file["path"] for file in app.do("get_skill", name="tidy-desk")["files"]]


def test_files_stay_where_none_are_sent(app: ProjectApp) -> None:
    install(app, files=FILES)
    again = install(app, skill_md=skill_md(body="Do it twice."))
    assert (again["version"], again["files"], again["files_kept"]) == (2, 3, sorted(FILES))
    assert again["files_dropped"] == []
    assert "files={}" in again["notes"][0]
    assert paths(app) == sorted(FILES)
    read = app.do("read_skill_file", name="tidy-desk", path="references/a.md")
    assert (read["text"], read["version"]) == ("# A\n", 2)


def test_the_same_again_changes_nothing(app: ProjectApp) -> None:
    install(app, files=FILES)
    again = install(app)
    assert (again["version"], again["changed"], again["files_kept"]) == (1, False, sorted(FILES))


@pytest.mark.parametrize("files", [{}, {"scripts/c.py": "print(2)\n"}], ids=["none", "others"])
def test_files_that_are_sent_replace_them_and_the_answer_names_the_dropped(
    app: ProjectApp, files: dict[str, str]
) -> None:
    install(app, files=FILES)
    again = install(app, files=files)
    assert (again["files_kept"], again["files_dropped"]) == ([], sorted(FILES))
    assert "version=1" in again["notes"][0]
    assert paths(app) == sorted(files)
    assert app.do("read_skill_file", name="tidy-desk", path="scripts/b.py", version=1)["text"] == "print(1)\n"


def test_a_removed_skill_comes_back_with_its_files(app: ProjectApp) -> None:
    install(app, files=FILES)
    app.do("remove_skill", name="tidy-desk")
    assert install(app)["files_kept"] == sorted(FILES)
    assert paths(app) == sorted(FILES)


def test_nothing_is_said_of_a_first_version(app: ProjectApp) -> None:
    first = install(app)
    assert (first["files_kept"], first["files_dropped"], first["notes"]) == ([], [], [])


def test_nobody_vouches_for_files_that_he_did_not_send(app: ProjectApp) -> None:
    install(app, files=FILES)
    trusted = replace(app.caller, actor="ben", trusted_installers=frozenset({"ben"}))
    again = install(app, skill_md=skill_md(body="Do it twice."), caller=trusted)
    assert (again["files_kept"], again["files_dropped"]) == ([], sorted(FILES))
    assert "does not trust" in again["notes"][0]
    assert stored_version(app, 2).files == ()
