"""A piece of a file that search finds."""

from hashlib import sha256
from pathlib import PurePosixPath

from msgspec import Struct

from almanac.families.code.core.codec import VALUES, Part

_NAME = 12
_TITLE_NAMES = 400
"""Limit for the names in a title, in characters."""


class Chunk(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Lines `start_line` to `end_line`, counted from 1, of the file at `path`. Inner lines that belong to chunks of
    their own are not part of it.

    `symbol` is the qualified name of a definition, the headings of a section as "Install > From source", or "" for
    lines outside of both. `kind` is the kind of the definition, "section", "settings" for values, "values" for values
    within the definition, or "text". `part` counts the chunks of a long definition or stretch of text from 0. `anchor`
    identifies the chunk within its file, even after edits elsewhere in it. `sets` has at most 40 names that its lines
    give values to.
    """

    path: str
    start_line: int
    end_line: int
    language: str
    symbol: str
    kind: str
    anchor: str
    text: str
    signature: str = ""
    doc: str = ""
    part: int = 0
    sets: tuple[str, ...] = ()


class Chunks(Struct, frozen=True):
    """The chunks of a file in the order of their lines. `left_out` counts chunks beyond the limit of a file."""

    chunks: tuple[Chunk, ...]
    left_out: int = 0


def part_of(chunk: Chunk) -> Part:
    """Return the stored form of a chunk. The title has its name, signature and file name, or the names that it sets.
    The text is its doc comment and code."""
    names = " ".join(chunk.sets)[:_TITLE_NAMES]
    if chunk.kind == VALUES:
        called = (names, chunk.symbol)
    else:
        called = (chunk.symbol, chunk.signature) if chunk.symbol else (names,)
    return Part(
        name=sha256(chunk.anchor.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME],
        title=" ".join(part for part in (*called, PurePosixPath(chunk.path).stem) if part),
        text="\n".join(part for part in (chunk.doc, chunk.text) if part),
        start=chunk.start_line,
        end=chunk.end_line,
        symbol=chunk.symbol,
        kind=chunk.kind,
        sets=chunk.sets,
    )
