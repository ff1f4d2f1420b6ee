"""Tools for each kind of content, and for what travels beside a result."""

import json
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from almanac.kernel.errors import InvalidInput
from almanac.protocol.content import (
    AudioContent,
    Block,
    Content,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    TextContent,
)
from almanac.protocol.progress import Log, Progress
from almanac.protocol.tool import Effect, tool
from tests.conformance.everything.media import PNG, WAV


def text(said: str) -> Content:
    return Content((TextContent(said),))


def _embed_resource(uri: str, mime_type: str, said: str) -> Block:
    return EmbeddedResource(ResourceContents(uri, mime_type, said))


@tool(title="Simple text", effect=Effect.READS)
def test_simple_text() -> Content:
    """Answer with one text."""
    return text("This is a simple text response for testing.")


@tool(title="Image", effect=Effect.READS)
def test_image_content() -> Content:
    """Answer with an image."""
    return Content((ImageContent(PNG, "image/png"),))


@tool(title="Audio", effect=Effect.READS)
def test_audio_content() -> Content:
    """Answer with a sound."""
    return Content((AudioContent(WAV, "audio/wav"),))


@tool(title="Embedded resource", effect=Effect.READS)
def test_embedded_resource() -> Content:
    """Answer with a page inside the result."""
    return Content(
        (_embed_resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),)
    )


@tool(title="Several kinds of content", effect=Effect.READS)
def test_multiple_content_types() -> Content:
    """Answer with a text, an image and a page."""
    page = _embed_resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    return Content((TextContent("Multiple content types test:"), ImageContent(PNG, "image/png"), page))


@tool(title="Error", effect=Effect.READS)
def test_error_handling() -> Content:
    """Fail always."""
    raise InvalidInput("This tool intentionally returns an error for testing.")


@tool(title="Logging", effect=Effect.READS)
def test_tool_with_logging(*, log: Log) -> Content:
    """Tell the person three things on the way."""
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        log.write("info", said)
    return text("Tool with logging executed successfully")


@tool(title="Logging without leave", effect=Effect.READS)
def test_logging_tool(*, log: Log) -> Content:
    """Log, which nobody may see who did not ask for it."""
    log.write("info", "This is said to those who asked for logs only.")
    return text("Logged.")


@tool(title="Progress", effect=Effect.READS)
def test_tool_with_progress(*, progress: Progress) -> Content:
    """Report progress at 0, 50 and 100."""
    for done in (0, 50, 100):
        progress.report(done, 100, f"Completed step {done} of 100")
    return text("Done.")


Region = Annotated[str, Meta(description="Routed by.", extra_json_schema={"x-mcp-header": "Region"})]
Priority = Annotated[int, Meta(extra_json_schema={"x-mcp-header": "Priority"})]


@tool(title="Arguments in headers", effect=Effect.READS)
def test_x_mcp_header(region: Region, priority: Priority = 0) -> Content:  # noqa: PT028 - a tool, not a test
    """Take arguments that a client repeats in headers."""
    return text(f"{region} {priority}")


@tool(title="JSON Schema 2020-12", effect=Effect.READS)
def json_schema_2020_12_tool(name: str = "") -> Content:
    """Listed with a schema that uses what portable schemas leave out."""
    return text(name)


# A tool of a family never has such a schema; the suite wants to see that the wire leaves whatever stands there alone.
_EVERY_KEYWORD = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
json_schema_2020_12_tool.__dict__["listing"] = replace(
    json_schema_2020_12_tool.listing, input=json.dumps(_EVERY_KEYWORD)
)
json_schema_2020_12_tool.__dict__["input_schema"] = _EVERY_KEYWORD
