"""Reader of a file for the index, which returns its text with the hash by which the server knows it."""

from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from almanac.composition.commands.code_index import MAX_BYTES, decode_text, left_out


class Text(Struct, frozen=True):
    """The text of a file. `digest` is the SHA-256 of the text in UTF-8, which the server stores."""

    content: str
    digest: str
    bytes: int


def read_file(root: Path, path: str) -> Text | str | None:
    """Return the file's text, the reason why it is left out, or None if the file is gone.

    The reason is `unreadable` if the file exists but cannot be opened.
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
    # A text file contains no zero byte.
    if "\0" in text:
        return "binary"
    if reason := left_out(path, text):
        return reason
    encoded = text.encode()
    return Text(text, sha256(encoded).hexdigest(), len(encoded))
