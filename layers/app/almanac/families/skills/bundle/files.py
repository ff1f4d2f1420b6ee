"""The files of a bundle, checked and described."""

from collections.abc import Iterable, Mapping
from hashlib import sha256

from msgspec import Struct

from almanac.families.skills.bundle.file_kinds import is_text, mime_type_of
from almanac.families.skills.bundle.paths import checked_path, folded, refuse_collisions
from almanac.kernel.errors import InvalidInput

SKILL_MD = "SKILL.md"
MAX_FILES = 512
"""Of a skill, SKILL.md included."""
MAX_FILE_BYTES = 8 * 1024 * 1024
MAX_BUNDLE_BYTES = 16 * 1024 * 1024
"""Of a skill, SKILL.md included. Clients read as much; the largest file of 756 public skills has 1.1 MB."""


class BundleFile(Struct, frozen=True):
    """`path` is a checked one, `size` in bytes, `sha256` in 64 hexadecimal digits. Of text `is_text` is true: UTF-8
    without control characters."""

    path: str
    size: int
    sha256: str
    mime_type: str
    is_text: bool

    def matches(self, data: bytes) -> bool:
        """Return whether these bytes have the recorded size and digest."""
        return len(data) == self.size and sha256(data).hexdigest() == self.sha256


def bundle_of(files: Mapping[str, bytes], skill_md_bytes: int = 0) -> tuple[BundleFile, ...]:
    """Return what is known of each of `files`, sorted by path. SKILL.md, of so many bytes, is not among them.

    Raises InvalidInput for a path that is not plain, for two that are one on some systems, and over the limits.
    """
    refuse_more(len(files) + 1, skill_md_bytes + sum(map(len, files.values())))
    checked = {path: checked_path(path) for path in files}
    refuse_collisions_of_files(checked.values())
    described = [_described(checked[path], data) for path, data in files.items()]
    return tuple(sorted(described, key=lambda file: file.path))


def refuse_collisions_of_files(paths: Iterable[str]) -> None:
    """Raises InvalidInput where two of them, or one and SKILL.md, are one file where case does not count."""
    paths = list(paths)
    for path in paths:
        if folded(path) == folded(SKILL_MD):
            raise InvalidInput(f"{path} is not one of the files.", "Give its text as skill_md.", path="files")
    refuse_collisions([SKILL_MD, *paths])


def refuse_more(count: int, size: int) -> None:
    """Raises InvalidInput over the limits of a skill: `count` files with `size` bytes in all."""
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


def refuse_larger(path: str, size: int) -> None:
    """Raises InvalidInput over the limit of a file."""
    if size > MAX_FILE_BYTES:
        raise InvalidInput(
            f"{path} has {size} bytes, over {MAX_FILE_BYTES}.", "Leave it out, or split it.", path="files"
        )


def _described(path: str, data: bytes) -> BundleFile:
    refuse_larger(path, len(data))
    text = is_text(data)
    return BundleFile(path, len(data), sha256(data).hexdigest(), mime_type_of(path, text=text), text)
