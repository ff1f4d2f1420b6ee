"""Sources of a skill: its folder, its SKILL.md, or a zip file."""

from pathlib import Path

from almanac.composition.commands.skills import (
    MAX_ARCHIVE_BYTES,
    MAX_SKILL_MD,
    SKILL_MD,
    Archive,
    read_archive,
    skill_md_text,
)
from almanac.kernel.errors import InvalidInput
from almanac.local.skills.folder import read_folder

_ZIP = b"PK"


def read_source(path: Path) -> Archive:
    """Return the skill at a path. For a path to a SKILL.md, the folder of the skill is the folder of this file, but the
    other files in it are not read.

    Raises InvalidInput if the path is not a skill, is above the limits of a skill, or cannot be read.
    """
    try:
        if path.is_dir():
            return read_folder(path)
        with path.open("rb") as source:
            data = source.read(MAX_ARCHIVE_BYTES + 1)
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {problem.strerror}.", "Look at its name and rights.") from problem
    if data.startswith(_ZIP):
        return read_archive(data)
    if len(data) > MAX_SKILL_MD:
        raise InvalidInput(f"{path} has over {MAX_SKILL_MD} bytes.", "Name a SKILL.md, its folder or a zip file.")
    folder = path.absolute().parent.name if path.name.lower() == SKILL_MD.lower() else None
    return Archive(skill_md_text(data), {}, folder)
