"""A skill written to a folder of this machine: nothing outside it, and nothing over what is there unless it is asked
for."""

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
    """`files` and `bytes` are those of the whole skill. `untrusted`: who installed it is not trusted in its project."""

    name: str
    version: int
    folder: str
    files: int
    bytes: int
    installed_by: str
    untrusted: bool


def export(server: SkillServer, name: str, version: int | None, into: Path, *, force: bool) -> SkillExport:
    """Write it to the folder of its name in `into`, once all of it is read and proven.

    The server is not believed: paths and digests are checked here. Raises Conflict for what is there already,
    InvalidInput for what leads elsewhere or cannot be written, DamagedAnswer, and as the server.
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


def _read(server: SkillServer, name: str, version: int, listed: Mapping[str, str]) -> dict[str, bytes]:
    """SKILL.md and the files that are `listed` with their digests."""
    digests = {check_path(path): digest for path, digest in listed.items()}
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
    """Raises InvalidInput where a link leads elsewhere on the way from `folder` to `target`, or that is no file."""
    below = target.relative_to(folder).parts
    for place in (folder.joinpath(*below[:end]) for end in range(len(below) + 1)):
        try:
            mode = place.lstat().st_mode
        except OSError:
            return  # nothing there yet
        if stat.S_ISLNK(mode) or not (stat.S_ISREG(mode) if place == target else stat.S_ISDIR(mode)):
            raise InvalidInput(
                f"{place} is there, and {'a link' if stat.S_ISLNK(mode) else 'of another kind'}.",
                "Take it away, or choose another folder.",
            )
