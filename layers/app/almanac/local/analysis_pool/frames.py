"""Frames of messages between a server and its workers: the length in four bytes, then msgpack."""

from collections.abc import Sequence
from typing import BinaryIO

import msgspec

from almanac.composition.commands.code_preparation import PreparedFile

_LENGTH = 4
_encode = msgspec.msgpack.Encoder().encode
_asked = msgspec.msgpack.Decoder(tuple[bool, list[tuple[str, str]]]).decode
_answered = msgspec.msgpack.Decoder(list[PreparedFile]).decode


def ask(stream: BinaryIO, files: Sequence[tuple[str, str]], *, parse: bool = True) -> None:
    """`files` are paths and texts."""
    _write(stream, _encode((parse, files)))


def asked(stream: BinaryIO) -> tuple[bool, list[tuple[str, str]]] | None:
    """Return whether files are to be parsed, and the files; None where nothing more will be asked."""
    body = _read(stream)
    return None if body is None else _asked(body)


def answer(stream: BinaryIO, made: Sequence[PreparedFile]) -> None:
    _write(stream, _encode(made))


def answered(stream: BinaryIO) -> list[PreparedFile] | None:
    """None where the other side has ended."""
    body = _read(stream)
    return None if body is None else _answered(body)


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
