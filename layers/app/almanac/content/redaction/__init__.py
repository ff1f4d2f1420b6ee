"""Redaction: text without its secrets, before anything of it is stored.

    redact(text)        -> Redacted       every secret as [REDACTED:kind], and where it stood
    redact_value(value) -> RedactedValue  the same for the strings of a JSON value, whose keys tell of what they hold
    redact_named(text, names) -> Redacted the same for a text that several names tell of
    notes_about(findings) -> notes        what each field lost, in a line for whoever wrote it
    placeholder(kind)   -> text           what stands where a secret stood

Secrets are known by their own form (`formats/`, `shapes.py`), by where they stand (`places.py`) or by a name before
them (`pairs.py`). What only holds the place of one stays: EXAMPLE, xxxx, ${VAR}, <token>.
"""

from almanac.content.redaction.findings import RedactedText, RedactedValue, SecretFinding, notes_about, placeholder
from almanac.content.redaction.prefilter import redact, redact_named, redact_value

__all__ = [
    "RedactedText",
    "RedactedValue",
    "SecretFinding",
    "notes_about",
    "placeholder",
    "redact",
    "redact_named",
    "redact_value",
]
