"""Addresses of skills and their files: `skill://<name>/<path>`.

An address is compared with those of the files that a skill has; nothing of it is decoded, joined or looked up. So one
that is not just such an address leads nowhere, whatever it holds.
"""

import re
from collections.abc import Mapping

from almanac.families.skills.bundle.files import SKILL_MD
from almanac.families.skills.core.records import SkillVersion
from almanac.kernel.errors import NotFound
from almanac.protocol.skills import SCHEME

MAX_ADDRESS = 4096
"""Characters. A path has at most 512 bytes, each three characters in an address."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_NAME = 64
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_KEPT = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/")
_SHOWN = 80


def is_addressable(name: str) -> bool:
    """Return whether a name is valid and can be the host of an address in every client."""
    return len(name) <= _MAX_NAME and _NAME.fullmatch(name) is not None


def address(name: str, path: str = "") -> str:
    """Of a file, or without a path of the skill's folder."""
    return f"{SCHEME}{name}/{encoded(path)}" if path else f"{SCHEME}{name}"


def encoded(path: str) -> str:
    """A path as it stands in an address."""
    return "".join(chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in path.encode())


def parted(uri: str) -> tuple[str, str]:
    """The name and what follows behind its slash, as it stands there. Raises NotFound for what is no address of a
    skill."""
    name, _, rest = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or len(uri) > MAX_ADDRESS or not is_addressable(name) or _SURROGATE.search(rest):
        raise nothing_at(uri)
    return name, rest


def paths_of(version: SkillVersion) -> Mapping[str, str]:
    """The paths of its files, SKILL.md first, by what stands in their addresses: encoded, or as it is written in a text
    that refers to it."""
    paths = (SKILL_MD, *(file.path for file in version.files))
    return {path: path for path in paths} | {encoded(path): path for path in paths}


def nothing_at(uri: str) -> NotFound:
    return NotFound(f"No skill has a file at {uri[:_SHOWN]!a}.", "skills/list and the tool list_skills list them all.")
