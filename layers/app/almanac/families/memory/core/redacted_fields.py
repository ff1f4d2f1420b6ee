"""Removal of secrets from the texts that a caller sent."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from almanac.content.redaction import SecretFinding, redact_value


class RedactedFields(Struct, frozen=True):
    """`findings` say what was taken out, each with the `path` of its field: content, tags[0], metadata.token."""

    content: str
    tags: tuple[str, ...]
    metadata: dict[str, Any]
    findings: tuple[SecretFinding, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))


def without_secrets(content: str, tags: Sequence[str], metadata: Mapping[str, Any]) -> RedactedFields:
    """All of it read together: a secret that is known by its name in one field is taken out of the others too."""
    redacted = redact_value({"content": content, "tags": list(tags), "metadata": dict(metadata)})
    value = cast("dict[str, Any]", redacted.value)
    return RedactedFields(value["content"], tuple(value["tags"]), value["metadata"], redacted.findings)
