"""Validation of a memory's `metadata`. Fields of the contract are checked, others are stored unchanged."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct

from almanac.families.context.core.places import place_of
from almanac.families.context.core.types import MemorySource
from almanac.families.memory.memories.new_memory import Tags
from almanac.protocol.arguments import schema
from almanac.protocol.arguments.conversion import convert

DEFAULTS: Mapping[str, Any] = {
    "tags": [],
    "confidence": 0.8,
    "source": "ai_inferred",
    "cliType": "generic",
    "weight": 3,
}
MAX_TITLE = 500
_Path = Annotated[str, Meta(max_length=1024)]
_Line = Annotated[int, Meta(ge=0)]
_Language = Annotated[str, Meta(max_length=100)]


class _FileContext(Struct, frozen=True, rename="camel"):
    path: _Path
    line_start: _Line | None = None
    line_end: _Line | None = None
    language: _Language | None = None


class _CodeBlock(Struct, frozen=True, rename="camel"):
    code: str
    language: _Language | None = None
    file_path: _Path | None = None


class _Known(Struct, frozen=True, rename="camel"):
    tags: Tags | None = None
    title: Annotated[str, Meta(max_length=MAX_TITLE)] | None = None
    confidence: Annotated[float, Meta(ge=0, le=1)] | None = None
    source: MemorySource | None = None
    project_path: _Path | None = None
    cli_type: Annotated[str, Meta(max_length=100)] | None = None
    file_context: _FileContext | None = None
    code_block: _CodeBlock | None = None
    weight: Annotated[float, Meta(ge=1, le=5)] | None = None


class _Arguments(Struct, frozen=True):
    metadata: _Known


class MetadataFields(Struct, frozen=True):
    """The metadata that Almanac uses: tags, weight from 1 to 5, the place that the memory is about, and the client that
    wrote it; None if absent or ambiguous."""

    tags: tuple[str, ...]
    weight: float | None
    place: str | None
    client: str | None


def parse_metadata(metadata: Mapping[str, Any]) -> MetadataFields:
    """Return the fields that Almanac uses. Raises InvalidInput that names the wrong field, such as metadata.weight."""
    known = convert({"metadata": dict(metadata)}, _Arguments, _schema()).metadata
    return MetadataFields(
        tags=tuple(known.tags or ()),
        weight=known.weight,
        place=place_of(known.project_path, "metadata.projectPath"),
        client=None if known.cli_type == DEFAULTS["cliType"] else known.cli_type,
    )


def with_defaults(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata with the contract's defaults for missing fields."""
    return {**metadata, **{name: value for name, value in DEFAULTS.items() if name not in metadata}}


@cache
def _schema() -> dict[str, Any]:
    return schema.of_arguments(_Arguments)
