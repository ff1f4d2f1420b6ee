"""Paths within a bundle: what they may look like, so that no system reads more into them than a name.

A path is what its letters say: `%2e%2e` is a name and nothing is decoded. A path that any common file system would
read otherwise (another folder, a device, a stream, the same file as another path) is refused, wherever it is used.
"""

import re
import unicodedata
from collections.abc import Iterable

from almanac.content.characters import BIDI, BROKEN, CONTROLS, INVISIBLE, JOINER, NON_JOINER, TAGS, ZERO_WIDTH_SPACE
from almanac.kernel.errors import InvalidInput

MAX_PATH_BYTES = 512
MAX_SEGMENT_BYTES = 255
MAX_SEGMENTS = 20

_UNSEEN = re.compile(
    f"[\t\n\r\u2028\u2029{CONTROLS}{BIDI}{INVISIBLE}{BROKEN}{TAGS}{ZERO_WIDTH_SPACE}{NON_JOINER}{JOINER}]"
)
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|CLOCK\$|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9])", re.IGNORECASE)
_FOLDERS = frozenset({".git", ".hg", ".svn", ".jj", "CVS", "__pycache__", "__MACOSX", ".venv", "node_modules"})
_FILES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Files and folders that tools and systems leave beside a skill's own."""
_SHOWN = 80
_HINT = "Write it relative to the folder of SKILL.md, with slashes, such as references/format.md."


def checked_path(text: str) -> str:
    """The path of a file within a bundle, in NFC. Raises InvalidInput for anything but a plain relative path."""
    if not text:
        raise InvalidInput("The path is empty.", _HINT, path="path")
    # Before it is normalised, which costs time for each mark on a letter.
    if len(text) > MAX_PATH_BYTES:
        raise _refused(text, f"has {len(text)} characters, over {MAX_PATH_BYTES} bytes")
    if "\\" in text:
        raise _refused(text, "has a backslash")
    if text.startswith("/"):
        raise _refused(text, "is absolute")
    segments = text.split("/")
    if len(segments) > MAX_SEGMENTS:
        raise _refused(text, f"has over {MAX_SEGMENTS} parts")
    path = "/".join(_checked(each, text) for each in segments)
    if (size := len(path.encode())) > MAX_PATH_BYTES:
        raise _refused(text, f"has {size} bytes, over {MAX_PATH_BYTES}")
    return path


def checked_segment(text: str) -> str:
    """One part of a path, in NFC. Raises InvalidInput."""
    if "/" in text or "\\" in text:
        raise _refused(text, "has a slash")
    return _checked(text, text)


def folded(path: str) -> str:
    """Equal for two paths that are one file where case does not count, as on macOS and Windows."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def refuse_collisions(paths: Iterable[str]) -> None:
    """Raises InvalidInput where two files have one path, or one is where another has a folder, on a system on which
    case does not count. `paths` are checked ones."""
    files: dict[str, str] = {}
    for path in paths:
        if (other := files.get(key := folded(path))) is not None:
            raise _colliding(path, other)
        files[key] = path
    for key, path in files.items():
        parts = key.split("/")
        for end in range(1, len(parts)):
            if (other := files.get("/".join(parts[:end]))) is not None:
                raise _colliding(path, other)


def _checked(segment: str, whole: str) -> str:
    if (reason := _problem(segment)) is not None:
        raise _refused(whole, reason)
    return unicodedata.normalize("NFC", segment)


def _problem(segment: str) -> str | None:
    """Return why a segment is not a plain name. Folding of compatible characters counts too: two fullwidth dots become
    `..`."""
    if not segment:
        return "has an empty part"
    if _UNSEEN.search(segment):
        return "has characters that cannot be seen"
    alike = unicodedata.normalize("NFKC", segment)
    if "/" in alike or "\\" in alike:
        return "has a character that stands for a slash"
    if set(alike.replace(" ", "")) <= {"."}:
        return "leads to another folder, or is only spaces and dots"
    if ":" in segment:
        return "has a colon, which names a drive or a stream"
    if segment != segment.strip(" ") or segment.endswith("."):
        return "has a part with a space at an end, or a dot at its end"
    if _DEVICE.fullmatch(alike.partition(".")[0].rstrip()):
        return "has the name of a device"
    if len(segment.encode()) > MAX_SEGMENT_BYTES:
        return f"has a part of over {MAX_SEGMENT_BYTES} bytes"
    return None


def _refused(text: str, reason: str) -> InvalidInput:
    return InvalidInput(f"{_shown(text)} {reason}.", _HINT, path="path")


def _colliding(path: str, other: str) -> InvalidInput:
    return InvalidInput(
        f"{_shown(path)} and {_shown(other)} cannot both be files where case does not count.",
        "Rename one of them.",
        path="path",
    )


def _shown(text: str) -> str:
    """In quotes, its unseen characters escaped."""
    return ascii(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!a}..."


def left_out(path: str) -> str | None:
    """The folder or file name for which a path is left out; None where it belongs to the skill."""
    *folders, name = path.split("/")
    if (folder := next((each for each in folders if each in _FOLDERS), None)) is not None:
        return folder
    return name if name in _FILES or name in _FOLDERS or name.startswith("._") else None
