"""Texts of files without their secrets, each line where it was."""

from collections.abc import Iterator

from almanac.content.redaction import Redacted, placeholder, redact


def without_secrets(text: str) -> Redacted:
    """As `redact`; a secret of several lines leaves as many, so that line numbers hold."""
    redacted = redact(text)
    if redacted.text.count("\n") == text.count("\n"):
        return redacted
    return Redacted("".join(_kept(text, redacted)), redacted.findings)


def _kept(text: str, redacted: Redacted) -> Iterator[str]:
    at = 0
    for each in redacted.findings:
        yield text[at : each.start]
        yield placeholder(each.kind) + "\n" * text.count("\n", each.start, each.end)
        at = each.end
    yield text[at:]
