"""Payloads of events as programs really send them, with different names for the same field, or as bare text."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct

from almanac.content import clean
from almanac.families.context.reports.texts import MOST, plain

_TEXT_OF_OBJECT = ("message", "text", "content", "description", "name", "value", "path")
_LINES = 200
_WRITTEN = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)(?: ?/ ?\d{1,3})?", re.ASCII)
_MOST_NUMBER = 10**9


class Payload(Struct, frozen=True):
    """A payload whose names are compared without case, hyphens and underscores: `filePath` and `file_path` are the
    same. The fields of nested objects count if the payload itself lacks them."""

    values: Mapping[str, Any]
    inner: Mapping[str, Any]

    def text(self, *names: str, ends: bool = False) -> str | None:
        """Return the first text under one of these names, up to 20,000 characters from its beginning or, with `ends`,
        its end."""
        found = (plain(_cut(text, ends)) for text in self._texts(names))
        return next((text for text in found if clean(text).text.strip()), None)

    def number(self, *names: str) -> float | None:
        """Return the first number under one of these names, even if it is written as text."""
        return next((number for value in self._values_of(names) if (number := _number_of(value)) is not None), None)

    def flag(self, *names: str) -> bool | None:
        """Return the first yes or no under one of these names; None if there is none."""
        for value in self._values_of(names):
            said = value.strip().lower() if isinstance(value, str) else value
            if said in (True, "true", "yes"):
                return True
            if said in (False, "false", "no"):
                return False
        return None

    def _texts(self, names: tuple[str, ...]) -> Iterator[str]:
        for value in self._values_of(names):
            text = _text_of(value)
            if text is not None:
                yield text

    def _values_of(self, names: tuple[str, ...]) -> Iterator[Any]:
        for values in (self.values, self.inner):
            for name in names:
                if values.get(name) is not None:
                    yield values[name]


def payload_of(value: Mapping[str, Any] | str | None, bare: str) -> Payload:
    """Parse a payload. `bare` is the name for a payload that is only a text. An object may also be sent as JSON
    text."""
    read = _read(value) if isinstance(value, str) else value
    named = _with_plain_names(cast("Mapping[str, Any]", read)) if isinstance(read, Mapping) else {bare: value}
    objects = [_with_plain_names(cast("Mapping[str, Any]", one)) for one in named.values() if isinstance(one, Mapping)]
    inner = {name: each[name] for each in reversed(objects) for name in each}
    return Payload(named, inner)


def _with_plain_names(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name.lower().replace("_", "").replace("-", ""): value for name, value in values.items()}


def _read(text: str) -> object:
    if not text.lstrip().startswith("{"):
        return text
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):  # it only looks like JSON
        return text


def _text_of(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        inside = _with_plain_names(cast("Mapping[str, Any]", value))
        return next((inside[name] for name in _TEXT_OF_OBJECT if isinstance(inside.get(name), str)), None)
    if isinstance(value, list):
        lines = [line for line in cast("list[object]", value)[:_LINES] if isinstance(line, str)]
        return "\n".join(lines) or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def _cut(text: str, ends: bool) -> str:
    return text[-MOST:] if ends else text[:MOST]


def _number_of(value: object) -> float | None:
    """Return the number of a value, such as 4, `4`, `4.5` or `4/5`."""
    if isinstance(value, str):
        found = _WRITTEN.fullmatch(value.strip())
        return None if found is None else _whole(float(found[1]))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _whole(value) if abs(value) < _MOST_NUMBER else None


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number
