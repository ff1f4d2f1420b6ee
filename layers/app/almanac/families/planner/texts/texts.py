"""Validation of titles and bodies: without invisible characters, and of limited size."""

from almanac.content import clean
from almanac.kernel.errors import InvalidInput

TITLE_CHARACTERS = 200
BODY_BYTES = 100_000


def check_title(text: str, path: str = "title", most: int = TITLE_CHARACTERS) -> str:
    """Return the title on one line. Raises InvalidInput if it is empty or over `most` characters."""
    title = " ".join(clean(text).text.split())
    if not title:
        raise InvalidInput(f"The {path} is empty.", "Give it a few words.", path=path)
    if len(title) > most:
        raise InvalidInput(
            f"The {path} has {len(title)} characters, over {most}.",
            "Shorten it, and put the rest into the text below it.",
            path=path,
        )
    return title


def check_body(text: str, path: str) -> str:
    """Return the cleaned body. Raises InvalidInput over 100,000 bytes of UTF-8."""
    body = clean(text).text
    try:
        size = len(body.encode())
    except UnicodeEncodeError:
        raise InvalidInput(
            f"The {path} has an incomplete surrogate pair.", "Send valid Unicode text.", path=path
        ) from None
    if size > BODY_BYTES:
        raise InvalidInput(
            f"The {path} has {size} bytes, over {BODY_BYTES}.", "Shorten it, or split it over several items.", path=path
        )
    return body
