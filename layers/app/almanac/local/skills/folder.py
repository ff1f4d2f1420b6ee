"""A folder of this machine as a skill: its regular files, and nothing that a link leads to."""

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
"""Entries of the folder, those included that are left out."""

_NAMES = (SKILL_MD, SKILL_MD.lower())
# Not through a link that came in the meantime, and not waiting for the other end of a pipe.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_folder(folder: Path, max_visited: int = MAX_VISITED) -> Archive:
    """The skill in a folder that has a SKILL.md. Links, pipes, devices, and what version control and systems leave
    behind are left out, and named.

    Raises InvalidInput without a SKILL.md, for a path that is not plain, and over the limits of a skill; OSError for
    what cannot be read.
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
    """Paths of regular files below `root`, sorted; what is none of the skill goes to `others`."""
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
    """The bytes of a file of the folder. Raises InvalidInput for no file or a large one, OSError for a link."""
    with open(os.open(file, _FLAGS), "rb") as source:
        about = os.fstat(source.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InvalidInput(f"{path} is not a regular file.", "Leave it out.", path="folder")
        check_file_size(path, about.st_size)
        # A file that grows meanwhile is refused as well.
        data = source.read(MAX_FILE_BYTES + 1)
    check_file_size(path, len(data))
    return data
