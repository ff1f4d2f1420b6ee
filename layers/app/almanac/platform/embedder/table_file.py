"""The file of the static table: whole or not there, and never mistaken for that of another version."""

import os
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from almanac.platform.embedder.network.safetensors import read_notes, read_tensors, write_tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS = 256
NAME = f"all-MiniLM-L6-v2/static-{DIMENSIONS}/1"
"""Count it up with anything that changes the rows."""

_ROWS = "rows"
_UNFINISHED = ".unfinished-"


class BrokenTable(ValueError):
    """A file that is damaged, not whole, or of another version: it is to be made again."""


def write_table(file: Path, rows: "NDArray[np.float16]") -> None:
    """Puts the file in place at once, with its folder where that is missing; a crash leaves an unfinished one beside
    it, which the next writing removes. One process at a time."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for left in file.parent.glob(f"{_UNFINISHED}*"):
        left.unlink(missing_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=file.parent, prefix=_UNFINISHED)
    with os.fdopen(handle, "wb") as out:
        write_tensors(out, {_ROWS: rows}, {"name": NAME, "crc32": _checksum(rows)})
        out.flush()
        os.fsync(out.fileno())
    Path(unfinished).replace(file)


def open_table(file: Path, *, checked: bool = True) -> "NDArray[np.float16]":
    """The rows, mapped into memory. Raises FileNotFoundError or BrokenTable.

    `checked` reads the whole file once, in 10 ms; without it, only what it says of itself must be right.
    """
    try:
        notes, rows = read_notes(file), read_tensors(file).get(_ROWS)
    except ValueError as broken:
        raise BrokenTable(str(broken)) from broken
    if rows is None or notes.get("name") != NAME or rows.dtype != np.float16 or rows.ndim != 2:
        raise BrokenTable(f"{file} is not the table {NAME}.")
    if checked and notes.get("crc32") != _checksum(rows):
        raise BrokenTable(f"{file} is damaged.")
    return rows.astype(np.float16, copy=False)


def _checksum(rows: "NDArray[np.generic]") -> str:
    return f"{zlib.crc32(np.ascontiguousarray(rows).data):08x}"
