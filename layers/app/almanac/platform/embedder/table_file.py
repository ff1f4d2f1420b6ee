"""The file of the static table. It is complete or missing, and never mistaken for another version's."""

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
"""Suffix of the name of a file that is still being written."""


class BrokenTable(ValueError):
    """The file is damaged, incomplete or of another version, and must be made again."""


def write_table(file: Path, rows: "NDArray[np.float16]") -> None:
    """Write the file in one atomic step, creating its folder if necessary. Only one process may write at a time.

    A crash leaves an unfinished file beside it, which the next write removes.
    """
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
    """Open the rows, read-only. Raises OSError if there is no file, or BrokenTable.

    With `checked`, the whole file is read into memory, in 20 ms, and compared with its checksum. Later changes of the
    file have no effect. Without it, the file is mapped into memory, and only its header is checked.
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
