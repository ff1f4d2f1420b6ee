"""Validation of paths within a bundle, so that every system takes a path for a plain file name.

A path means its literal characters. `%2e%2e` is a name, and nothing is decoded. A path is rejected everywhere if any
common file system reads it as something else: another folder, a device, a stream, or the same file as another path.
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
"""Files and folders that tools and operating systems create beside a skill's own."""
_SHOWN = 80
_HINT = "Write it relative to the folder of SKILL.md, with slashes, such as references/format.md."


def check_path(text: str) -> str:
    """Return the path of a file within a bundle, in NFC. Raises InvalidInput for anything but a plain relative path."""
    if not text:
        raise InvalidInput("The path is empty.", _HINT, path="path")
    # Check the length before normalisation, which costs time for each mark on a letter.
    if len(text) > MAX_PATH_BYTES:
        raise _path_error(text, f"has {len(text)} characters, over {MAX_PATH_BYTES} bytes")
    if "\\" in text:
        raise _path_error(text, "has a backslash")
    if text.startswith("/"):
        raise _path_error(text, "is absolute")
    segments = text.split("/")
    if len(segments) > MAX_SEGMENTS:
        raise _path_error(text, f"has over {MAX_SEGMENTS} parts")
    path = "/".join(_check_segment(each, text) for each in segments)
    if (size := len(path.encode())) > MAX_PATH_BYTES:
        raise _path_error(text, f"has {size} bytes, over {MAX_PATH_BYTES}")
    return path


def check_segment(text: str) -> str:
    """Return one part of a path, in NFC. Raises InvalidInput for anything but a plain name."""
    if "/" in text or "\\" in text:
        raise _path_error(text, "has a slash")
    return _check_segment(text, text)


def fold_path(path: str) -> str:
    """Return a form that is equal for two paths of one file on systems that ignore case, such as macOS and Windows."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def check_collisions(paths: Iterable[str]) -> None:
    """Raise InvalidInput if two checked paths collide on a system that ignores case: two files with one path, or a file
    where another path has a folder."""
    files: dict[str, str] = {}
    for path in paths:
        if (other := files.get(key := fold_path(path))) is not None:
            raise _collision_error(path, other)
        files[key] = path
    for key, path in files.items():
        parts = key.split("/")
        for end in range(1, len(parts)):
            if (other := files.get("/".join(parts[:end]))) is not None:
                raise _collision_error(path, other)


def _check_segment(segment: str, whole: str) -> str:
    if (reason := _problem(segment)) is not None:
        raise _path_error(whole, reason)
    return unicodedata.normalize("NFC", segment)


def _problem(segment: str) -> str | None:
    """Return the reason why a segment is not a plain name, None if it is. Compatible characters count as their folded
    form: two fullwidth dots become `..`."""
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


def _path_error(text: str, reason: str) -> InvalidInput:
    return InvalidInput(f"{_quote(text)} {reason}.", _HINT, path="path")


def _collision_error(path: str, other: str) -> InvalidInput:
    return InvalidInput(
        f"{_quote(path)} and {_quote(other)} cannot both be files where case does not count.",
        "Rename one of them.",
        path="path",
    )


def _quote(text: str) -> str:
    """Return the text in quotes, with invisible characters escaped."""
    return ascii(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!a}..."


def left_out(path: str) -> str | None:
    """Return the folder or file name for which a path is left out, None if the path belongs to the skill."""
    *folders, name = path.split("/")
    if (folder := next((each for each in folders if each in _FOLDERS), None)) is not None:
        return folder
    return name if name in _FILES or name in _FOLDERS or name.startswith("._") else None
