"""The files of a bundle: their limits, checks and descriptions."""

from collections.abc import Iterable, Mapping
from hashlib import sha256

from msgspec import Struct

from almanac.families.skills.bundle.file_kinds import is_text, mime_type_of
from almanac.families.skills.bundle.paths import check_collisions, check_path, fold_path
from almanac.kernel.errors import InvalidInput

SKILL_MD = "SKILL.md"
MAX_FILES = 512
"""Limit per skill, SKILL.md included."""
MAX_FILE_BYTES = 8 * 1024 * 1024
MAX_BUNDLE_BYTES = 16 * 1024 * 1024
"""Limit per skill, SKILL.md included. Clients read as much; the largest file of 756 public skills has 1.1 MB."""


class BundleFile(Struct, frozen=True):
    """The description of a file. `path` is checked, `size` is in bytes, and `sha256` has 64 hexadecimal digits.
    `is_text` means UTF-8 without control characters."""

    path: str
    size: int
    sha256: str
    mime_type: str
    is_text: bool

    def matches(self, data: bytes) -> bool:
        """Return whether these bytes have the recorded size and digest."""
        return len(data) == self.size and sha256(data).hexdigest() == self.sha256


def bundle_of(files: Mapping[str, bytes], skill_md_bytes: int = 0) -> tuple[BundleFile, ...]:
    """Return the descriptions of `files`, sorted by path. SKILL.md is not among them, but its `skill_md_bytes` count.

    Raises InvalidInput for an unsafe path, for two paths that are the same file on some systems, and over the limits.
    """
    check_totals(len(files) + 1, skill_md_bytes + sum(map(len, files.values())))
    checked = {path: check_path(path) for path in files}
    check_file_collisions(checked.values())
    described = [_describe(checked[path], data) for path, data in files.items()]
    return tuple(sorted(described, key=lambda file: file.path))


def check_file_collisions(paths: Iterable[str]) -> None:
    """Raise InvalidInput if two paths, or a path and SKILL.md, are one file on a system that ignores case."""
    paths = list(paths)
    for path in paths:
        if fold_path(path) == fold_path(SKILL_MD):
            raise InvalidInput(f"{path} is not one of the files.", "Give its text as skill_md.", path="files")
    check_collisions([SKILL_MD, *paths])


def check_totals(count: int, size: int) -> None:
    """Raise InvalidInput if `count` files with `size` bytes in total exceed the limits of a skill."""
    if count > MAX_FILES:
        raise InvalidInput(
            f"The skill has over {MAX_FILES} files.", "Remove files that the skill does not need.", path="files"
        )
    if size > MAX_BUNDLE_BYTES:
        raise InvalidInput(
            f"The files have over {MAX_BUNDLE_BYTES} bytes in all.",
            "Remove files that the skill does not need.",
            path="files",
        )


def check_file_size(path: str, size: int) -> None:
    """Raise InvalidInput if a file exceeds the size limit."""
    if size > MAX_FILE_BYTES:
        raise InvalidInput(
            f"{path} has {size} bytes, over {MAX_FILE_BYTES}.", "Leave it out, or split it.", path="files"
        )


def _describe(path: str, data: bytes) -> BundleFile:
    check_file_size(path, len(data))
    text = is_text(data)
    return BundleFile(path, len(data), sha256(data).hexdigest(), mime_type_of(path, text=text), text)
