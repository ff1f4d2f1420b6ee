"""Findings of redaction, without the secrets themselves."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct


class SecretFinding(Struct, frozen=True):
    """One secret: its `kind` in snake_case and its position in the original text, in characters.

    `prefix` is the beginning that its provider publishes, at most 4 characters and often empty. `path` is the field of
    a JSON value, e.g. `env[2].value`, and empty for a text.
    """

    kind: str
    start: int
    end: int
    prefix: str = ""
    path: str = ""

    @property
    def length(self) -> int:
        return self.end - self.start


class RedactedText(Struct, frozen=True):
    """Redacted `text`, and the removed secrets in reading order, without overlaps."""

    text: str
    findings: tuple[SecretFinding, ...] = ()


class RedactedValue(Struct, frozen=True):
    """A redacted `value` in its original shape, and the secrets removed from its strings."""

    value: object
    findings: tuple[SecretFinding, ...] = ()


def placeholder(kind: str) -> str:
    """Return the placeholder that replaces a secret of this kind."""
    return f"[REDACTED:{kind}]"


def notes_about(findings: Iterable[SecretFinding]) -> tuple[str, ...]:
    """Return one note per field and kind with the number of redacted secrets: `value: redacted 1 aws_access_key`."""
    counts = Counter((each.path, each.kind) for each in findings)
    return tuple(f"{path}: redacted {count} {kind}".removeprefix(": ") for (path, kind), count in counts.items())
