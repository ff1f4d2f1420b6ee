"""Read the fields of a protobuf message one after the other, without its schema."""

from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10


class NotAnIndex(ValueError):
    """Raised for data that is no index of the expected kind, or too large."""


def fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield number and value of each field: an int for a varint or fixed number, else the bytes. Raises
    `NotAnIndex`."""
    place = 0
    while place < len(data):
        tag, place = varint(data, place)
        kind = tag & 7
        if kind == _VARINT:
            value, place = varint(data, place)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            length, place = varint(data, place)
        elif kind in {_FIXED32, _FIXED64}:
            length = 4 if kind == _FIXED32 else 8
        else:
            raise NotAnIndex(f"a field of the unknown wire type {kind}")
        if length > len(data) - place:
            raise NotAnIndex("a field is longer than its message")
        part = data[place : place + length]
        yield tag >> 3, part if kind == _BYTES else int.from_bytes(part, "little")
        place += length


def varint(data: memoryview, place: int) -> tuple[int, int]:
    """Return the number that begins at `place`, and the place after it."""
    value = 0
    for count in range(_LONGEST_VARINT):
        if place + count >= len(data):
            break
        byte = data[place + count]
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value, place + count + 1
    raise NotAnIndex("a number does not end")


def numbers(value: int | memoryview) -> list[int]:
    """Return the integers of a repeated field, which is packed or one of them."""
    if isinstance(value, int):
        return [value]
    found: list[int] = []
    place = 0
    while place < len(value):
        number, place = varint(value, place)
        found.append(number)
    return found


def text(value: int | memoryview) -> str:
    if isinstance(value, int):
        raise NotAnIndex("a number stands where a text should")
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        raise NotAnIndex("a text is not UTF-8") from None
