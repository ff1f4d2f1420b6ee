"""Keys of claims: free text of which a part is read, so that keys that mean the same thing cannot be held twice.

`file:src/auth.py` is a path and so is a key without a scheme, `src/auth.py`; both are the same key, and so is
`src\\auth.py`. A path that ends in `/` is everything below it. A key of any scheme may be a glob (`src/*.py`,
`src/*.{ts,tsx}`, `branch:release/*`); it overlaps with the keys of its scheme that mean something it means too. A glob
with brackets also stands for the path that is spelled so, since names such as `[slug].tsx` exist.
"""

import re
import unicodedata
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from os.path import commonprefix

from msgspec import Struct

from almanac.families.team import globs
from almanac.families.team.globs import Pattern
from almanac.kernel.errors import InvalidInput

MAX_GLOB_BYTES = 400
MAX_ALTERNATIVES = 64
_MAX_ID_BYTES = 512
_PREFIX_CHARACTERS = 100
_FILE = "file"

# A scheme has two letters at least, so that a drive of Windows is none.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_MAGIC = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")


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


def given_key(text: str) -> ClaimKey:
    """The key that a caller gave: blanks around it are not meant. Raises as `read_key` does."""
    return read_key(text.strip())


@lru_cache(2048)
def read_key(text: str) -> ClaimKey:
    """Raises InvalidInput for a path that is empty, and for a glob of over 400 bytes or 64 alternatives in braces."""
    scheme, rest = _split(unicodedata.normalize("NFC", text))
    if scheme == _FILE:
        rest = rest.replace("\\", "/")
    opened = _alternatives(rest)
    meant = list(dict.fromkeys(_normal(each, text) for each in opened)) if scheme == _FILE else opened
    return _key(text, scheme, rest, meant)


def file_key(path: str) -> ClaimKey:
    """The key of one file, whatever characters its path has."""
    path = unicodedata.normalize("NFC", path).replace("\\", "/")
    name = "/" * path.startswith("/") + "/".join(part for part in path.split("/") if part not in {"", "."})
    return _read(path, _FILE, name, (globs.literal(name),), name)


def _key(text: str, scheme: str, rest: str, meant: list[str]) -> ClaimKey:
    """`meant` is what `rest` stands for. Braces are left in the id as they were spelled: it is read again."""
    name = rest if len(meant) > 1 else meant[0]
    patterns = tuple(globs.parse(each) for each in meant)
    if len(patterns) == 1 and globs.is_literal(patterns[0]):
        return _read(text, scheme, name, patterns, name)
    if len({_is_absolute(scheme, each) for each in (*meant, name)}) > 1:
        raise InvalidInput(f'"{text}" names absolute and other paths.', "Claim them one by one.", path="key")
    spelled = tuple(globs.literal(each) for each in meant if "[" in each)
    common = commonprefix(meant)  # noqa: RUF071 - characters are meant, not names
    magic = _MAGIC.search(common)
    return _read(text, scheme, name, (*patterns, *spelled), common[: magic.start() if magic else None], is_glob=True)


def _read(
    text: str, scheme: str, name: str, patterns: tuple[Pattern, ...], prefix: str, *, is_glob: bool = False
) -> ClaimKey:
    return ClaimKey(
        text=text,
        id=_id(f"{scheme}:{name}", is_glob),
        space=f"{scheme}/" if _is_absolute(scheme, name) else scheme,
        name=name,
        prefix=f"{scheme}:{prefix}"[:_PREFIX_CHARACTERS],
        patterns=patterns,
        is_glob=is_glob,
    )


def _is_absolute(scheme: str, name: str) -> bool:
    return scheme == _FILE and _ABSOLUTE.match(name) is not None


def _alternatives(text: str) -> list[str]:
    """What `text` stands for with its braces: `{a,b}.py` for `a.py` and `b.py`. Braces without a comma are a name's."""
    found: list[str] = []
    opened = [text]
    while opened != found:
        found = opened
        opened = list(dict.fromkeys(chain.from_iterable(map(_opened, found))))
        if len(opened) > MAX_ALTERNATIVES:
            raise InvalidInput(
                f"The braces stand for more than {MAX_ALTERNATIVES} keys.", "Claim a folder, or fewer.", path="key"
            )
    return found


def _opened(text: str) -> list[str]:
    """Without the first of its innermost braces, once for each alternative in them."""
    brace = _BRACES.search(text)
    if brace is None:
        return [text]
    return [text[: brace.start()] + each + text[brace.end() :] for each in brace[1].split(",")]


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
