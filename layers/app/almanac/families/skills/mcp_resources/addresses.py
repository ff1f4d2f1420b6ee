"""Addresses of skills and their files: `skill://<name>/<path>`.

An address is compared with the addresses of a skill's files. No part of it is decoded, joined or looked up. So any
other address leads nowhere, whatever it contains.
"""

import re
from collections.abc import Mapping

from almanac.families.skills.bundle.files import SKILL_MD
from almanac.families.skills.core.records import SkillVersion
from almanac.kernel.errors import NotFound
from almanac.protocol.skills import SCHEME

MAX_ADDRESS = 4096
"""Limit in characters. A path has at most 512 bytes, and each takes up to three characters in an address."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_NAME = 64
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_KEPT = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/")
_SHOWN = 80


def is_addressable(name: str) -> bool:
    """Return whether a name is valid and can be the host of an address in every client."""
    return len(name) <= _MAX_NAME and _NAME.fullmatch(name) is not None


def address(name: str, path: str = "") -> str:
    """Return the address of a file, or of the skill's folder without a path."""
    return f"{SCHEME}{name}/{encode_path(path)}" if path else f"{SCHEME}{name}"


def encode_path(path: str) -> str:
    """Percent-encode a path for an address."""
    return "".join(chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in path.encode())


def split_address(uri: str) -> tuple[str, str]:
    """Split an address into the skill's name and the undecoded path after it. Raises NotFound if it is not an address
    of a skill."""
    name, _, rest = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or len(uri) > MAX_ADDRESS or not is_addressable(name) or _SURROGATE.search(rest):
        raise not_found_error(uri)
    return name, rest


def paths_of(version: SkillVersion) -> Mapping[str, str]:
    """Map spellings to the paths of a skill's files, SKILL.md first. A spelling is the encoded path, or the plain path
    as texts write it."""
    paths = (SKILL_MD, *(file.path for file in version.files))
    return {path: path for path in paths} | {encode_path(path): path for path in paths}


def not_found_error(uri: str) -> NotFound:
    return NotFound(f"No skill has a file at {uri[:_SHOWN]!a}.", "skills/list and the tool list_skills list them all.")
