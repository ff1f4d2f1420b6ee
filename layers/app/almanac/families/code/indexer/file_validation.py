"""Validation of the files that a caller sends to be indexed."""

import re
from hashlib import sha256
from typing import Annotated

from msgspec import Meta, Struct

from almanac.families.code.core.code import file_id
from almanac.families.code.core.left_out import MAX_BYTES, may_hold_secrets
from almanac.kernel.errors import InvalidInput

MAX_FILES = 500
TOTAL_BYTES = 4 * 1024 * 1024
MAX_PATH = 500

RepoId = Annotated[
    str,
    Meta(
        description="Your name for it: letters, digits and . _ - / @ :, e.g. acme/web.",
        min_length=1,
        max_length=100,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._/@:-]*$",
        examples=["acme/web"],
    ),
]

_OUTSIDE = frozenset({"", ".", ".."})
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:")


class CodeFileInput(Struct, frozen=True, forbid_unknown_fields=True):
    """A file to index. `content` is its whole text, in UTF-8 at most 1 MB. `path` is relative to the repository."""

    path: str
    content: str


class ValidatedFile(Struct, frozen=True):
    """A valid file. `digest` and `bytes` belong to the content as it was sent."""

    id: str
    path: str
    content: str
    digest: str
    bytes: int


def validate_file(repo_id: str, file: CodeFileInput) -> ValidatedFile:
    """Validate a file. Raises InvalidInput for a path outside of the repository, for a file whose name indicates
    secrets, and for too large a content."""
    path = check_path(file.path)
    if may_hold_secrets(path):
        raise InvalidInput(
            f"{path[:80]!r} looks like an environment file, a private key or a key store, which are not indexed.",
            "Leave it out. A template such as .env.example is indexed.",
            path=path,
        )
    encoded = file.content.encode(errors="replace")
    if len(encoded) > MAX_BYTES:
        raise InvalidInput(
            f"It has {len(encoded)} bytes, over {MAX_BYTES}.", "Leave out generated and vendored files.", path=path
        )
    return ValidatedFile(file_id(repo_id, path), path, file.content, sha256(encoded).hexdigest(), len(encoded))


def check_path(path: str) -> str:
    """Return a path within the repository with single slashes. Raises InvalidInput for any other path."""
    tidy = path.replace("\\", "/").removeprefix("./")
    if not tidy or len(tidy.encode(errors="replace")) > MAX_PATH or _CONTROLS.search(tidy) or _DRIVE.match(tidy):
        raise InvalidInput(
            f"{path[:80]!r} is not a path in a repository.",
            f"Write it relative to the repository, at most {MAX_PATH} bytes, such as src/auth.py.",
            path="path",
        )
    if _OUTSIDE.intersection(tidy.split("/")):
        raise InvalidInput(
            f"{path[:80]!r} has an empty part or a .. that leaves the repository.",
            "Write it relative to the repository, such as src/auth.py.",
            path="path",
        )
    return tidy
