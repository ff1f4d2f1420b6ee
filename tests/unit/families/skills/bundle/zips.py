"""Zip files of tests, and how they are spoilt."""

import io
import struct
import zipfile
from collections.abc import Mapping

SKILL = b"---\nname: tidy-desk\ndescription: Tidies.\n---\nBody\n"
END = struct.Struct("<4s4H2LH")


def zip_of(files: Mapping[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file with entries of these names, as they are."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", packing) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, packing)
    return target.getvalue()


def zip_with_entry(entry: zipfile.ZipInfo, data: bytes = b"", files: Mapping[str, bytes] | None = None) -> bytes:
    """A zip file of a skill with one more entry."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (files or {"SKILL.md": SKILL}).items():
            archive.writestr(name, content)
        archive.writestr(entry, data)
    return target.getvalue()


def replace_bytes(data: bytes, old: bytes, new: bytes) -> bytes:
    """Return `data` with bytes replaced everywhere. The old bytes must occur in it."""
    assert old in data
    assert len(old) == len(new)
    return data.replace(old, new)


def with_directory_field(data: bytes, name: str, offset: int, value: bytes) -> bytes:
    """`data` with a field of the directory's row of an entry changed. Offsets as in the format's description."""
    place = data.rindex(name.encode()) - 46
    assert data[place : place + 4] == b"PK\x01\x02"
    return data[: place + offset] + value + data[place + offset + len(value) :]
