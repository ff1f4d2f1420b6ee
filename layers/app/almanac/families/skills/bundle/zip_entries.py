"""The entries of a zip file, checked against its bytes before any entry is unpacked.

The standard library reads the directory, once its size is known to be small. Entries that overlap, are encrypted, or
use a rare compression method are then rejected.
"""

import io
import stat
import struct
import zipfile
import zlib

from msgspec import Struct

from almanac.kernel.errors import InvalidInput

MAX_DIRECTORY = 512 * 1024
"""Bytes of a zip's directory. One entry takes 46 bytes and its name."""
MAX_ENTRIES = 2048

_END = struct.Struct("<4s4H2LH")
_LOCAL = struct.Struct("<4s5H3L2H")
_LOCATOR = 20
_MAX_COMMENT = 0xFFFF
_UTF8 = 0x800
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_REPACK = "Pack the folder of SKILL.md again as a plain zip file."


class Entry(Struct, frozen=True):
    """An entry with its `name` in the zip. Its header begins at `header` and its packed bytes are `data[start:end]`.
    `size` is the declared number of unpacked bytes."""

    name: str
    header: int
    start: int
    end: int
    size: int
    crc: int
    deflated: bool
    kind: str
    """`file`, `folder`, or `link` for links and devices."""


def entries_of(data: bytes) -> list[Entry]:
    """Return the entries of a zip file in the order of its directory. Raises InvalidInput if the file is not plain."""
    _check_directory_size(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos, directory = archive.infolist(), archive.start_dir
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError) as broken:
        raise archive_error("The zip file cannot be read: its directory is broken") from broken
    if len(infos) > MAX_ENTRIES:
        raise archive_error(f"The zip file has over {MAX_ENTRIES} entries")
    entries = [_entry(info, data) for info in infos]
    _check_overlaps(entries, directory)
    return entries


def unpack(entry: Entry, data: bytes) -> bytes:
    """Unpack an entry, and check its declared size and checksum. At most one byte more than declared is ever in
    memory."""
    packed = data[entry.start : entry.end]
    if not entry.deflated:
        content, whole = packed, len(packed) == entry.size
    else:
        inflating = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = inflating.decompress(packed, entry.size + 1)
        except zlib.error as broken:
            raise archive_error(f"{entry.name!a} cannot be unpacked") from broken
        whole = len(content) == entry.size and inflating.eof and not inflating.unused_data
    if not whole or zlib.crc32(content) != entry.crc:
        raise archive_error(f"{entry.name!a} is damaged: its size or checksum differs")
    return content


def archive_error(problem: str) -> InvalidInput:
    return InvalidInput(f"{problem}.", _REPACK, path="archive")


def _check_directory_size(data: bytes) -> None:
    """Reject a large directory by its end record. The library creates an object per entry, as many as that record
    declares."""
    place = data.rfind(b"PK\x05\x06", max(0, len(data) - _MAX_COMMENT - _END.size))
    if place < 0 or place + _END.size > len(data):
        raise archive_error("This is not a zip file, or only the first part of one")
    _, _, _, _, entries, size, _, comment = _END.unpack_from(data, place)
    if place + _END.size + comment != len(data):
        raise archive_error("The zip file has data after its end")
    if data[max(0, place - _LOCATOR) :][:4] == b"PK\x06\x07":
        raise archive_error("The zip file is in the zip64 format for sizes over 4 GB")
    if size > MAX_DIRECTORY or entries > MAX_ENTRIES:
        raise archive_error(f"The zip file has over {MAX_ENTRIES} entries")


def _entry(info: zipfile.ZipInfo, data: bytes) -> Entry:
    # The library cuts `filename` at a NUL and replaces the system's separators. This is the stored name.
    raw = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")
    name = _decode_name(raw, info.orig_filename)
    if info.flag_bits & _ENCRYPTED:
        raise archive_error(f"{name!a} is encrypted")
    if info.compress_type not in _METHODS:
        raise archive_error(f"{name!a} is not packed by deflate")
    start = _start_of(info, raw, data)
    mode = info.external_attr >> 16
    kind = "folder" if name.endswith("/") else "file" if stat.S_IFMT(mode) in {0, stat.S_IFREG} else "link"
    deflated = info.compress_type == zipfile.ZIP_DEFLATED
    end = start + info.compress_size
    return Entry(name, info.header_offset, start, end, info.file_size, info.CRC, deflated, kind)


def _decode_name(raw: bytes, name: str) -> str:
    """Return the name of an entry. Some systems write UTF-8 without declaring it."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return name


def _start_of(info: zipfile.ZipInfo, raw: bytes, data: bytes) -> int:
    """Return the start of an entry's packed bytes, after its local header. That header must repeat the name in the
    directory."""
    at = info.header_offset
    if not 0 <= at <= len(data) - _LOCAL.size:
        raise archive_error(f"{info.orig_filename!a} has no header")
    signature, *_, name_length, extra_length = _LOCAL.unpack_from(data, at)
    written = data[at + _LOCAL.size : at + _LOCAL.size + name_length]
    if signature != b"PK\x03\x04" or written != raw:
        raise archive_error(f"{info.orig_filename!a} has one name in the directory and another in its header")
    return at + _LOCAL.size + name_length + extra_length


def _check_overlaps(entries: list[Entry], directory: int) -> None:
    """Raise InvalidInput unless the entries follow each other without overlap, all of them before the directory."""
    end = 0
    for entry in sorted(entries, key=lambda each: (each.header, each.end)):
        if entry.header < end or entry.end > directory:
            raise archive_error(f"{entry.name!a} overlaps another entry")
        end = entry.end
