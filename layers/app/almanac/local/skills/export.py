"""Export a skill to a folder of this machine. Files outside the folder are never written, and existing files only with
`force`."""

import os
import stat
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from almanac.composition.commands.skills import (
    SKILL_MD,
    check_file_collisions,
    check_file_size,
    check_path,
    check_segment,
    check_totals,
)
from almanac.kernel.errors import InvalidInput
from almanac.local.skills.server import DamagedAnswer, SkillServer
from almanac.local.whole_files import check_target, write_file


class SkillExport(Struct, frozen=True):
    """Report on an exported skill. `files` and `bytes` count the whole skill. `untrusted` is true if the project does
    not trust the actor that installed it."""

    name: str
    version: int
    folder: str
    files: int
    bytes: int
    installed_by: str
    untrusted: bool


def export(server: SkillServer, name: str, version: int | None, into: Path, *, force: bool) -> SkillExport:
    """Write a skill to the folder of its name in `into`, after all its files were read and checked.

    The server is not trusted, so paths and digests are checked here. Raises Conflict for existing files, InvalidInput
    for a path that leads elsewhere or cannot be written, DamagedAnswer, and the errors of the server.
    """
    about = server.skill(name, version)
    folder, number = into / check_segment(about["name"]), int(about["version"])
    files = _read(server, about["name"], number, {each["path"]: each["sha256"] for each in about["files"]})
    _write(folder, files, force=force)
    return SkillExport(
        about["name"],
        number,
        os.fspath(folder),
        len(files),
        sum(map(len, files.values())),
        about["installed_by"],
        bool(about["untrusted"]),
    )


def _read(server: SkillServer, name: str, version: int, digests: Mapping[str, str]) -> dict[str, bytes]:
    """Return SKILL.md and the files in `digests`, after comparing the latter with their digests."""
    digests = {check_path(path): digest for path, digest in digests.items()}
    check_file_collisions(digests)
    files = {SKILL_MD: server.file(name, version, SKILL_MD)}
    size = len(files[SKILL_MD])
    for path, digest in digests.items():
        files[path] = server.file(name, version, path)
        if sha256(files[path]).hexdigest() != digest:
            raise DamagedAnswer(
                f"{path} of {name} differs from what get_skill lists.", "Try again; then install it again."
            )
        check_file_size(path, len(files[path]))
        check_totals(len(files), size := size + len(files[path]))
    return files


def _write(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    targets = {path: folder.joinpath(*path.split("/")) for path in files}
    for target in targets.values():
        _refuse_others(folder, target)
        check_target(target, force=force)
    for path, target in targets.items():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InvalidInput(
                f"{target.parent} cannot be created: {problem.strerror}.", "Choose another folder."
            ) from problem
        write_file(target, files[path], force=force)


def _refuse_others(folder: Path, target: Path) -> None:
    """Raise InvalidInput if a part of the path from `folder` to `target` is a link, if the target is not a regular
    file, or if another part is not a folder. Parts that do not exist are allowed."""
    below = target.relative_to(folder).parts
    for place in (folder.joinpath(*below[:end]) for end in range(len(below) + 1)):
        try:
            mode = place.lstat().st_mode
        except OSError:
            return  # does not exist yet
        if stat.S_ISLNK(mode) or not (stat.S_ISREG(mode) if place == target else stat.S_ISDIR(mode)):
            raise InvalidInput(
                f"{place} is there, and {'a link' if stat.S_ISLNK(mode) else 'of another kind'}.",
                "Take it away, or choose another folder.",
            )
