"""A file as the index has it: its text, and the hash that the server knows it by."""

from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from almanac.composition.commands.code_index import MAX_BYTES, decode_text, left_out


class Text(Struct, frozen=True):
    """`digest` is the SHA-256 of the text in UTF-8, which is what the server keeps."""

    content: str
    digest: str
    bytes: int


def read_file(root: Path, path: str) -> Text | str | None:
    """Its text, or the reason why it is left out; None where it is gone.

    `unreadable` is the reason where it is there, and cannot be opened.
    """
    try:
        with (root / path).open("rb") as source:
            content = source.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError:
        return "unreadable"
    if len(content) > MAX_BYTES:
        return "too_large"
    text = decode_text(content)
    # A file of text has no zero in it, whatever else it has.
    if "\0" in text:
        return "binary"
    if reason := left_out(path, text):
        return reason
    encoded = text.encode()
    return Text(text, sha256(encoded).hexdigest(), len(encoded))
