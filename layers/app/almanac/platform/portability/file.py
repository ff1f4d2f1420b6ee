"""Reading and writing of a tenant's export file, line by line and in constant memory."""

import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import IO, NamedTuple

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from almanac.kernel.errors import InvalidInput
from almanac.platform.portability.lines import (
    FORMAT,
    FORMATS,
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
from almanac.platform.portability.signature import Origin, Signer

_TAIL = re.compile(rb',"check":"([0-9a-f]{32})"\}')
_TAIL_BYTES = len(',"check":""}') + 32


class Chain:
    """Hash chain over the lines of a file. Reader and writer each have one."""

    def __init__(self) -> None:
        self._state = sha256(b"almanac tenant").digest()

    def seal(self, body: bytes) -> bytes:
        """Return `body`, a JSON object, with its check as the last member."""
        return body[:-1] + b',"check":"' + self._check(body).hex()[:32].encode() + b'"}'

    def opens(self, line: bytes) -> bytes | None:
        """Return the body of a sealed line. None if it is not the next line of this chain."""
        tail = _TAIL.fullmatch(line[-_TAIL_BYTES:])
        body = line[:-_TAIL_BYTES] + b"}"
        return body if tail and tail[1].decode() == self._check(body).hex()[:32] else None

    def accept(self, carried: bytes) -> None:
        """Add a line to the chain. Later checks depend on `carried`, which is its body or the relevant part of it."""
        self._state = self._check(carried)

    def _check(self, body: bytes) -> bytes:
        return sha256(self._state + body).digest()


MAX_LINE_BYTES = 8 * 1024 * 1024
"""Limit of a line, larger than any item of 400 KB as JSON with every character escaped."""


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


class NumberedLine(NamedTuple):
    """A line of a file. `number` counts from 1, and `end` is the number of bytes read so far.

    `digest` covers all lines so far, without the signature.
    """

    number: int
    line: Line
    end: int
    digest: bytes


class FileWriter:
    """Writes lines to `file`. `counts` has the numbers written so far."""

    def __init__(self, file: IO[bytes], signing: Signer | None = None) -> None:
        self._file = file
        self._signing = signing
        self._chain = Chain()
        self._digest = sha256()
        self.counts = Counts()

    def write(self, line: Line) -> None:
        body = encode(line)
        self._digest.update(body)
        self._file.write(self._chain.seal(body) + b"\n")
        self._chain.accept(_reproducible_part(line, body))
        self.counts = self.counts.plus(line)

    def finish(self) -> None:
        """Write the last line. Without it, an import refuses the file as cut off."""
        footer = self.counts.footer()
        if self._signing is not None:
            self._digest.update(encode(footer))
            footer = replace(footer, signature=self._signing.sign(self._digest.digest()))
        self.write(footer)
        self._file.flush()


def origin_of(file: IO[bytes], signing: Signer, look: Callable[[NumberedLine], object]) -> Origin:
    """Read all of `file` and determine its origin. Calls `look` with each line. Raises the same errors as
    `read_lines`."""
    signer = signature = ""
    digest = b""
    for numbered in read_lines(file):
        look(numbered)
        digest = numbered.digest
        if isinstance(numbered.line, Header):
            signer = numbered.line.signer or ""
        elif isinstance(numbered.line, Footer):
            signature = numbered.line.signature or ""
    return signing.origin(signer, signature, digest)


def read_lines(file: IO[bytes]) -> Iterator[NumberedLine]:
    """Yield each line after checking it: the header first, the footer last, nothing after it.

    Raises InvalidInput with the number of the line that is damaged, missing, out of place or of a later format.
    """
    chain, counts, number, end, digest = Chain(), Counts(), 0, 0, sha256()
    last: Line | None = None
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number, end = number + 1, end + len(raw)
        line = _read(chain, raw, number)
        _check_place(line, last, number)
        unsigned = replace(line, signature=UNSET) if isinstance(line, Footer) else line
        if isinstance(line, Footer) and unsigned != counts.footer():
            raise wrong_line(number, "its counts do not match the file")
        digest.update(encode(unsigned))
        counts, last = counts.plus(line), line
        yield NumberedLine(number, line, end, digest.digest())
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
        raise wrong_line(number, "it is not a line of a tenant's export") from error
    chain.accept(_reproducible_part(line, body))
    return line


def _check_place(line: Line, last: Line | None, number: int) -> None:
    if isinstance(line, Header) != (last is None):
        raise wrong_line(number, "the tenant's line must come first, and only once")
    if isinstance(line, Header) and line.format not in FORMATS:
        raise InvalidInput(
            f"The file has format {line.format}, this program reads {FORMATS[0]} to {FORMAT}.",
            "Import it with the version of Almanac that exported it, or a later one.",
            path=f"line {number}",
            code="bad_export",
        )
    if isinstance(last, Footer):
        raise wrong_line(number, "lines follow the end of the export")
    if isinstance(last, BlobLine) and not isinstance(line, BlobLine | ItemLine):
        raise wrong_line(number, "a large value has no item")


def _reproducible_part(line: Line, body: bytes) -> bytes:
    """Return the part of the header that later lines depend on. It leaves out time and place of the export, so that two
    exports of the same data differ only in their first and last lines."""
    return encode(replace(line, exported_at=0, signer=UNSET)) if isinstance(line, Header) else body
