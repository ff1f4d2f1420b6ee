"""The file of the static table: whole or not there, and never mistaken for that of another version."""

import os
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from almanac.platform.embedder.packaged_model import NAME
from almanac.platform.embedder.safetensors import read_notes, read_tensors, write_tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROWS = "rows"
_UNFINISHED = ".unfinished-"
"""Behind the name of the file that it is to become."""


class BrokenTable(ValueError):
    """A file that is damaged, not whole, or of another version: it is to be made again."""


def write_table(file: Path, rows: "NDArray[np.float16]") -> None:
    """Puts the file in place at once, with its folder where that is missing; a crash leaves an unfinished one beside
    it, which the next writing removes. One process at a time."""
    file.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{file.name}{_UNFINISHED}"
    for left in file.parent.glob(f"{prefix}*"):
        left.unlink(missing_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=file.parent, prefix=prefix)
    with os.fdopen(handle, "wb") as out:
        write_tensors(out, {_ROWS: rows}, {"name": NAME, "crc32": _checksum(rows)})
        out.flush()
        os.fsync(out.fileno())
    Path(unfinished).replace(file)


def open_table(file: Path, *, checked: bool = True) -> "NDArray[np.float16]":
    """The rows, read-only. Raises OSError where there is no such file, or BrokenTable.

    `checked` reads the whole file into memory, in 20 ms, so that what was compared with the checksum is what is used,
    whatever becomes of the file. Without it the file is mapped, and only what it says of itself must be right.
    """
    try:
        notes, rows = read_notes(file), read_tensors(file).get(_ROWS)
    except ValueError as broken:
        raise BrokenTable(str(broken)) from broken
    if rows is None or notes.get("name") != NAME or rows.dtype != np.float16 or rows.ndim != 2:
        raise BrokenTable(f"{file} is not the table {NAME}.")
    if not checked:
        return rows.astype(np.float16, copy=False)
    rows = rows.astype(np.float16)
    if notes.get("crc32") != _checksum(rows):
        raise BrokenTable(f"{file} is damaged.")
    rows.flags.writeable = False
    return rows


def _checksum(rows: "NDArray[np.generic]") -> str:
    return f"{zlib.crc32(np.ascontiguousarray(rows).data):08x}"
