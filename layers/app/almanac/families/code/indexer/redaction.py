"""Texts of files without their secrets: each line where it was, and code that parses as it did."""

from almanac.content.redaction import RedactedText, placeholder, redact
from codegraph import Mask, mask

_GUESSED = frozenset({"password", "secret", "key"})
"""Kinds of secrets that only the names before them tell of: what has their form may be an expression."""


def without_secrets(path: str, text: str) -> RedactedText:
    """As `redact`; a secret of several lines leaves as many, so that line numbers hold."""
    redacted = redact(text)
    if not redacted.findings:
        return redacted
    findings = {
        Mask(one.start, one.end, placeholder(one.kind), f"REDACTED_{one.kind}", one.kind in _GUESSED): one
        for one in redacted.findings
    }
    masked = mask(path, text, list(findings))
    return RedactedText(masked.text, tuple(findings[one] for one in masked.done))
