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
        Mask(
            finding.start, finding.end, placeholder(finding.kind), f"REDACTED_{finding.kind}", finding.kind in _GUESSED
        ): finding
        for finding in redacted.findings
    }
    masked = mask(path, text, list(findings))
    return RedactedText(masked.text, tuple(findings[one] for one in masked.done))
