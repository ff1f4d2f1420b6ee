"""Memories captured from an event."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from almanac.content.redaction import redact
from almanac.families.context.core.types import Layer, MemorySource
from almanac.families.context.reports.parsed_event import ParsedEvent
from almanac.families.context.reports.texts import beginning
from almanac.families.context.storage.store_memory import StoreRequest
from almanac.kernel.errors import InvalidInput
from codegraph import TEXT, language_of

HOUR = 3600
TEXT_BYTES, SHORT_BYTES, NAME_BYTES, CODE_BYTES = 6000, 2000, 400, 4000
FILE_NAMES = ("file", "path", "filepath", "filename", "uri")

Metadata = Mapping[str, Any]


class Capture(Struct, frozen=True, kw_only=True):
    """`same` is by which it is the same as what was reported before; None for what only the moment needs. `error` is
    the text by which others like it are looked for."""

    storing: StoreRequest
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


def working(event: ParsedEvent, content: Content, slot: str, hours: int) -> StoreRequest:
    """A memory of layer 1, which takes the place of the one in its slot."""
    # A digest of the slot is stored, from which a secret could be guessed.
    return _storing(event, content, 1, redact(slot).text, hours * HOUR)


def kept(event: ParsedEvent, content: Content, layer: Layer) -> StoreRequest:
    """A memory of layer 2 or 3."""
    return _storing(event, content, layer, None, None)


def needed(event: ParsedEvent, what: str, *names: str) -> str:
    """The text that the event is about. Raises InvalidInput where its payload has none."""
    text = event.payload.text(*names)
    if text is None:
        raise lacking(event, what)
    return text


def lacking(event: ParsedEvent, what: str) -> InvalidInput:
    return InvalidInput(
        f"The payload of {event.type} does not say its {what}.",
        f'Give it as event.payload.{what}, e.g. {{"{what}": "..."}}.',
        path=f"event.payload.{what}",
    )


def named_file(event: ParsedEvent) -> str | None:
    file = event.payload.text(*FILE_NAMES)
    return None if file is None else beginning(file, NAME_BYTES)


def file_context(event: ParsedEvent, file: str) -> Metadata:
    """Under the name and with the fields that the contract has for it."""
    context: dict[str, Any] = {"path": file}
    for name, names in (("lineStart", ("line", "linestart", "linenumber")), ("lineEnd", ("lineend",))):
        number = event.payload.number(*names)
        if number is not None:
            context[name] = number
    language = language_in(event, file)
    return {"fileContext": {**context, "language": language} if language else context}


def code_block(event: ParsedEvent, code: str, file: str | None) -> Metadata:
    """The same for code."""
    block = {"code": code, "language": language_in(event, file) or TEXT}
    return {"codeBlock": {**block, "filePath": file} if file else block}


def language_in(event: ParsedEvent, file: str | None) -> str | None:
    """As the event says, or as the name of the file does."""
    said = event.payload.text("language", "lang")
    if said is not None:
        return beginning(said, NAME_BYTES).lower()
    known = language_of(file) if file else TEXT
    return known if known != TEXT else None


def _storing(event: ParsedEvent, content: Content, layer: Layer, slot: str | None, seconds: int | None) -> StoreRequest:
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
