"""Removal of secrets from source files that keeps every line in place, and keeps the code parseable."""

from almanac.content.redaction import RedactedText, placeholder, redact
from codegraph import Mask, mask

_GUESSED = frozenset({"password", "secret", "key"})
"""Kinds of secrets that are recognised only by the name before them. Their text may be an expression."""


def remove_secrets(path: str, text: str) -> RedactedText:
    """Redact a file as `redact` does. A secret of several lines leaves as many, so that line numbers stay valid."""
    redacted = redact(text)
    if not redacted.findings:
        return redacted
    findings = {
        Mask(one.start, one.end, placeholder(one.kind), f"REDACTED_{one.kind}", one.kind in _GUESSED): one
        for one in redacted.findings
    }
    masked = mask(path, text, list(findings))
    return RedactedText(masked.text, tuple(findings[one] for one in masked.done))
