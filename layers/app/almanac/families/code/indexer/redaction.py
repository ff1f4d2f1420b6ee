"""Texts of files without their secrets: each line where it was, and code that parses as it did."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from almanac.content.redaction import Finding, Redacted, placeholder, redact
from codegraph import Region, Role, language_of, regions

_BY_NAME = frozenset({"password", "secret", "key"})
"""Kinds of secrets that only the names before them tell of: what has their form may be an expression."""
_SHORTEST = 6
_RUN = re.compile(rb"[\w\x80-\xff][\w\x80-\xff.+~%$!&*/:>-]*")
"""Names, numbers and signs without blanks and brackets: x9-k2."""


def without_secrets(path: str, text: str) -> Redacted:
    """As `redact`; a secret of several lines leaves as many, so that line numbers hold.

    Where the file's language can be parsed, its syntax tree says what stands at each place. Within strings and comments
    a placeholder takes the place of a secret. In code a name does, which parses wherever the secret did; operators,
    brackets and expressions stay.
    """
    redacted = redact(text)
    if not redacted.findings:
        return redacted
    source = text.encode("utf-8", "replace")
    spans = _in_bytes(text, redacted.findings)
    found = regions(language_of(path, text), source, spans)
    if found is None:
        return Redacted("".join(_kept(text, redacted.findings)), redacted.findings)
    kept = bytearray()
    findings: list[Finding] = []
    at = first = 0
    for finding, (start, end) in zip(redacted.findings, spans, strict=True):
        while first < len(found) and found[first].end <= start:
            first += 1
        some = [each for each in found[first : _behind(found, first, end)] if each.start < end and start < each.end]
        edits = list(_edits(source, finding, start, end, some))
        for edit in edits:
            if edit.end > at:
                kept += source[at : max(at, edit.start)] + edit.new
                at = edit.end
        if edits:
            findings.append(finding)
    return Redacted((kept + source[at:]).decode("utf-8"), tuple(findings))


class _Edit(Struct, frozen=True):
    start: int
    end: int
    new: bytes


def _behind(found: Sequence[Region], first: int, end: int) -> int:
    while first < len(found) and found[first].start < end:
        first += 1
    return first


def _edits(source: bytes, finding: Finding, start: int, end: int, found: Sequence[Region]) -> Iterator[_Edit]:
    """What takes the secret out of the regions that it stands in."""
    shown, name = placeholder(finding.kind).encode(), f"REDACTED_{finding.kind}".encode()
    roles = {each.role for each in found}
    if Role.BROKEN in roles or not found:
        yield _Edit(start, end, shown + b"\n" * source.count(b"\n", start, end))
    elif not roles & {Role.TEXT, Role.ESCAPE} and not _has_unseen(source, start, end, found):
        yield from _in_code(source, finding, found, name)
    else:
        for part in _texts(source, start, end, found):
            yield _Edit(part.start, part.end, shown + b"\n" * source.count(b"\n", part.start, part.end))
            shown = b""


def _in_code(source: bytes, finding: Finding, found: Sequence[Region], name: bytes) -> Iterator[_Edit]:
    """A token, or a word that can be one, goes whole; of a list its numbers go; any other expression stays."""
    words = [each for each in found if each.role is not Role.SIGN]
    code = source[words[0].start : words[-1].end] if words else b""
    if words and (finding.kind not in _BY_NAME or (_RUN.fullmatch(code) and len(code) >= _SHORTEST)):
        yield _Edit(words[0].start, words[-1].end, name)
        return
    for each in found:
        if each.role is Role.NUMBER:
            yield _Edit(each.start, each.end, name or b"0")
            name = b""


def _texts(source: bytes, start: int, end: int, found: Sequence[Region]) -> Iterator[Region]:
    """The texts as far as the secret reaches in them, neighbours as one; escapes whole. What no region has is text."""
    held: Region | None = None
    for each in _without_gaps(source, start, end, found):
        if each.role not in {Role.TEXT, Role.ESCAPE}:
            continue
        is_escape = each.role is Role.ESCAPE
        first, last = (each.start, each.end) if is_escape else (max(start, each.start), min(end, each.end))
        if held and held.end == first:
            held = held._replace(end=last)
            continue
        if held:
            yield held
        held = Region(first, last, Role.TEXT)
    if held:
        yield held


def _has_unseen(source: bytes, start: int, end: int, found: Sequence[Region]) -> bool:
    """Tell whether a part of the secret stands where the parser was shown blanks."""
    return any(each.role is Role.TEXT for each in _without_gaps(source, start, end, found))


def _without_gaps(source: bytes, start: int, end: int, found: Sequence[Region]) -> Iterator[Region]:
    at = start
    for each in (*found, Region(end, end, Role.SIGN)):
        if source[at : each.start].strip():
            yield Region(at, each.start, Role.TEXT)
        if each.end > each.start:
            yield each
        at = max(at, each.end)


def _in_bytes(text: str, findings: Sequence[Finding]) -> list[tuple[int, int]]:
    if text.isascii():
        return [(each.start, each.end) for each in findings]
    places = [0, *(place for each in findings for place in (each.start, each.end))]
    pieces = (text[places[each - 1] : places[each]] for each in range(1, len(places)))
    ends = list(accumulate(len(piece.encode("utf-8", "replace")) for piece in pieces))
    return list(zip(ends[::2], ends[1::2], strict=True))


def _kept(text: str, findings: Sequence[Finding]) -> Iterator[str]:
    at = 0
    for each in findings:
        yield text[at : each.start]
        yield placeholder(each.kind) + "\n" * text.count("\n", each.start, each.end)
        at = each.end
    yield text[at:]
