"""SCIP indexes of a few documents, as bytes."""


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, content: bytes | str | int) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    data = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(data)) + data


def occurrence(line: int, column: int, symbol: str, roles: int = 0) -> bytes:
    place = b"".join(varint(each) for each in (line - 1, column, column + 3))
    return field(1, place) + field(2, symbol) + (field(3, roles) if roles else b"")


def document(path: str, *occurrences: bytes) -> bytes:
    return field(2, field(4, "python") + field(1, path) + b"".join(field(2, each) for each in occurrences))


def symbol(descriptors: str) -> str:
    return f"scip-python python app 1.0 {descriptors}"
