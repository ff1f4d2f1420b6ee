"""Reading and writing of safetensors files. Files are mapped into memory, so only the used parts are read.

The format has 8 bytes with a little-endian length, JSON of that length with the type, shape and place of each tensor,
and then the tensors.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
import numpy as np
from msgspec import Struct, field

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Kept = NDArray[np.int8] | NDArray[np.float16]
    """Numbers that `write_tensors` writes."""
    Tensor = NDArray[np.int8 | np.float16 | np.float32]
    """Numbers that `read_tensors` returns."""

_TYPES = {"F32": "<f4", "F16": "<f2", "I8": "i1"}
_WRITTEN = {"float16": "F16", "int8": "I8"}
_NOTES = "__metadata__"
_LENGTH_BYTES = 8
_MOST_HEADER = 1 << 20


class _Place(Struct, frozen=True):
    """Type, shape and position of a tensor, from the file's header. Metadata entries have none of these."""

    dtype: str = ""
    shape: tuple[int, ...] = ()
    data_offsets: tuple[int, int] = (0, 0)


class _Notes(Struct, frozen=True):
    notes: dict[str, str] = field(name=_NOTES, default_factory=dict[str, str])


def read_tensors(file: Path) -> "dict[str, Tensor]":
    """Read the tensors of a file by name, read-only. Tensors of other types are left out.

    Raises ValueError for a damaged or incomplete file, or one of another format.
    """
    header, data = _parts(file)
    places = msgspec.json.decode(header, type=dict[str, _Place])
    return {name: _tensor(data, place) for name, place in places.items() if place.dtype in _TYPES}


def read_notes(file: Path) -> dict[str, str]:
    """Read the metadata of a file. Raises ValueError if it is no safetensors file."""
    return msgspec.json.decode(_parts(file)[0], type=_Notes).notes


def write_tensors(file: BinaryIO, tensors: "Mapping[str, Kept]", notes: Mapping[str, str] | None = None) -> None:
    """Write tensors of bytes or half precision, to be read by `read_tensors`, and notes, by `read_notes`."""
    described: dict[str, Any] = {_NOTES: dict(notes or {})}
    end = 0
    for name, tensor in tensors.items():
        places = [end, end := end + tensor.nbytes]
        described[name] = {"dtype": _WRITTEN[tensor.dtype.name], "shape": tensor.shape, "data_offsets": places}
    header = json.dumps(described).encode()
    # Tensors are used in place, so each must start at a multiple of its number's size.
    header += b" " * (-len(header) % 8)
    file.write(len(header).to_bytes(_LENGTH_BYTES, "little") + header)
    for tensor in tensors.values():
        file.write(np.ascontiguousarray(tensor, _TYPES[_WRITTEN[tensor.dtype.name]]).tobytes())


def _parts(file: Path) -> "tuple[bytes, NDArray[np.uint8]]":
    """Return the header, and the bytes that its offsets refer to. Raises ValueError."""
    if file.stat().st_size <= _LENGTH_BYTES:
        raise ValueError(f"{file} is too short for a file of tensors.")
    data = np.asarray(np.memmap(file, np.uint8, "r"))
    end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES].tobytes(), "little")
    if not _LENGTH_BYTES < end <= min(_MOST_HEADER, data.size):
        raise ValueError(f"{file} does not begin as a file of tensors does.")
    return data[_LENGTH_BYTES:end].tobytes(), data[end:]


def _tensor(data: "NDArray[np.uint8]", place: _Place) -> "Tensor":
    (start, end), dtype = place.data_offsets, np.dtype(_TYPES[place.dtype])
    if not 0 <= start <= end <= data.size or end - start != math.prod(place.shape) * dtype.itemsize:
        raise ValueError("A tensor does not lie within its file.")
    return data[start:end].view(dtype).reshape(place.shape)
