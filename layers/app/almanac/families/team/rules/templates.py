"""Templates: `${payload.x}` and `${event.x}` in a rule's texts are filled in from the event that fired the rule.

Inserted text is never parsed as a template itself. A text that consists of a single `${payload.x}` becomes the value
itself: a number, flag, list, object or null keeps its type. Within other text, texts are inserted unchanged, other
values as JSON, and null as nothing. A path that leads nowhere always inserts nothing. `$${` stands for `${`.
"""

import json
import re
from typing import Any, cast

import msgspec

from almanac.families.team.rules.paths import MISSING, Document, Read, reader
from almanac.kernel.errors import InvalidInput

MAX_PLACES = 32
MAX_BYTES = 7 * 1024
MAX_DEPTH = 10
CUT = "…"

_OPENS = "${"
_WHOLE = re.compile(r"\$\{([^{}]*)\}")
_PLACE = re.compile(r"\$\$\{|\$\{([^{}]*)\}")


class Budget:
    """The bytes, as JSON, that the texts of one action may still take. A broadcast has room for 8 KB."""

    def __init__(self) -> None:
        self._left = MAX_BYTES

    def take_value(self, value: Any) -> Any:
        """Return `value`, or as much of its text as fits."""
        if isinstance(value, str):
            return self.take(value)
        size = len(msgspec.json.encode(value))
        if size > self._left:
            return self.take(_as_text(value))
        self._left -= size
        return value

    def take(self, text: str) -> str:
        """Return `text`, or as much of it as fits, ending in an ellipsis."""
        room = self._left
        taken, size = text, _size(text)
        while size > room and taken:
            shortened = taken.removesuffix(CUT)
            shortened = shortened[: max(0, len(shortened) * room // size - 1)]
            taken = shortened + CUT if shortened else ""
            size = _size(taken)
        self._left -= size
        return taken


def check_templates(value: Any, path: str, depth: int = 0) -> None:
    """Check templates. Raises InvalidInput for a `${` without a valid path, for more than 32 of them in a text, and for
    nesting over 10 deep."""
    if depth > MAX_DEPTH:
        raise InvalidInput(f"{path} is nested deeper than {MAX_DEPTH}.", "Flatten it.", path=path)
    if isinstance(value, str):
        _pieces(value, path)
    elif isinstance(value, list):
        for place, each in enumerate(cast("list[Any]", value)):
            check_templates(each, f"{path}[{place}]", depth + 1)
    elif isinstance(value, dict):
        for name, each in cast("dict[str, Any]", value).items():
            check_templates(each, f"{path}.{name}", depth + 1)


def paths_in(value: Any) -> list[str]:
    """Return the paths that the checked templates in `value` fill in."""
    text = msgspec.json.encode(value).decode()
    return [place[1].strip() for place in _PLACE.finditer(text) if place[1] is not None]


def fill_templates(value: Any, document: Document, budget: Budget) -> Any:
    """Fill every text in `value` from the event `document`, within `budget`. Other values stay as they are."""
    if isinstance(value, str):
        whole = _WHOLE.fullmatch(value)
        if whole is None:
            return budget.take(_text(value, document))
        read = reader(whole[1].strip(), "")(document)
        return "" if read is MISSING else budget.take_value(read)
    if isinstance(value, list):
        return [fill_templates(each, document, budget) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: fill_templates(each, document, budget) for name, each in cast("dict[str, Any]", value).items()}
    return value


def _text(template: str, document: Document) -> str:
    if _OPENS not in template:
        return template
    size, texts = 0, list[str]()
    for piece in _pieces(template, ""):
        text = piece if isinstance(piece, str) else _as_text(piece(document))
        texts.append(text)
        size += len(text)
        if size > MAX_BYTES:
            break
    return "".join(texts)


def _pieces(template: str, path: str) -> list[str | Read]:
    """Split a template into literal texts and the readers of the values between them."""
    pieces: list[str | Read] = []
    end = 0
    for place in _PLACE.finditer(template):
        pieces.append(_plain(template[end : place.start()], path))
        pieces.append(_OPENS if place[1] is None else reader(place[1].strip(), path))
        end = place.end()
    pieces.append(_plain(template[end:], path))
    if len(pieces) > 2 * MAX_PLACES + 1:
        raise InvalidInput(
            f"The text at {path} has more than {MAX_PLACES} places to fill.",
            "Fill fewer, or spread the text over several actions.",
            path=path,
        )
    return pieces


def _plain(text: str, path: str) -> str:
    if _OPENS in text:
        raise InvalidInput(
            f"A ${{ in the text at {path} is not closed.", "Write ${payload.x}, or $${ for ${ itself.", path=path
        )
    return text


def _size(text: str) -> int:
    """Return the bytes of a text as JSON, without the quotation marks."""
    return len(msgspec.json.encode(text)) - 2


def _as_text(value: Any) -> str:
    if value is MISSING or value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
