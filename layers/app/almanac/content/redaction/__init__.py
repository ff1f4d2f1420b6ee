"""Removal of secrets from text before it is stored.

    redact(text)        -> RedactedText   every secret as [REDACTED:kind], and its position
    redact_value(value) -> RedactedValue  the same for the strings of a JSON value, with their keys as names
    redact_named(text, names)             the same for a text with several names
    notes_about(findings) -> notes        a line per field for its author
    masked_secrets(text) -> findings      placeholders that the text arrived with
    placeholder(kind)   -> text           the replacement of a secret

Secrets are recognised by their own form (`formats/`, `shapes.py`), by their context (`places.py`) or by a name before
them (`pairs.py`). Placeholders stay: EXAMPLE, xxxx, ${VAR}, <token>.
"""

from almanac.content.redaction.findings import (
    RedactedText,
    RedactedValue,
    SecretFinding,
    masked_secrets,
    notes_about,
    placeholder,
)
from almanac.content.redaction.prefilter import redact, redact_named, redact_value

__all__ = [
    "RedactedText",
    "RedactedValue",
    "SecretFinding",
    "masked_secrets",
    "notes_about",
    "placeholder",
    "redact",
    "redact_named",
    "redact_value",
]
