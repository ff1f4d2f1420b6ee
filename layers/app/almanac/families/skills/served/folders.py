"""Folders of a skill: what lies directly in one."""

from collections.abc import Sequence

from almanac.families.skills.bundle.files import SKILL_MD
from almanac.families.skills.core.records import SkillVersion
from almanac.families.skills.served.addresses import address, encoded
from almanac.protocol.skills import DIRECTORY, MARKDOWN, SkillChild, SkillEntry


def children_of(version: SkillVersion, entry: SkillEntry, folder: str) -> Sequence[SkillChild]:
    """Files and folders in a folder, as it stands in an address or in a text; "" is the skill's own. None where there
    is no such folder."""
    paths = {SKILL_MD: MARKDOWN} | {file.path: file.mime_type for file in version.files}
    sizes = {file.uri: file.size for file in entry.resources}
    written = {address(version.name, path): path for path in paths}
    for spelled in dict.fromkeys((folder, encoded(folder))):
        below = address(version.name) + "/" + (spelled + "/" if spelled else "")
        depth = spelled.count("/") + 1 if spelled else 0
        found: dict[str, SkillChild] = {}
        for uri, path in written.items():
            if uri.startswith(below):
                segment, inner, _ = uri.removeprefix(below).partition("/")
                name = path.split("/")[depth]
                kind, size = (DIRECTORY, None) if inner else (paths[path], sizes[uri])
                found.setdefault(segment, SkillChild(below + segment, name, kind, size))
        if found:
            return sorted(found.values(), key=lambda child: child.uri)
    return ()
