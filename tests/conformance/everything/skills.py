"""Skills of the fixture family: three, two a page, of which one is damaged."""

from collections.abc import Sequence
from hashlib import sha256

from almanac.kernel.errors import InvalidInput, NotFound
from almanac.protocol.content import ResourceContents
from almanac.protocol.skills import (
    DIRECTORY,
    MARKDOWN,
    META,
    DamagedContent,
    SkillChild,
    SkillEntry,
    SkillFile,
    SkillPage,
)
from almanac.protocol.tool import Call
from tests.conformance.everything.media import PNG

SECRET = "the password is hunter2"
"""What the defect of this family says."""
_PAGE = 2
_ALPHA = "---\nname: alpha\ndescription: The first skill.\nversion: 1.5\n---\nRead references/a b.md.\n"
_FILES = {
    "skill://alpha/SKILL.md": _ALPHA,
    "skill://alpha/references/a%20b.md": "Notes.\n",
    "skill://beta/SKILL.md": "---\nname: beta\ndescription: The second skill.\n---\nSay who asks.\n",
    "skill://damaged/SKILL.md": "---\nname: damaged\ndescription: The third skill.\n---\n",
}
_FRONT = {
    "skill://alpha/SKILL.md": {"name": "alpha", "description": "The first skill.", "version": 1.5},
    "skill://beta/SKILL.md": {"name": "beta", "description": "The second skill."},
    "skill://damaged/SKILL.md": {"name": "damaged", "description": "The third skill."},
}
_DAMAGED = "skill://damaged/SKILL.md"
_IMAGE = "skill://alpha/references/logo.png"


def _entry(uri: str) -> SkillEntry:
    root = uri.removesuffix("SKILL.md")
    files = [
        SkillFile(one, f"sha256:{sha256(text.encode()).hexdigest()}", len(text.encode()))
        for one, text in _FILES.items()
        if one.startswith(root)
    ]
    return SkillEntry(uri, _FRONT[uri], tuple(files), {META + "installedBy": "somebody"})


class FixtureSkills:
    def page(self, call: Call, cursor: str | None) -> SkillPage:
        if cursor not in (None, str(_PAGE)):
            raise InvalidInput("The cursor does not belong to this list.", path="cursor")
        start = int(cursor or 0)
        served = [_entry(uri) for uri in _FRONT][start : start + _PAGE]
        return SkillPage(served, None if start else str(_PAGE), {META + "asked": call.caller.actor} if start else {})

    def entry(self, call: Call, uri: str) -> SkillEntry:
        if uri not in _FRONT:
            raise NotFound("No skill is at that address.")
        if uri == _DAMAGED:
            raise DamagedContent("The skill is damaged.")
        return _entry(uri)

    def children(self, call: Call, uri: str) -> Sequence[SkillChild]:
        if uri != "skill://alpha":
            raise NotFound("No folder is at that address.")
        return [
            SkillChild("skill://alpha/SKILL.md", "SKILL.md", MARKDOWN, 10),
            SkillChild("skill://alpha/references", "references", DIRECTORY),
        ]

    def read(self, call: Call, uri: str) -> ResourceContents:
        if uri == _DAMAGED:
            raise DamagedContent("The skill is damaged.")
        if uri == "skill://alpha/broken":
            raise RuntimeError(SECRET)
        if uri == _IMAGE:
            return ResourceContents(uri, "image/png", blob=PNG)
        if uri not in _FILES:
            raise NotFound("No file of a skill is at that address.")
        return ResourceContents(uri, MARKDOWN, text=_FILES[uri], meta={META + "installedBy": "somebody"})
