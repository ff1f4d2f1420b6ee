"""Findings of redaction, described without the secret itself."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct


class SecretFinding(Struct, frozen=True):
    """One secret: its `kind` in snake_case, and where it stood in the text as it came, in characters.

    `prefix` is the beginning that its provider publishes for all of them, at most 4 characters; empty for others.
    `path` says in which field of a value it stood, e.g. `env[2].value`; empty for a text.
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
    """`text` as it may be kept, and what it lost, in the order of reading and never overlapping."""

    text: str
    findings: tuple[SecretFinding, ...] = ()


class RedactedValue(Struct, frozen=True):
    """`value` in the shape in which it came, and what its strings lost."""

    value: object
    findings: tuple[SecretFinding, ...] = ()


def placeholder(kind: str) -> str:
    """Return the placeholder that replaces a secret of this kind."""
    return f"[REDACTED:{kind}]"


def notes_about(findings: Iterable[SecretFinding]) -> tuple[str, ...]:
    """Return one note per field and kind with the number of redacted secrets: `value: redacted 1 aws_access_key`."""
    counts = Counter((each.path, each.kind) for each in findings)
    return tuple(f"{path}: redacted {count} {kind}".removeprefix(": ") for (path, kind), count in counts.items())
