"""Dotted paths into an event as rules see it, such as `payload.metadata.kind`, `event.actor` and `payload.files.0`."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event, EventKind

MAX_PATH = 256
ROOTS = ("payload", "event")
_ABOUT = ("id", "kind", "key", "at", "actor")

_SEGMENTS = re.compile(r"[^.\s${}]+(\.[^.${}]+)*")

Document = Mapping[str, Any]
Read = Callable[[Document], Any]


class MissingValue:
    """The type of MISSING, the value at a path that leads nowhere."""


MISSING: Final = MissingValue()


def document(event: Event) -> Document:
    """Return an event as `{"event": {id, kind, key, at, actor}, "payload": {...}}`; `at` is milliseconds since 1970."""
    about = {"id": event.id, "kind": event.kind, "key": event.key, "at": event.at, "actor": event.actor}
    return {"event": about, "payload": event.payload}


def paths_of(kind: EventKind) -> tuple[str, ...]:
    """Return the paths that events of the kind may have. What is below a field of the payload is not known."""
    fields = dict.fromkeys([*kind.sample, *kind.others])
    return (*(f"payload.{name}" for name in fields), *(f"event.{name}" for name in _ABOUT))


def unknown_paths(kind: EventKind, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that no event of the kind has."""
    known = {*ROOTS, *paths_of(kind)}
    return tuple(path for path in dict.fromkeys(paths) if ".".join(path.split(".")[:2]) not in known)


def reader(text: str, path: str) -> Read:
    """Return a function that reads the value at the dotted path `text`, MISSING if there is none.

    A whole number after a dot is a position in a list. Raises InvalidInput with `path` if `text` is not a valid path.
    """
    names = text.split(".")
    if len(text) > MAX_PATH or names[0] not in ROOTS or not _SEGMENTS.fullmatch(text):
        raise InvalidInput(
            f'"{text[:60]}" is not a path into an event.',
            "Start with payload. or event., e.g. payload.metadata.kind or event.actor.",
            path=path,
        )

    def read(found: Document) -> Any:
        value: Any = found
        for name in names:
            value = cast("dict[str, Any]", value).get(name, MISSING) if type(value) is dict else _entry(value, name)
            if value is MISSING:
                return MISSING
        return value

    return read


def _entry(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name, MISSING)
    if isinstance(value, list) and name.isascii() and name.isdigit() and len(name) < 6:
        entries = cast("list[Any]", value)
        return entries[int(name)] if int(name) < len(entries) else MISSING
    return MISSING
