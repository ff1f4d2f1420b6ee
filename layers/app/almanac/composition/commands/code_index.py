"""Rules of the code index for a working tree: excluded files, and the test for text."""

from typing import cast

import msgspec

from almanac.families.code.core.left_out import decode_text, left_out, left_out_by_path
from almanac.families.code.indexer.file_validation import MAX_BYTES, RepoId, check_path
from almanac.kernel.errors import InvalidInput

__all__ = [
    "MAX_BYTES",
    "check_path",
    "check_repo_id",
    "decode_text",
    "left_out",
    "left_out_by_path",
]


def check_repo_id(name: str) -> str:
    """Return `name` if it can name a repository. Raises InvalidInput otherwise."""
    try:
        return cast(str, msgspec.convert(name, RepoId))
    except msgspec.ValidationError:
        raise InvalidInput(
            f"{name[:100]!r} cannot be the name of a repository.",
            "Give --repo a name of at most 100 letters, digits and . _ / @ : -, such as acme/web.",
        ) from None
