"""Redaction of the texts of an edit."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from msgspec import UNSET, Struct
from msgspec.structs import replace

from almanac.content.redaction import SecretFinding, redact_value
from almanac.families.planner.texts.texts import check_body

E = TypeVar("E", bound=Struct)


def without_secrets(edit: E, lines: Sequence[str], texts: Sequence[str] = ()) -> tuple[E, tuple[SecretFinding, ...]]:
    """Return the edit with the single-line fields `lines` and the fields `texts` redacted, and the removed secrets. All
    fields are redacted together, so a secret that its name gives away in one is removed from the others. Raises
    InvalidInput first if a text is too long to be stored."""
    texts_by_field = {name: _one_line(value) for name in lines if (value := getattr(edit, name)) is not UNSET and value}
    texts_by_field |= {name: value for name in texts if (value := getattr(edit, name)) is not UNSET and value}
    for name in filter(texts_by_field.__contains__, texts):
        check_body(cast("str", texts_by_field[name]), name)
    redacted = redact_value(texts_by_field)
    if not redacted.findings:
        return edit, ()
    return replace(edit, **cast("dict[str, Any]", redacted.value)), redacted.findings


def _one_line(value: str | Sequence[str]) -> str | list[str]:
    """Return the value on one line, as it will be stored. Two lines may look like a secret only once they are
    joined."""
    if isinstance(value, str):
        return " ".join(value.split())
    return [" ".join(each.split()) for each in value]
