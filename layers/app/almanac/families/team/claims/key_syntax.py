"""Syntax of claim keys. Keys are free text, parsed far enough that two spellings of the same key cannot both be held.

`file:src/auth.py` is a path. So is a key without a scheme, such as `src/auth.py`; both are the same key, and so are
`src\\auth.py`, `./src//auth.py` and, if the project states its root, `/home/ann/project/src/auth.py`. A path also
covers everything below it: `src`, `src/` and `src/.` are one key, which overlaps with `src/auth.py`. A key of any
scheme may be a glob (`src/*.py`, `src/*.{ts,tsx}`, `branch:release/*`). A glob overlaps with every key of its scheme
that shares a match with it. A glob with brackets also matches the path of the same spelling, since names such as
`[slug].tsx` exist.
"""

import re
import unicodedata
from functools import lru_cache
from hashlib import sha256
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.team.claims.paths import PathRules, is_absolute, normalize, within_root
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

# A scheme has at least two letters, so that a Windows drive is not taken for one.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_MAGIC = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_DOTTED = re.compile(r"(?:^|[/{,])\.\.?(?:$|[/},])")
_SLASHES = re.compile(r"/{2,}")
_DRIVES = re.compile(r"[^/]*[{,][A-Za-z]:/")

_ANY_PATHS = PathRules()


class ClaimKey(Struct, frozen=True):
    """A parsed key. Keys with the same `id` are the same key; `space` names the register of globs of its kind.

    `name` is the normalised part after the scheme; with `is_path` it is a path or a glob of paths. Every key that
    overlaps with this one has an id that begins with `prefix`, unless it is a glob or one of `above`, the ids of the
    folders above the path. `former_id` is the id under which a claim may be stored from before a folder and its inside
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
        """Return whether both keys share a match, or True if finding out exceeds the allowance.

        A checkout may be anywhere, so an absolute path also overlaps with every relative path that it may end with.
        """
        if self.is_path != other.is_path or not (self.is_path or self.space == other.space):
            return False
        if self.is_absolute == other.is_absolute:
            return self.id == other.id or globs.intersect(self.pattern, other.pattern, allowance)
        absolute, relative = (self, other) if self.is_absolute else (other, self)
        return globs.ends_overlap(absolute.pattern, relative.pattern, allowance)


def parse_given_key(text: str, rules: PathRules = _ANY_PATHS) -> ClaimKey:
    """Parse a key that a caller wrote, without the blanks around it. Raises as `read_key` does."""
    return parse_key(text.strip(), rules)


@lru_cache(2048)
def parse_key(text: str, rules: PathRules = _ANY_PATHS) -> ClaimKey:
    """Parse a key. Raises InvalidInput for an empty path, and for a glob that is too long or cannot be parsed."""
    scheme, rest = _split(unicodedata.normalize("NFC", text))
    if scheme != _FILE:
        return _other_key(text, scheme, rest)
    key = _path_key(text, rest, rules)
    if not rules.ignore_case or rules.root is not None or key.former_id is not None:
        return key
    spelled = _case_sensitive_id(rest, key)
    return replace(key, former_id=spelled) if spelled != key.id else key


def _case_sensitive_id(path: str, key: ClaimKey) -> str:
    """Return the id that a key of that path had before capitals were ignored."""
    name = within_root(path, _ANY_PATHS)
    return _id(f"{_FILE}:{name if _BRACES.search(name) else normalize(name)}", is_glob=key.is_glob)


def file_key(path: str, rules: PathRules = _ANY_PATHS) -> ClaimKey:
    """Return the key of one file, whatever characters its path has. It covers nothing below the file."""
    name = normalize(within_root(unicodedata.normalize("NFC", path), rules), any_name=True)
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
        name = rest = normalize(rest)
    pattern = globs.parse(rest, spelled=True, lists_folders=True)
    if isinstance(pattern, globs.Literal):
        if not pattern.text:
            raise _no_path(text)
        former = f"{_FILE}:{pattern.text}/**" if _ends_as_folder(text) else None
        return _plain(text, _FILE, normalize(pattern.text), former)
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
    """Build the key of a glob. Every match of it begins with `prefix`. Braces stay in the id as the caller spelled
    them, because the id is parsed again."""
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
    """Return the ids of the folders above a path, outermost first."""
    if scheme != _FILE:
        return ()
    ends = [place for place, character in enumerate(name) if character == "/" and place]
    return tuple(_id(f"{scheme}:{name[:end]}", is_glob=False) for end in ends)


def space_of(claim_id: str) -> str:
    """Return the space of the key with this id."""
    scheme, _, name = claim_id.partition(":")
    return _space(scheme, name)


def _space(scheme: str, name: str) -> str:
    return f"{scheme}/" if scheme == _FILE and is_absolute(name) else scheme


def _without_dots(path: str, text: str) -> str:
    """Resolve `.` and `..` in a path with braces. A brace may hide such a name, so the braces are opened first."""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    if not _DOTTED.search(path):
        return path
    normalized = [normalize(each) for each in _alternatives(path, text)]
    return normalized[0] if len(normalized) == 1 else "{" + ",".join(normalized) + "}"


def _alternatives(path: str, text: str) -> list[str]:
    opened = [path]
    while any(_BRACES.search(each) for each in opened):
        opened = list(dict.fromkeys(chain.from_iterable(map(_open_brace, opened))))
        if len(opened) > MAX_DOTTED:
            raise InvalidInput(f'"{text}" has . or .. next to its braces.', "Write the paths without them.", path="key")
    return opened


def _open_brace(text: str) -> list[str]:
    """Open the first of the innermost braces, and return one text per alternative in it."""
    brace = _BRACES.search(text)
    if brace is None:
        return [text]
    return [text[: brace.start()] + each + text[brace.end() :] for each in brace[1].split(",")]


def _split(text: str) -> tuple[str, str]:
    match = _SCHEME.fullmatch(text)
    return (match[1].lower(), match[2]) if match else (_FILE, text)


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
    # Keys of the store are bounded: a digest stands for the rest of a long one.
    return f"{whole[:_PREFIX_CHARACTERS]}…{sha256(whole.encode()).hexdigest()}"
