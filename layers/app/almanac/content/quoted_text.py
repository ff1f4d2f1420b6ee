"""Quotes for foreign text that Almanac passes on as data.

Tools wrap such text, for example an event from a provider or an imported file, in one of these types. So the reader's
model can tell it from its instructions. The stored text is never altered. Notes name the kind of a finding and never
repeat its text, because readers take notes for Almanac's own words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from almanac.content.invisible_characters import clean

_KEPT_LENGTH = 1_000
"""The longest text whose result is cached. 4,096 of them take up to 8 MB, or 30 MB with wide characters."""
_REDACTED = re.compile(r"\[REDACTED:[a-z0-9_]{1,40}\]")


@dataclass(frozen=True, slots=True)
class QuotedText:
    """Cleaned foreign `text`. `source` is its origin, e.g. `google`; `notes` name findings and removed characters."""

    text: str
    source: str
    notes: tuple[str, ...] = ()
    untrusted: bool = field(default=True, init=False)


@dataclass(frozen=True, slots=True)
class QuotedFields:
    """Cleaned `fields` of one foreign record, e.g. of an event. Each note begins with its field's name."""

    fields: Mapping[str, str]
    source: str
    notes: tuple[str, ...] = ()
    untrusted: bool = field(default=True, init=False)


def quote(text: str, source: str) -> QuotedText:
    """Return `text` from `source` as data: cleaned and marked, never rejected."""
    cleaned, notes = _clean_and_judge(text)
    return QuotedText(cleaned, source, notes)


def quote_fields(fields: Mapping[str, str], source: str) -> QuotedFields:
    """Return the fields of one record from `source` as data, under one mark."""
    read = {name: _clean_and_judge(text) for name, text in fields.items()}
    notes = tuple(f"{name}: {note}" for name, (_, found) in read.items() for note in found)
    return QuotedFields(
        {name: text for name, (text, _) in read.items()}, source, notes + _notes_together(tuple(fields.values()))
    )


@lru_cache(maxsize=4096)
def _kinds_together(texts: tuple[str, ...]) -> tuple[str, ...]:
    from almanac.content.injection_check import judge_together  # noqa: PLC0415 - imported for the first text

    kinds = dict.fromkeys(finding.kind.value for finding in judge_together(texts).findings)
    return tuple(f"fields together: found {kind}" for kind in kinds)


def _notes_together(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return notes about the fields read one after another."""
    if not any(texts):
        return ()
    long = sum(map(len, texts)) > _KEPT_LENGTH
    return _kinds_together.__wrapped__(texts) if long else _kinds_together(texts)


def _clean_and_judge(text: str) -> tuple[str, tuple[str, ...]]:
    if not text:
        return "", ()
    return _read_again(text) if len(text) <= _KEPT_LENGTH else _read_first(text)


def _read_first(text: str) -> tuple[str, tuple[str, ...]]:
    from almanac.content.injection_check import judge  # noqa: PLC0415 - imported for the first text

    cleaned = clean(text)
    kinds = dict.fromkeys(finding.kind.value for finding in judge(text).findings)
    removed = (f"removed {removal.count} {removal.kind}" for removal in cleaned.removed)
    redacted = len(_REDACTED.findall(text)) if "[REDACTED:" in text else 0
    gone = [f"redacted {redacted} secret{'s' * (redacted > 1)}"] if redacted else []
    return cleaned.text, (*(f"found {kind}" for kind in kinds), *removed, *gone)


# Lists and snapshots show the same texts again and again, and judging a text takes longer than everything else about
# it.
_read_again = lru_cache(maxsize=4096)(_read_first)
