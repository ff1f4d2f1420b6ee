"""A skill that comes as a zip file, read into memory: nothing is written anywhere, and nothing is read twice."""

from msgspec import Struct

from almanac.families.skills.bundle.files import (
    MAX_BUNDLE_BYTES,
    SKILL_MD,
    refuse_collisions_of_files,
    refuse_larger,
    refuse_more,
)
from almanac.families.skills.bundle.paths import checked_path, left_out
from almanac.families.skills.bundle.zip_entries import Entry, entries_of, refused, unpacked
from almanac.kernel.errors import InvalidInput

MAX_ARCHIVE_BYTES = MAX_BUNDLE_BYTES + 4 * 1024 * 1024

_LOWER = SKILL_MD.lower()


class Archive(Struct, frozen=True):
    """`skill_md` is the text of SKILL.md, `files` the others by their paths from its folder, `folder` the name of that
    folder, None where it is the archive's root. `left_out` are paths that are no files of the skill."""

    skill_md: str
    files: dict[str, bytes]
    folder: str | None = None
    left_out: tuple[str, ...] = ()


def read_archive(data: bytes) -> Archive:
    """The skill in a zip file: SKILL.md at its root, or in one of its folders.

    Raises InvalidInput for what is no zip file, holds none or several skills, is over the limits of a skill, or has an
    entry that is encrypted, broken, there twice, on another one, or whose path is not plain. Links are left out.
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
    refuse_more(len(inside) + 1, main.size + sum(entry.size for entry in inside.values()))
    for path, entry in inside.items():
        refuse_larger(path, entry.size)
    refuse_collisions_of_files(inside)
    text = skill_md_text(unpacked(main, data))
    files = {path: unpacked(entry, data) for path, entry in inside.items()}
    return Archive(text, files, root.rstrip("/").rpartition("/")[2] or None, tuple(others))


def skill_md_text(data: bytes) -> str:
    """The text of SKILL.md. Raises InvalidInput where it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"{SKILL_MD} is not UTF-8.", "Save it as UTF-8.", path=SKILL_MD) from None


def _paths(entries: list[Entry]) -> dict[str, Entry]:
    """Entries by their checked paths, folders included: what leads outside is refused even where it holds nothing."""
    paths: dict[str, Entry] = {}
    for entry in entries:
        path = checked_path(entry.name.removesuffix("/"))
        if path in paths:
            raise refused(f"{path!a} is in it twice")
        paths[path] = entry
    return paths


def _root(paths: list[str]) -> str:
    """The folder of the outermost SKILL.md, with a slash at its end; "" for the root."""
    found = [path for path in paths if path.rpartition("/")[2] in (SKILL_MD, _LOWER)]
    depth = min((path.count("/") for path in found), default=0)
    roots = sorted({path.rpartition("/")[0] for path in found if path.count("/") == depth})
    if not roots:
        raise InvalidInput(f"There is no {SKILL_MD} in the zip file.", "Pack the folder of a skill.", path="archive")
    if len(roots) > 1:
        listed = ", ".join(roots[:5])
        raise InvalidInput(f"The zip file has several skills: {listed}.", "Pack one folder at a time.", path="archive")
    return f"{roots[0]}/" if roots[0] else ""
