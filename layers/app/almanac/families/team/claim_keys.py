"""Keys of claims: free text of which a part is read, so that keys that mean the same thing cannot be held twice.

`file:src/auth.py` is a path and so is a key without a scheme, `src/auth.py`; both are the same key. A path that ends
in `/` is everything below it. A key of any scheme may be a glob (`src/*.py`, `branch:release/*`); it overlaps with the
keys of its scheme that mean something it means too. A key with brackets also stands for the path that is spelled so,
since names such as `[slug].tsx` exist.
"""

import re
import unicodedata
from functools import lru_cache
from hashlib import sha256

from msgspec import Struct

from almanac.families.team import globs
from almanac.families.team.globs import Pattern
from almanac.kernel.errors import InvalidInput

MAX_GLOB_BYTES = 400
_MAX_ID_BYTES = 512
_PREFIX_CHARACTERS = 100
_FILE = "file"

# A scheme has two letters at least, so that a drive of Windows is none.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_MAGIC = re.compile(r"[*?\[]")


class ClaimKey(Struct, frozen=True):
    """A key as it was read. Keys of the same `id` are the same key; those of different `space` never overlap.

    `name` is what follows the scheme, as it is compared. `prefix` is what the ids of all keys begin with that this one
    overlaps with, unless those are globs.
    """

    text: str
    id: str
    space: str
    name: str
    prefix: str
    patterns: tuple[Pattern, ...]
    is_glob: bool

    def overlaps(self, other: "ClaimKey") -> bool:
        """Whether both mean something in common."""
        if self.space != other.space:
            return False
        return self.id == other.id or any(
            globs.intersect(one, another) for one in self.patterns for another in other.patterns
        )

    @property
    def path(self) -> str | None:
        """The path or glob of paths that it names; None for a key of another scheme."""
        return self.name if self.id.startswith(_FILE + ":") else None


@lru_cache(2048)
def read_key(text: str) -> ClaimKey:
    """Raises InvalidInput for a path that is empty and for a glob of over 400 bytes."""
    scheme, rest = _split(unicodedata.normalize("NFC", text))
    name = _normal(rest, text) if scheme == _FILE else rest
    return _key(text, scheme, name, globs.parse(name))


def file_key(path: str) -> ClaimKey:
    """The key of one file, whatever characters its path has."""
    name = "/".join(part for part in unicodedata.normalize("NFC", path).split("/") if part not in {"", "."})
    name = "/" * path.startswith("/") + name
    return _key(path, _FILE, name, globs.literal(name))


def _key(text: str, scheme: str, name: str, pattern: Pattern) -> ClaimKey:
    is_glob = not globs.is_literal(pattern)
    whole = f"{scheme}:{name}"
    magic = _MAGIC.search(whole) if is_glob else None
    return ClaimKey(
        text=text,
        id=_id(whole, is_glob),
        space=f"{scheme}/" if scheme == _FILE and name.startswith("/") else scheme,
        name=name,
        prefix=whole[: magic.start() if magic else None][:_PREFIX_CHARACTERS],
        patterns=(pattern, globs.literal(name)) if is_glob and "[" in name else (pattern,),
        is_glob=is_glob,
    )


def _split(text: str) -> tuple[str, str]:
    found = _SCHEME.fullmatch(text)
    return (found[1].lower(), found[2]) if found else (_FILE, text)


def _normal(path: str, text: str) -> str:
    """The path without what does not change its meaning. What ends as a folder does becomes the glob of its inside."""
    if not path:
        raise InvalidInput(f'"{text}" names no path.', "Name a file, e.g. file:src/auth.py.", path="key")
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] not in {"..", "**"} and not _MAGIC.search(parts[-1]):
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    if not parts or path.endswith(("/", "/.")):
        parts.append("**")
    return "/" * path.startswith("/") + "/".join(parts)


def _id(whole: str, is_glob: bool) -> str:
    size = len(whole.encode())
    if is_glob and size > MAX_GLOB_BYTES:
        raise InvalidInput(
            f"A glob has at most {MAX_GLOB_BYTES} bytes, not {size}.", "Claim a shorter one, or a folder.", path="key"
        )
    if size <= _MAX_ID_BYTES:
        return whole
    # Keys of the store are bounded: the rest of a long one is told apart by its digest.
    return f"{whole[:_PREFIX_CHARACTERS]}…{sha256(whole.encode()).hexdigest()}"
