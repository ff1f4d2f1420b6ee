"""A reader for skills in zip files. It works in memory, writes no files and reads each entry once."""

from msgspec import Struct

from almanac.families.skills.bundle.files import (
    MAX_BUNDLE_BYTES,
    SKILL_MD,
    check_file_collisions,
    check_file_size,
    check_totals,
)
from almanac.families.skills.bundle.paths import check_path, left_out
from almanac.families.skills.bundle.zip_entries import Entry, archive_error, entries_of, unpack
from almanac.kernel.errors import InvalidInput

MAX_ARCHIVE_BYTES = MAX_BUNDLE_BYTES + 4 * 1024 * 1024

_LOWER = SKILL_MD.lower()


class Archive(Struct, frozen=True):
    """A skill from a zip file. `skill_md` is the text of SKILL.md, and `files` are the others by their paths from its
    folder. `folder` is the name of that folder, None at the archive's root. `left_out` lists paths that are not files
    of the skill."""

    skill_md: str
    files: dict[str, bytes]
    folder: str | None = None
    left_out: tuple[str, ...] = ()


def read_archive(data: bytes) -> Archive:
    """Read a skill from a zip file, with SKILL.md at its root or in one of its folders. Links are left out.

    Raises InvalidInput for data that is not a zip file, for none or several skills, and over the limits of a skill.
    Also raises it for an entry that is encrypted, broken, duplicated or overlapping, or that has an unsafe path.
    """
    if len(data) > MAX_ARCHIVE_BYTES:
        raise InvalidInput(f"The zip file has over {MAX_ARCHIVE_BYTES} bytes.", "Leave files out.", path="archive")
    entries = entries_of(data)
    paths = _paths(entries)
    root = _root([path for path, entry in paths.items() if entry.kind == "file" and left_out(path) is None])
    inside, others = dict[str, Entry](), list[str]()
    for path, entry in paths.items():
        if entry.kind == "folder":
            continue
        if not path.startswith(root) or left_out(path) is not None or entry.kind == "link":
            others.append(path)
        else:
            inside[path.removeprefix(root)] = entry
    main = inside.pop(SKILL_MD) if SKILL_MD in inside else inside.pop(_LOWER)
    check_totals(len(inside) + 1, main.size + sum(entry.size for entry in inside.values()))
    for path, entry in inside.items():
        check_file_size(path, entry.size)
    check_file_collisions(inside)
    text = skill_md_text(unpack(main, data))
    files = {path: unpack(entry, data) for path, entry in inside.items()}
    return Archive(text, files, root.rstrip("/").rpartition("/")[2] or None, tuple(others))


def skill_md_text(data: bytes) -> str:
    """Return the text of SKILL.md. Raises InvalidInput if it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"{SKILL_MD} is not UTF-8.", "Save it as UTF-8.", path=SKILL_MD) from None


def _paths(entries: list[Entry]) -> dict[str, Entry]:
    """Return entries by their checked paths, folders included. A path that leads outside is an error even for an empty
    folder."""
    paths: dict[str, Entry] = {}
    for entry in entries:
        path = check_path(entry.name.removesuffix("/"))
        if path in paths:
            raise archive_error(f"{path!a} is in it twice")
        paths[path] = entry
    return paths


def _root(paths: list[str]) -> str:
    """Return the folder of the outermost SKILL.md with a trailing slash, "" for the root."""
    found = [path for path in paths if path.rpartition("/")[2] in (SKILL_MD, _LOWER)]
    depth = min((path.count("/") for path in found), default=0)
    roots = sorted({path.rpartition("/")[0] for path in found if path.count("/") == depth})
    if not roots:
        raise InvalidInput(f"There is no {SKILL_MD} in the zip file.", "Pack the folder of a skill.", path="archive")
    if len(roots) > 1:
        listed = ", ".join(roots[:5])
        raise InvalidInput(f"The zip file has several skills: {listed}.", "Pack one folder at a time.", path="archive")
    return f"{roots[0]}/" if roots[0] else ""
