"""Findings of redaction, without the secrets themselves."""

import re
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

PLACEHOLDER = re.compile(r"\[REDACTED:([a-z0-9_]{1,40})\]")
_LONG_WORD = "blob"
"""Kind of a word of over 1,000 characters, which a hook masks unread."""


class SecretFinding(Struct, frozen=True):
    """One secret: its `kind` in snake_case and its position in the original text, in characters.

    `prefix` is the beginning that its provider publishes, at most 4 characters and often empty. `path` is the field of
    a JSON value, e.g. `env[2].value`, and empty for a text. `masked`: the text arrived with a placeholder in its place.
    """

    kind: str
    start: int
    end: int
    prefix: str = ""
    path: str = ""
    masked: bool = False

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


def masked_secrets(text: str, path: str = "") -> tuple[SecretFinding, ...]:
    """Return the secrets that were replaced before the text arrived, as hooks do on the user's machine."""
    if "[REDACTED:" not in text:
        return ()
    places = (place for place in PLACEHOLDER.finditer(text) if place[1] != _LONG_WORD)
    return tuple(SecretFinding(place[1], *place.span(), path=path, masked=True) for place in places)


def notes_about(findings: Iterable[SecretFinding]) -> tuple[str, ...]:
    """Return one note per field and kind with the number of redacted secrets: `value: redacted 1 aws_access_key`."""
    counts = Counter((each.path, each.kind) for each in findings)
    return tuple(f"{path}: redacted {count} {kind}".removeprefix(": ") for (path, kind), count in counts.items())
