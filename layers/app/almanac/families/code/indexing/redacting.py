"""Texts of files without their secrets: each line where it was, and code that parses as it did."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from almanac.content.redaction import Finding, Redacted, placeholder, redact
from almanac.families.code.languages.names import OUTLINED, language_of
from almanac.families.code.languages.parsing import parsed
from almanac.families.code.languages.regions import Region, Role, regions

_BYTES_OF_FORM = 8
"""A name in code that holds a secret has a token's form: it is at least so long."""


def without_secrets(path: str, text: str) -> Redacted:
    """As `redact`; a secret of several lines leaves as many, so that line numbers hold.

    Where the file's language can be parsed, its syntax tree says what stands at each place. Within strings and comments
    a placeholder takes the place of a secret. In code a name does, which parses wherever the secret did; operators,
    brackets and expressions stay.
    """
    redacted = redact(text)
    if not redacted.findings:
        return redacted
    language = language_of(path, text)
    source = text.encode("utf-8", "replace")
    tree = parsed(language, source) if language in OUTLINED else None
    if tree is None:
        return Redacted("".join(_kept(text, redacted.findings)), redacted.findings)
    spans = _in_bytes(text, redacted.findings)
    found = list(regions(tree, source, spans))
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
    names = [each for each in found if each.role is Role.NAME]
    is_text = any(each.role in {Role.TEXT, Role.ESCAPE, Role.NUMBER} for each in found)
    for part in _whole(source, start, end, found):
        new = b""
        if part.role is Role.NUMBER:
            new = name or b"0"
        elif part.role is Role.NAME:
            if len(names) != 1 or is_text or not _is_secret(source[part.start : part.end], finding):
                continue
            new = name
        elif part.role is not Role.SIGN:
            new = shown + b"\n" * source.count(b"\n", part.start, part.end)
        if part.role is not Role.SIGN:
            yield _Edit(part.start, part.end, new)
            shown, name = b"", b""


def _is_secret(name: bytes, finding: Finding) -> bool:
    """Whether a name of code can be one: those that people make up have no digits."""
    return bool(finding.prefix) or (len(name) >= _BYTES_OF_FORM and any(48 <= each < 58 for each in name))


def _whole(source: bytes, start: int, end: int, found: Sequence[Region]) -> Iterator[Region]:
    """The regions as far as the secret reaches in them, those within a text as one; names, numbers and escapes whole.
    What no region has is a text."""
    held: Region | None = None
    for each in _without_gaps(source, start, end, found):
        cut = each if each.role is not Role.TEXT else Region(max(start, each.start), min(end, each.end), Role.TEXT)
        if cut.role is Role.ESCAPE:
            cut = cut._replace(role=Role.TEXT)
        if held and held.role is cut.role is Role.TEXT and held.end == cut.start:
            held = held._replace(end=cut.end)
            continue
        if held:
            yield held
        held = cut
    if held:
        yield held


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
