"""Removal of secrets from the texts of an edit."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from msgspec import UNSET, Struct
from msgspec.structs import replace

from almanac.content.redaction import SecretFinding, redact_value
from almanac.families.planner.texts.texts import checked_body

E = TypeVar("E", bound=Struct)


def without_secrets(edit: E, lines: Sequence[str], texts: Sequence[str] = ()) -> tuple[E, tuple[SecretFinding, ...]]:
    """`edit` with its fields `lines`, of one line each, and `texts` redacted, and what they lost.

    They are read together: a secret that is known by its name in one is taken out of the others too. Raises
    InvalidInput for a text that is too long to be stored, before it is read.
    """
    given = {name: _one_line(value) for name in lines if (value := getattr(edit, name)) is not UNSET and value}
    given |= {name: value for name in texts if (value := getattr(edit, name)) is not UNSET and value}
    for name in filter(given.__contains__, texts):
        checked_body(cast("str", given[name]), name)
    redacted = redact_value(given)
    if not redacted.findings:
        return edit, ()
    return replace(edit, **cast("dict[str, Any]", redacted.value)), redacted.findings


def _one_line(value: str | Sequence[str]) -> str | list[str]:
    """As it will be stored: what stands on two lines may read as a secret only on one."""
    if isinstance(value, str):
        return " ".join(value.split())
    return [" ".join(each.split()) for each in value]
