"""Redact the texts that a caller sends."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from almanac.content.redaction import SecretFinding, redact_value


class RedactedFields(Struct, frozen=True):
    """Texts without secrets. `findings` list the removed secrets.

    Each finding has the `path` of its field, such as content, tags[0] or metadata.token."""

    content: str
    tags: tuple[str, ...]
    metadata: dict[str, Any]
    findings: tuple[SecretFinding, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))


def without_secrets(content: str, tags: Sequence[str], metadata: Mapping[str, Any]) -> RedactedFields:
    """Redact content, tags and metadata together.

    A secret that its name gives away in one field is then removed from the other fields too."""
    redacted = redact_value({"content": content, "tags": list(tags), "metadata": dict(metadata)})
    value = cast("dict[str, Any]", redacted.value)
    return RedactedFields(value["content"], tuple(value["tags"]), value["metadata"], redacted.findings)
