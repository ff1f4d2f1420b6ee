"""Places: the part of a project that a memory is about, as `projectPath` names it.

A place only filters within the project of the key. Almanac never opens a file by it, and it gives no access to another
project.
"""

import re
from posixpath import normpath

from almanac.content import clean
from almanac.kernel.errors import InvalidInput

MAX_CHARACTERS = 1024
_DRIVE = re.compile(r"([A-Za-z]):(/|$)")


def place_of(path: str | None, name: str = "projectPath") -> str | None:
    """Return the normal form of a path: `C:\\repo\\.` and `c:/repo/` are the same place. Return None for an empty path
    and for the working folder, `.`. Raises InvalidInput, naming the argument `name`, for a path that leads out of
    itself."""
    if path is None:
        return None
    text = clean(path).text.strip().replace("\\", "/").removeprefix("file://")
    if not text:
        return None
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(
            f"{name} has {len(text)} characters, over {MAX_CHARACTERS}.", "Name the folder of the project.", path=name
        )
    place = _DRIVE.sub(lambda found: f"{found[1].lower()}:{found[2]}", normpath(text))
    place = f"/{place.lstrip('/')}" if place.startswith("/") else place
    if place == ".." or place.startswith("../"):
        raise InvalidInput(
            f"{name} leaves its own folder with ..: {path[:80]!r}.",
            "Give the absolute path of the project's folder, or a path below it.",
            path=name,
        )
    return None if place == "." else place
