"""Read a folder of this machine as a skill. Only regular files count, and no link is followed."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from almanac.composition.commands.skills import (
    MAX_FILE_BYTES,
    SKILL_MD,
    Archive,
    check_file_size,
    check_path,
    check_totals,
    left_out,
    skill_md_text,
)
from almanac.kernel.errors import InvalidInput

MAX_VISITED = 20_000
"""Maximum number of entries in the folder, including skipped ones."""

_NAMES = (SKILL_MD, SKILL_MD.lower())
# Do not follow a link that was created meanwhile, and do not wait for the other end of a pipe.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_folder(folder: Path, max_visited: int = MAX_VISITED) -> Archive:
    """Return the skill in a folder with a SKILL.md. Links, pipes, devices, and files of version control and of
    operating systems are skipped and listed.

    Raises InvalidInput if SKILL.md is missing, for a path that is not plain, and above the limits of a skill. Raises
    OSError for a file that cannot be read.
    """
    others: list[str] = []
    files: dict[str, bytes] = {}
    size = 0
    for path in _files(folder, others, max_visited):
        name = check_path(path)
        files[name] = read_regular(folder / path, name)
        size += len(files[name])
        check_totals(len(files), size)
    main = next((name for name in _NAMES if name in files), None)
    if main is None:
        raise InvalidInput(f"There is no {SKILL_MD} in {folder}.", "Name the folder of a skill.", path="folder")
    return Archive(skill_md_text(files.pop(main)), files, folder.absolute().name or None, tuple(others))


def _files(root: Path, others: list[str], max_visited: int) -> Iterator[str]:
    """Yield the paths of regular files below `root`, sorted within each folder. Skipped entries are added to
    `others`."""
    waiting, visited = [""], 0
    while waiting:
        above = waiting.pop()
        with os.scandir(root / above) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
        visited += len(listed)
        if visited > max_visited:
            raise InvalidInput(f"{root} has over {max_visited} entries.", "Name the folder of a skill.", path="folder")
        for entry in listed:
            path = f"{above}{entry.name}"
            mode = entry.stat(follow_symlinks=False).st_mode
            if left_out(path) is not None or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                others.append(path)
            elif stat.S_ISDIR(mode):
                waiting.append(f"{path}/")
            else:
                yield path


def read_regular(file: Path, path: str) -> bytes:
    """Return the content of a file. Raises InvalidInput for a large file and anything but a regular file, and OSError
    for a link."""
    with open(os.open(file, _FLAGS), "rb") as source:
        about = os.fstat(source.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InvalidInput(f"{path} is not a regular file.", "Leave it out.", path="folder")
        check_file_size(path, about.st_size)
        # Check again, in case the file has grown.
        data = source.read(MAX_FILE_BYTES + 1)
    check_file_size(path, len(data))
    return data
