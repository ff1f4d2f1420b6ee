"""Client of a server's skill tools."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Protocol

from almanac.kernel.errors import AlmanacError
from almanac.local.client.patient_calls import Json

PAGE = 200
PART = 200_000
"""Characters of a text, or bytes of another file, to read in one call."""


class DamagedAnswer(AlmanacError):
    """Raised if the received data is not what the server announced."""

    code = "damaged"


class Ask(Protocol):
    """Type of `PatientCalls.ask`. It raises ServerRefusal, NotFound and Unavailable, and so do all methods of
    SkillServer."""

    def __call__(self, tool: str, arguments: Json) -> Json: ...


class SkillServer:
    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def skills(self) -> Iterator[Json]:
        """Yield the installed skills, by name."""
        cursor: str | None = None
        while True:
            page = self._ask("list_skills", {"limit": PAGE} | ({"cursor": cursor} if cursor else {}))
            yield from page["skills"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def install(self, skill_md: str, files: Mapping[str, Json | str], folder: str | None, *, strict: bool) -> Json:
        """Return the answer of install_skill."""
        arguments: Json = {"skill_md": skill_md, "files": dict(files), "strict": strict}
        return self._ask("install_skill", arguments | ({"folder": folder} if folder else {}))

    def upload(self, files: Mapping[str, Json | str]) -> Mapping[str, str]:
        """Upload contents for a skill that is installed later. Return the SHA-256 digest of each by its path."""
        answer = self._ask("install_skill", {"files": dict(files), "upload_only": True})
        return {each["path"]: each["sha256"] for each in answer["uploads"]}

    def skill(self, name: str, version: int | None) -> Json:
        """Return the answer of get_skill."""
        return self._ask("get_skill", _name_arguments(name, version))

    def file(self, name: str, version: int, path: str) -> bytes:
        """Return a whole file of the skill, which may be SKILL.md. Raises DamagedAnswer if it does not match its
        digest."""
        parts: list[bytes] = []
        offset: int | None = 0
        arguments = _name_arguments(name, version) | {"path": path, "limit": PART}
        digest = ""
        while offset is not None:
            part = self._ask("read_skill_file", arguments | {"offset": offset})
            parts.append(part["text"].encode() if part["is_text"] else b64decode(part["base64"]))
            digest, following = part["sha256"], part["next_offset"]
            if following is not None and following <= offset:
                raise DamagedAnswer(f"{path} of {name} has no end.", "Ask the operator of the server.")
            offset = following
        data = b"".join(parts)
        if sha256(data).hexdigest() != digest:
            raise DamagedAnswer(f"{path} of {name} does not match its digest.", "Try again; then install it again.")
        return data


def _name_arguments(name: str, version: int | None) -> Json:
    return {"name": name} | ({"version": version} if version is not None else {})
