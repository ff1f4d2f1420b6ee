"""A tenant's file, line by line: written and read in constant memory."""

from collections.abc import Iterator
from typing import IO, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.kernel.errors import InvalidInput
from almanac.platform.portability.chain import Chain
from almanac.platform.portability.lines import (
    FORMAT,
    BlobLine,
    Footer,
    Header,
    ItemLine,
    KeyLine,
    Line,
    decode,
    encode,
    wrong_line,
)

MAX_LINE_BYTES = 8 * 1024 * 1024
"""More than any item of 400 KB takes as JSON, with every character escaped."""


class Counts(Struct, frozen=True):
    items: int = 0
    blobs: int = 0
    keys: int = 0

    def plus(self, line: Line) -> "Counts":
        match line:
            case ItemLine():
                return replace(self, items=self.items + 1)
            case BlobLine(part=0):
                return replace(self, blobs=self.blobs + 1)
            case KeyLine():
                return replace(self, keys=self.keys + 1)
            case _:
                return self

    def footer(self) -> Footer:
        return Footer(items=self.items, blobs=self.blobs, keys=self.keys)


class Numbered(NamedTuple):
    """`number` counts from 1; `end` is how many bytes of the file were read."""

    number: int
    line: Line
    end: int


class FileWriter:
    """Writes to `file`; `counts` is what it has written so far."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._chain = Chain()
        self.counts = Counts()

    def write(self, line: Line) -> None:
        body = encode(line)
        self._file.write(self._chain.seal(body) + b"\n")
        self._chain.accept(_carried(line, body))
        self.counts = self.counts.plus(line)

    def finish(self) -> None:
        """Writes the last line; without it the file is refused as cut off."""
        self.write(self.counts.footer())
        self._file.flush()


def read_lines(file: IO[bytes]) -> Iterator[Numbered]:
    """Every line, each checked before it is handed out: the header first, the footer last, nothing after it.

    Raises InvalidInput with the number of the line that is damaged, missing, out of place or of a later format.
    """
    chain, counts, number, end = Chain(), Counts(), 0, 0
    last: Line | None = None
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number, end = number + 1, end + len(raw)
        line = _read(chain, raw, number)
        _check_place(line, last, number)
        if isinstance(line, Footer) and line != counts.footer():
            raise wrong_line(number, "the counts are not those of the file")
        counts, last = counts.plus(line), line
        yield Numbered(number, line, end)
    if not isinstance(last, Footer):
        problem = f"The file is cut off after line {number}." if number else "The file is empty."
        raise InvalidInput(problem, "Export again, and look for a full disk.", path=f"line {number}", code="bad_export")


def _read(chain: Chain, raw: bytes, number: int) -> Line:
    if len(raw) > MAX_LINE_BYTES:
        raise wrong_line(number, f"it has over {MAX_LINE_BYTES} bytes")
    body = chain.opens(raw.rstrip(b"\r\n"))
    if body is None:
        first = "no export of a tenant begins so, or it was changed"
        raise wrong_line(number, "it was changed, or is not the line that was written here" if number > 1 else first)
    try:
        line = decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise wrong_line(number, "it is no line of a tenant's export") from error
    chain.accept(_carried(line, body))
    return line


def _check_place(line: Line, last: Line | None, number: int) -> None:
    if isinstance(line, Header) != (last is None):
        raise wrong_line(number, "the line of the tenant stands first and only there")
    if isinstance(line, Header) and line.format != FORMAT:
        raise InvalidInput(
            f"The file has format {line.format}, this program reads {FORMAT}.",
            "Import it with the version of Almanac that exported it, or a later one.",
            path=f"line {number}",
            code="bad_export",
        )
    if isinstance(last, Footer):
        raise wrong_line(number, "something follows the end")
    if isinstance(last, BlobLine) and not isinstance(line, BlobLine | ItemLine):
        raise wrong_line(number, "a large value stands without its item")


def _carried(line: Line, body: bytes) -> bytes:
    """What later lines depend on: not on the time of the export, so that two exports of the same data differ in their
    first line only."""
    return encode(replace(line, exported_at=0)) if isinstance(line, Header) else body
