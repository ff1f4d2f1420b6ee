"""Redaction of JSON values. Each string is checked, with the keys above it as its names."""

from collections.abc import Mapping
from typing import cast

from almanac.content.redaction.findings import RedactedValue, SecretFinding, placeholder
from almanac.content.redaction.json_parts import name_of, strings_in
from almanac.content.redaction.matcher.matchable_text import to_matchable
from almanac.content.redaction.pairs import secret_by_name
from almanac.content.redaction.redactor import redact, values_in

_MOST_KNOWN = 64


def redact_value(value: object) -> RedactedValue:
    """Redact each string of a value, and whole strings under telling keys. Shape and numbers stay.

    A secret found in one string is removed from all of them. Raises InvalidInput beyond 64 levels or 100,000 values.
    """
    known = _collect_secrets(value)
    walk = _Walk(known)
    redacted = walk.redact(value, "", "")
    return RedactedValue(redacted, tuple(walk.findings))


def _collect_secrets(value: object) -> tuple[bytes, ...]:
    """Return the secrets in all strings, at most 64 of them."""
    known: dict[bytes, None] = {}
    for name, text in strings_in(value):
        data = to_matchable(text).data
        for secret in [data] if secret_by_name(to_matchable(name).data, data) else values_in(text):
            known[secret] = None
            if len(known) == _MOST_KNOWN:
                return tuple(known)
    return tuple(known)


class _Walk:
    """One walk over a value, which builds the redacted value and collects the findings."""

    def __init__(self, known: tuple[bytes, ...]) -> None:
        self._known = known
        self.findings: list[SecretFinding] = []

    def redact(self, value: object, name: str, path: str) -> object:
        if isinstance(value, str):
            return self._redact_text(value, name, path)
        if isinstance(value, Mapping):
            return self._redact_mapping(cast("Mapping[object, object]", value), path)
        if isinstance(value, list):
            return [self.redact(part, name, f"{path}[{at}]") for at, part in enumerate(cast("list[object]", value))]
        if isinstance(value, tuple):
            return tuple(self.redact(list(cast("tuple[object, ...]", value)), name, path))  # pyright: ignore[reportArgumentType]
        return value

    def _redact_mapping(self, parts: Mapping[object, object], path: str) -> dict[object, object]:
        kept: dict[object, object] = {}
        for key, part in parts.items():
            name = self._redact_text(key, "", path) if isinstance(key, str) else key
            while name in kept:
                name = f"{name}_"
            kept[name] = self.redact(part, name_of(parts, key), f"{path}.{name}" if path else str(name))
        return kept

    def _redact_text(self, text: str, name: str, path: str) -> str:
        if name and (kind := secret_by_name(to_matchable(name).data, to_matchable(text).data)):
            self.findings.append(SecretFinding(kind, 0, len(text), path=path))
            return placeholder(kind)
        redacted = redact(text, self._known)
        self.findings += [
            SecretFinding(each.kind, each.start, each.end, each.prefix, path) for each in redacted.findings
        ]
        return redacted.text
