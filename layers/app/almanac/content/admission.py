"""Admission of fields that a caller wants to store: they are cleaned, or rejected."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from almanac.content.invisible_characters import clean
from almanac.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from almanac.content.verdicts import InjectionFinding


def admit(fields: Mapping[str, str]) -> dict[str, str]:
    """Return every field cleaned, under its own name.

    Raises InvalidInput (code content_refused, `path` the field's name) for a severe finding, with advice on how to word
    it instead.
    """
    if not any(fields.values()):
        return dict(fields)
    from almanac.content.injection_check import judge, judge_together  # noqa: PLC0415 - imported for the first text

    for name, text in fields.items():
        if severe := judge(text).severe:
            raise _refusal(name, severe[0])
    if severe := judge_together(list(fields.values())).severe:
        raise _refusal(" and the ".join(fields), severe[0])
    return {name: clean(text).text for name, text in fields.items()}


def _refusal(name: str, finding: "InjectionFinding") -> InvalidInput:
    return InvalidInput(
        f"The {name} {finding.predicate} ({finding.where}): {finding.excerpt!r}.",
        finding.advice,
        path=name,
        code="content_refused",
    )
