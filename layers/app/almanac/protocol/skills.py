"""Agent skills by MCP's extension io.modelcontextprotocol/skills: what a family that has some offers.

A skill is a folder of files, of which SKILL.md says when it is of use. Each file is a resource below `skill://<name>/`,
and a skill's entry names all of them with their digests, so that a client can prove what it reads.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from almanac.kernel.errors import AlmanacError
from almanac.protocol.content import ResourceContents
from almanac.protocol.tool import Call

EXTENSION: Final = "io.modelcontextprotocol/skills"
SCHEME: Final = "skill://"
SKILL_TEMPLATE: Final = "skill://{name}/{+path}"
"""The addresses that a client can make: of SKILL.md, and of what that refers to."""
META: Final = "io.modelcontextprotocol.skills/"
"""Prefix of this extension's keys in `_meta`."""
DIRECTORY: Final = "inode/directory"
MARKDOWN: Final = "text/markdown"


class SkillFile(msgspec.Struct, frozen=True):
    """`digest` is `sha256:` and 64 hexadecimal digits, `size` in bytes: of the file's own bytes."""

    uri: str
    digest: str
    size: int


class SkillEntry(msgspec.Struct, frozen=True):
    """`uri` is that of SKILL.md, `frontmatter` what its YAML says, `resources` all files, SKILL.md first. `meta` has
    keys that begin with META."""

    uri: str
    frontmatter: Mapping[str, Any]
    resources: tuple[SkillFile, ...]
    meta: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any], name="_meta")


class SkillPage(msgspec.Struct, frozen=True):
    """`cursor` is None on the last page. `meta`: notes on the page, such as what cannot be served."""

    entries: Sequence[SkillEntry]
    cursor: str | None = None
    meta: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])


class SkillChild(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A file or folder in a folder of a skill. A folder's `mime_type` is DIRECTORY."""

    uri: str
    name: str
    mime_type: str
    size: int | None = None


class DamagedContent(AlmanacError):
    """Raised when stored content does not match its digest. The server does not serve it and reports it to the
    operator.
    """

    code = "damaged"


class Skills(Protocol):
    """The skills of a family, for one call. `uri` is what a client sent: any text. NotFound for what is not served at
    it; DamagedContent for what must not be."""

    def page(self, call: Call, cursor: str | None) -> SkillPage:
        """Skills in a fixed order. InvalidInput for a cursor of another list or project."""
        ...

    def entry(self, call: Call, uri: str) -> SkillEntry:
        """Return the skill whose SKILL.md has that address."""
        ...

    def children(self, call: Call, uri: str) -> Sequence[SkillChild]:
        """Return the files and folders directly inside the folder at that address."""
        ...

    def read(self, call: Call, uri: str) -> ResourceContents:
        """Return the file at that address after checking its digest."""
        ...
