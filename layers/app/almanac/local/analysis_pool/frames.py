"""Messages between a server and its workers. A frame is the length in four bytes, followed by msgpack."""

from collections.abc import Sequence
from typing import BinaryIO

import msgspec

from almanac.composition.commands.code_preparation import PreparedFile

_LENGTH = 4
_encode = msgspec.msgpack.Encoder().encode
_decode_request = msgspec.msgpack.Decoder(tuple[bool, list[tuple[str, str]]]).decode
_decode_answer = msgspec.msgpack.Decoder(list[PreparedFile]).decode


def ask(stream: BinaryIO, files: Sequence[tuple[str, str]], *, parse: bool = True) -> None:
    """Send `files`, pairs of path and text, to a worker."""
    _write(stream, _encode((parse, files)))


def read_request(stream: BinaryIO) -> tuple[bool, list[tuple[str, str]]] | None:
    """Read a request. Return whether to parse the files, and the files, or None if the server has closed the pipe."""
    body = _read(stream)
    return None if body is None else _decode_request(body)


def answer(stream: BinaryIO, prepared_files: Sequence[PreparedFile]) -> None:
    _write(stream, _encode(prepared_files))


def read_answer(stream: BinaryIO) -> list[PreparedFile] | None:
    """Read the prepared files, or return None if the worker has ended."""
    body = _read(stream)
    return None if body is None else _decode_answer(body)


def _write(stream: BinaryIO, body: bytes) -> None:
    stream.write(len(body).to_bytes(_LENGTH, "big") + body)
    stream.flush()


def _read(stream: BinaryIO) -> bytes | None:
    length = stream.read(_LENGTH)
    if len(length) < _LENGTH:
        return None
    size = int.from_bytes(length, "big")
    body = stream.read(size)
    return body if len(body) == size else None
