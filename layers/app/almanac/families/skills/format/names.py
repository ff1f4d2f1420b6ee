"""Names of skills: the rules of the specification, and conversions of invalid names."""

import re
import unicodedata

from almanac.families.skills.bundle.paths import check_segment
from almanac.families.skills.format.findings import FormatFinding, quote
from almanac.families.skills.format.manifest import MAX_NAME
from almanac.kernel.errors import InvalidInput

NAMELESS = "skill"

_OTHERS = re.compile(r"[\W_]+")


def name_findings(name: str, folder: str | None) -> list[FormatFinding]:
    """Return the reasons why a name is invalid. `folder` is the folder of SKILL.md, None if unknown."""
    name = unicodedata.normalize("NFKC", name.strip())
    found: list[FormatFinding] = []

    def add(rule: str, message: str) -> None:
        found.append(FormatFinding("name", rule, message))

    if len(name) > MAX_NAME:
        add("name_too_long", f"The name has {len(name)} characters. Use at most {MAX_NAME}.")
    if name != name.lower():
        add("name_not_lowercase", f"{quote(name)} has capital letters. Write {quote(make_valid(name))}.")
    if name.startswith("-") or name.endswith("-"):
        add("name_hyphen_at_end", f"{quote(name)} begins or ends with a hyphen. Leave it out.")
    if "--" in name:
        add("name_double_hyphen", f"{quote(name)} has two hyphens in a row. Use one.")
    if not all(each.isalnum() or each == "-" for each in name):
        add(
            "name_characters",
            f"{quote(name)} has other characters than letters, digits and hyphens."
            f" Write {quote(make_valid(name))}, say.",
        )
    if folder is not None and unicodedata.normalize("NFKC", folder) != name:
        add("name_not_folder", f"The skill is called {quote(name)} and its folder {quote(folder)}. Rename one of them.")
    return found


def usable_name(name: str) -> str | None:
    """Return a possibly invalid name if it can serve as a key, a folder and a part of an address, else None."""
    name = unicodedata.normalize("NFKC", name.strip())
    try:
        return check_segment(name) if 0 < len(name) <= MAX_NAME else None
    except InvalidInput:
        return None


def make_valid(text: str) -> str:
    """Return the nearest valid name: `My_Skill 2` becomes `my-skill-2`."""
    lower = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text[: 4 * MAX_NAME]).lower())
    parts = "-".join(part for part in _OTHERS.sub("-", lower).split("-") if part)
    characters = "".join(each for each in parts if each.isalnum() or each == "-")
    return characters[:MAX_NAME].strip("-") or NAMELESS
