"""Redaction of events: when they are imported, and when events of a provider are shown.

Events of a provider are stored unchanged, because a move of their time writes them back.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from msgspec.structs import replace

from almanac.content.redaction import SecretFinding, redact_value
from almanac.families.calendar.model.events import Event

_CACHED_CHARACTERS = 2_000
_LINES = ("summary", "description", "location", "organizer", "url")
_LISTS = ("categories", "partial")


def texts_of(event: Event) -> dict[str, Any]:
    """Return all texts of an event written by others, except ids and addresses."""
    return {
        **{name: getattr(event, name) or "" for name in _LINES},
        **{name: list(getattr(event, name)) for name in _LISTS},
        "names": [one.name for one in event.attendee_details],
        "alarms": [{"description": one.description, "other": list(one.other)} for one in event.alarms],
        "other": list(event.other),
    }


def with_texts(event: Event, texts: Mapping[str, Any]) -> Event:
    """Return the event with texts in the shape of `texts_of`, or with a part of them."""
    named = zip(event.attendee_details, texts["names"], strict=True)
    alarms = event.alarms
    if "alarms" in texts:
        pairs = zip(event.alarms, texts["alarms"], strict=True)
        alarms = tuple(replace(one, description=new["description"], other=tuple(new["other"])) for one, new in pairs)
    return replace(
        event,
        **{name: texts[name] for name in _LINES if getattr(event, name)},
        **{name: tuple(texts[name]) for name in _LISTS},
        attendee_details=tuple(replace(one, name=name) for one, name in named),
        alarms=alarms,
        other=tuple(texts.get("other", event.other)),
    )


def redact_event(event: Event) -> tuple[Event, tuple[SecretFinding, ...]]:
    """Return the event as a native calendar may store it, and the secrets that were removed."""
    redacted = redact_value(texts_of(event))
    if not redacted.findings:
        return event, ()
    return with_texts(event, cast("Mapping[str, Any]", redacted.value)), redacted.findings


def visible(event: Event, provider: str) -> Event:
    """Return the event as a reader may see it. Native events have no secrets, so only texts of a provider are
    redacted."""
    if provider == "native":
        return event
    texts = _visible_texts(event)
    is_short = sum(map(len, chain.from_iterable(texts))) <= _CACHED_CHARACTERS
    redacted = _redact(texts) if is_short else _redact.__wrapped__(texts)
    if redacted is None:
        return event
    lines, *lists, names = redacted
    return with_texts(event, dict(zip((*_LINES, *_LISTS, "names"), (*lines, *lists, names), strict=True)))


def _visible_texts(event: Event) -> tuple[tuple[str, ...], ...]:
    lines = tuple(getattr(event, name) or "" for name in _LINES)
    return (lines, *(getattr(event, name) for name in _LISTS), tuple(one.name for one in event.attendee_details))


@lru_cache(maxsize=4096)
def _redact(texts: tuple[tuple[str, ...], ...]) -> list[list[str]] | None:
    """Return the texts without secrets, None if they have none. Cached, because lists show the same few events
    repeatedly."""
    redacted = redact_value([list(some) for some in texts])
    return cast("list[list[str]]", redacted.value) if redacted.findings else None
