"""Keys of claims: free text of which a part is read, so that keys that mean the same thing cannot be held twice.

`file:src/auth.py` is a path and so is a key without a scheme, `src/auth.py`; both are the same key, and so are
`src\\auth.py`, `./src//auth.py` and, where the project states its root, `/home/ann/project/src/auth.py`. A path is
also everything below it: `src`, `src/` and `src/.` are one key, which overlaps with `src/auth.py`. A key of any scheme
may be a glob (`src/*.py`, `src/*.{ts,tsx}`, `branch:release/*`); it overlaps with the keys of its scheme that mean
something it means too. A glob with brackets also stands for the path that is spelled so, since names such as
`[slug].tsx` exist.
"""

import re
import unicodedata
from functools import lru_cache
from hashlib import sha256
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.team.claims.paths import PathRules, is_absolute, normal, within_root
from almanac.families.team.globs import overlap as globs
from almanac.families.team.globs.automaton import Automaton
from almanac.families.team.globs.overlap import Allowance, Pattern
from almanac.kernel.errors import InvalidInput

MAX_GLOB_BYTES = 400
MAX_DOTTED = 16
MAX_BRANCHES = 2000
_MAX_ID_BYTES = 512
_PREFIX_CHARACTERS = 100
_FILE = "file"

# A scheme has two letters at least, so that a drive of Windows is none.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_MAGIC = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_DOTTED = re.compile(r"(?:^|[/{,])\.\.?(?:$|[/},])")
_SLASHES = re.compile(r"/{2,}")
_DRIVES = re.compile(r"[^/]*[{,][A-Za-z]:/")

_ANY_PATHS = PathRules()


class ClaimKey(Struct, frozen=True):
    """A key as it was read. Keys of the same `id` are the same key. `space` names the register for the globs like it.

    `name` is what follows the scheme, as it is compared: with `is_path` a path or a glob of paths. `prefix` is what the
    ids of all keys begin with that this one overlaps with, unless those are globs or `above`: the ids of the folders
    that it lies in. `former_id` is the id that a claim may still have which was made before a folder and its inside
    became one key, or before capitals were ignored.
    """

    text: str
    id: str
    space: str
    name: str
    is_path: bool
    prefix: str
    above: tuple[str, ...]
    pattern: Pattern
    is_glob: bool
    is_absolute: bool
    former_id: str | None = None

    def overlaps(self, other: "ClaimKey", allowance: Allowance | None = None) -> bool:
        """Tell whether both mean something in common; True also where finding out takes more than the allowance.

        A checkout may lie anywhere: an absolute path also overlaps with a relative one that it may end with.
        """
        if self.is_path != other.is_path or not (self.is_path or self.space == other.space):
            return False
        if self.is_absolute == other.is_absolute:
            return self.id == other.id or globs.intersect(self.pattern, other.pattern, allowance)
        absolute, relative = (self, other) if self.is_absolute else (other, self)
        return globs.ends_overlap(absolute.pattern, relative.pattern, allowance)


def given_key(text: str, rules: PathRules = _ANY_PATHS) -> ClaimKey:
    """The key that a caller gave: blanks around it are not meant. Raises as `read_key` does."""
    return read_key(text.strip(), rules)


@lru_cache(2048)
def read_key(text: str, rules: PathRules = _ANY_PATHS) -> ClaimKey:
    """Raises InvalidInput for a path that is empty, and for a glob that is too long or that cannot be read."""
    scheme, rest = _split(unicodedata.normalize("NFC", text))
    if scheme != _FILE:
        return _other_key(text, scheme, rest)
    key = _path_key(text, rest, rules)
    if not rules.ignore_case or rules.root is not None or key.former_id is not None:
        return key
    spelled = _spelled_id(rest, key)
    return replace(key, former_id=spelled) if spelled != key.id else key


def _spelled_id(path: str, key: ClaimKey) -> str:
    """The id that a key of that path had while capitals counted."""
    name = within_root(path, _ANY_PATHS)
    return _id(f"{_FILE}:{name if _BRACES.search(name) else normal(name)}", is_glob=key.is_glob)


def file_key(path: str, rules: PathRules = _ANY_PATHS) -> ClaimKey:
    """The key of one file, whatever characters its path has, and of nothing below it."""
    name = normal(within_root(unicodedata.normalize("NFC", path), rules), any_name=True)
    return _plain(path, _FILE, name, is_folder=False)


def _other_key(text: str, scheme: str, rest: str) -> ClaimKey:
    pattern = globs.parse(rest, is_path=False, spelled=True)
    if isinstance(pattern, globs.Literal):
        return _plain(text, scheme, pattern.text)
    magic = _MAGIC.search(rest)
    return _glob(text, scheme, rest, rest[: magic.start()] if magic else rest, pattern)


def _path_key(text: str, rest: str, rules: PathRules) -> ClaimKey:
    if not rest:
        raise _no_path(text)
    rest = within_root(rest, rules)
    name = rest
    if _BRACES.search(rest):
        rest = _without_dots(rest, text)
    else:
        name = rest = normal(rest)
    pattern = globs.parse(rest, spelled=True, lists_folders=True)
    if isinstance(pattern, globs.Literal):
        if not pattern.text:
            raise _no_path(text)
        former = f"{_FILE}:{pattern.text}/**" if _ends_as_folder(text) else None
        return _plain(text, _FILE, normal(pattern.text), former)
    if (pattern.is_absolute and pattern.is_relative) or _DRIVES.match(rest):
        raise InvalidInput(f'"{text}" mixes absolute and relative paths.', "Claim each path on its own.", path="key")
    if pattern.may_be_nothing:
        raise _no_path(text)
    if rules.root and is_absolute(rest) and globs.intersect(pattern, globs.Literal(rules.root, is_folder=True)):
        raise InvalidInput(
            f'"{text}" has paths inside and outside of the root of the project.',
            f"Write paths in {rules.root} relative to it.",
            path="key",
        )
    magic = _MAGIC.search(rest)
    return _glob(text, _FILE, name, _SLASHES.sub("/", rest[: magic.start()] if magic else rest), pattern)


def _glob(text: str, scheme: str, name: str, prefix: str, pattern: Pattern) -> ClaimKey:
    """`prefix` is what all that it means begins with. Braces are left in the id as they were spelled: it is read
    again."""
    if isinstance(pattern, Automaton) and sum(map(len, pattern.edges)) > MAX_BRANCHES:
        raise InvalidInput(
            f'"{text[:80]}" has too many brace alternatives to compare.',
            "Claim a folder, or a glob with fewer braces.",
            path="key",
        )
    return _key(text, scheme, name, prefix, pattern, is_glob=True)


def _plain(text: str, scheme: str, name: str, former_id: str | None = None, *, is_folder: bool = True) -> ClaimKey:
    pattern = globs.Literal(name, is_folder=is_folder and scheme == _FILE)
    return _key(text, scheme, name, name, pattern, is_glob=False, former_id=former_id)


def _key(
    text: str, scheme: str, name: str, prefix: str, pattern: Pattern, *, is_glob: bool, former_id: str | None = None
) -> ClaimKey:
    return ClaimKey(
        text=text,
        id=_id(f"{scheme}:{name}", is_glob=is_glob),
        space=_space(scheme, name),
        name=name,
        is_path=scheme == _FILE,
        prefix=f"{scheme}:{prefix}"[:_PREFIX_CHARACTERS],
        above=_above(scheme, prefix),
        pattern=pattern,
        is_glob=is_glob,
        is_absolute=scheme == _FILE and (is_absolute(name) or (isinstance(pattern, Automaton) and pattern.is_absolute)),
        former_id=former_id,
    )


def _above(scheme: str, name: str) -> tuple[str, ...]:
    """The ids of the folders that a path lies in, the outermost first."""
    if scheme != _FILE:
        return ()
    ends = [place for place, character in enumerate(name) if character == "/" and place]
    return tuple(_id(f"{scheme}:{name[:end]}", is_glob=False) for end in ends)


def space_of(claim_id: str) -> str:
    """The space of the key with that id."""
    scheme, _, name = claim_id.partition(":")
    return _space(scheme, name)


def _space(scheme: str, name: str) -> str:
    return f"{scheme}/" if scheme == _FILE and is_absolute(name) else scheme


def _without_dots(path: str, text: str) -> str:
    """A path with braces, without names that are `.` or `..`: those that braces touch are only understood once the
    braces are opened."""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    if not _DOTTED.search(path):
        return path
    meant = [normal(each) for each in _alternatives(path, text)]
    return meant[0] if len(meant) == 1 else "{" + ",".join(meant) + "}"


def _alternatives(path: str, text: str) -> list[str]:
    opened = [path]
    while any(_BRACES.search(each) for each in opened):
        opened = list(dict.fromkeys(chain.from_iterable(map(_opened, opened))))
        if len(opened) > MAX_DOTTED:
            raise InvalidInput(f'"{text}" has . or .. next to its braces.', "Write the paths without them.", path="key")
    return opened


def _opened(text: str) -> list[str]:
    """Without the first of its innermost braces, once for each alternative in them."""
    brace = _BRACES.search(text)
    if brace is None:
        return [text]
    return [text[: brace.start()] + each + text[brace.end() :] for each in brace[1].split(",")]


def _split(text: str) -> tuple[str, str]:
    found = _SCHEME.fullmatch(text)
    return (found[1].lower(), found[2]) if found else (_FILE, text)


def _ends_as_folder(text: str) -> bool:
    return text.replace("\\", "/").endswith(("/", "/."))


def _no_path(text: str) -> InvalidInput:
    return InvalidInput(f'"{text}" is not a path.', "Name a file, e.g. file:src/auth.py.", path="key")


def _id(whole: str, *, is_glob: bool) -> str:
    size = len(whole.encode())
    if is_glob and size > MAX_GLOB_BYTES:
        raise InvalidInput(
            f"A glob has at most {MAX_GLOB_BYTES} bytes, not {size}.", "Claim a shorter one, or a folder.", path="key"
        )
    if size <= _MAX_ID_BYTES:
        return whole
    # Keys of the store are bounded: the rest of a long one is told apart by its digest.
    return f"{whole[:_PREFIX_CHARACTERS]}…{sha256(whole.encode()).hexdigest()}"
