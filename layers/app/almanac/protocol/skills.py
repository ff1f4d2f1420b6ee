"""Agent skills as MCP's extension io.modelcontextprotocol/skills defines them: the interface of a family that has some.

A skill is a folder of files, and its SKILL.md says when to use it. Each file is a resource below `skill://<name>/`. A
skill's entry lists all of its files with their digests, so that a client can verify each file it reads.
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
"""Address pattern of a skill's files: SKILL.md, and the files it refers to."""
META: Final = "io.modelcontextprotocol.skills/"
"""Prefix of this extension's keys in `_meta`."""
DIRECTORY: Final = "inode/directory"
MARKDOWN: Final = "text/markdown"


class SkillFile(msgspec.Struct, frozen=True):
    """File of a skill. `digest` is `sha256:` and 64 hexadecimal digits; `size` is in bytes. Both are of the raw
    file."""

    uri: str
    digest: str
    size: int


class SkillEntry(msgspec.Struct, frozen=True):
    """Skill with all its files. `uri` is the address of SKILL.md and `frontmatter` its parsed YAML header.

    `resources` has SKILL.md first. The keys of `meta` begin with META.
    """

    uri: str
    frontmatter: Mapping[str, Any]
    resources: tuple[SkillFile, ...]
    meta: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any], name="_meta")


class SkillPage(msgspec.Struct, frozen=True):
    """Page of a list of skills. `cursor` is None on the last page; `meta` has notes, such as skills that cannot be
    served."""

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
    """Skills of a family, for one call. `uri` is any text that a client sent.

    NotFound for an address without a skill or file. DamagedContent for contents that must not be served.
    """

    def page(self, call: Call, cursor: str | None) -> SkillPage:
        """Return a page of skills in a fixed order. InvalidInput for a cursor of another list or project."""
        ...

    def entry(self, call: Call, uri: str) -> SkillEntry:
        """Return the skill whose SKILL.md has this address."""
        ...

    def children(self, call: Call, uri: str) -> Sequence[SkillChild]:
        """Return the files and folders directly inside the folder at this address."""
        ...

    def read(self, call: Call, uri: str) -> ResourceContents:
        """Return the file at this address after checking its digest."""
        ...
