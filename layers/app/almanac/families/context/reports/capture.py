"""Construction of memories from reported events."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from almanac.content.redaction import redact
from almanac.families.context.core.types import Layer, MemorySource
from almanac.families.context.reports.parsed_event import ParsedEvent
from almanac.families.context.reports.texts import head
from almanac.families.context.storage.store_memory import StoreRequest
from almanac.kernel.errors import InvalidInput
from codegraph import TEXT, language_of

HOUR = 3600
TEXT_BYTES, SHORT_BYTES, NAME_BYTES, CODE_BYTES = 6000, 2000, 400, 4000
FILE_NAMES = ("file", "path", "filepath", "filename", "uri")

Metadata = Mapping[str, Any]


class Capture(Struct, frozen=True, kw_only=True):
    """A memory to store for an event. `same` identifies equal reports; None for short-lived memories. `error` is the
    text for the search of similar errors."""

    request: StoreRequest
    action: str
    same: str | None = None
    error: str | None = None


class Content(Struct, frozen=True, kw_only=True):
    """The text and metadata of a captured memory. `tags` are additional to the tag of all captured memories."""

    type: str
    text: str
    tags: tuple[str, ...]
    metadata: Metadata = {}
    source: MemorySource = "system_auto"


def working_request(event: ParsedEvent, content: Content, slot: str, hours: int) -> StoreRequest:
    """Return a memory of layer 1. It replaces the one in its slot."""
    # Redact the slot, because a secret could be guessed from its stored digest.
    return _store_request(event, content, 1, redact(slot).text, hours * HOUR)


def lasting_request(event: ParsedEvent, content: Content, layer: Layer) -> StoreRequest:
    """Return a memory of layer 2 or 3."""
    return _store_request(event, content, layer, None, None)


def required_text(event: ParsedEvent, what: str, *names: str) -> str:
    """Return the text that the event is about. Raises InvalidInput if its payload has none."""
    text = event.payload.text(*names)
    if text is None:
        raise missing_field(event, what)
    return text


def missing_field(event: ParsedEvent, what: str) -> InvalidInput:
    return InvalidInput(
        f"The payload of {event.type} does not say its {what}.",
        f'Give it as event.payload.{what}, e.g. {{"{what}": "..."}}.',
        path=f"event.payload.{what}",
    )


def file_of_event(event: ParsedEvent) -> str | None:
    file = event.payload.text(*FILE_NAMES)
    return None if file is None else head(file, NAME_BYTES)


def file_context(event: ParsedEvent, file: str) -> Metadata:
    """Return the metadata of a file, in the form of the contract."""
    context: dict[str, Any] = {"path": file}
    for name, names in (("lineStart", ("line", "linestart", "linenumber")), ("lineEnd", ("lineend",))):
        number = event.payload.number(*names)
        if number is not None:
            context[name] = number
    language = language_in(event, file)
    return {"fileContext": {**context, "language": language} if language else context}


def code_block(event: ParsedEvent, code: str, file: str | None) -> Metadata:
    """Return the metadata of code, in the form of the contract."""
    block = {"code": code, "language": language_in(event, file) or TEXT}
    return {"codeBlock": {**block, "filePath": file} if file else block}


def language_in(event: ParsedEvent, file: str | None) -> str | None:
    """Return the language by the event or the file name; None if neither shows it."""
    language = event.payload.text("language", "lang")
    if language is not None:
        return head(language, NAME_BYTES).lower()
    known = language_of(file) if file else TEXT
    return known if known != TEXT else None


def _store_request(
    event: ParsedEvent, content: Content, layer: Layer, slot: str | None, seconds: int | None
) -> StoreRequest:
    tags = (*content.tags, "auto_capture")
    metadata: dict[str, Any] = {"tags": list(tags), "source": content.source, "cliType": event.cli}
    if event.path:
        metadata["projectPath"] = event.path
    if event.is_late:
        metadata["occurredAt"] = event.at
    return StoreRequest(
        type=content.type,
        content=content.text,
        tags=tags,
        metadata={**metadata, **content.metadata},
        layer=layer,
        ttl_seconds=seconds,
        place=event.place,
        session=event.session,
        slot=slot,
        tool=event.cli,
    )
