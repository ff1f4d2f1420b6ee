"""A piece of a file as search finds it."""

from hashlib import sha256
from pathlib import PurePosixPath

from msgspec import Struct

from almanac.families.code.core.codec import VALUES, Part

_NAME = 12
_TITLE_NAMES = 400
"""Characters of the names in a title."""


class Chunk(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Lines `start_line` to `end_line`, counted from 1, of the file at `path`; what stands in chunks of their own
    between them is not part of it.

    `symbol` is the qualified name of a definition, the headings of a section as "Install > From source", or "" for
    what stands outside of them; `kind` is that of the definition, "section", "settings" for values, "values" for those
    within the definition, or "text". `part` counts the chunks that a long definition or stretch of text is cut into,
    from 0. `anchor` is what tells chunks of one file apart, whatever is edited elsewhere in it. `sets` are names that
    its lines give values to, at most 40.
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
    """In the order of their lines. `left_out` counts those beyond the bound of a file."""

    chunks: tuple[Chunk, ...]
    left_out: int = 0


def part_of(chunk: Chunk) -> Part:
    """As it is stored. The title is what the chunk is called: name, signature and the file's name, or the names that
    it sets; the text is its doc comment and its code."""
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
