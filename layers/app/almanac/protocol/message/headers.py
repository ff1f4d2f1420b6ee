"""HTTP headers of a stateless request. They repeat parts of the body and must agree with it."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from almanac.protocol.message.rpc import HEADER_MISMATCH, Json, RpcError

VERSION: Final = "mcp-protocol-version"
METHOD: Final = "mcp-method"
NAME: Final = "mcp-name"
PARAMETER: Final = "mcp-param-"

_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ENCODED: Final = r"=\?base64\?(.*)\?="
_DECIMAL: Final = r"-?[0-9]{1,4000}(\.0+)?"
_MIRRORED = ("string", "integer", "boolean")

Headers = Mapping[str, str]
HeaderArgument = tuple[tuple[str, ...], str, str]
"""An argument's path, the header that repeats it, and its schema type."""


def decode(value: str | None) -> str | None:
    """Decode a header value wrapped as `=?base64?…?=`. None if it is missing or wrongly encoded."""
    wrapped = re.fullmatch(_ENCODED, value) if value and value.startswith("=?") else None
    if wrapped is None:
        return value
    try:
        raw = base64.b64decode(wrapped[1], validate=True)
        text = raw.decode()
    except (binascii.Error, ValueError):
        return None
    return text if base64.b64encode(raw).decode() == wrapped[1] else None


def check_routing(headers: Headers, version: str, method: str, params: Json) -> None:
    """Raise RpcError HEADER_MISMATCH unless the version, method and name headers match the body."""
    if headers.get(VERSION) != version:
        raise _mismatch("MCP-Protocol-Version", "the version in params._meta")
    if headers.get(METHOD) != method:
        raise _mismatch("Mcp-Method", "the method")
    field = _NAMED.get(method)
    value = params.get(field) if field else None
    if value is not None and decode(headers.get(NAME)) != value:
        raise _mismatch("Mcp-Name", f"params.{field}")


def find_annotated(schema: Json, path: tuple[str, ...] = ()) -> Iterator[HeaderArgument]:
    """Yield the arguments that a client repeats in headers: those with `x-mcp-header` in their schema."""
    for name, child in schema.get("properties", {}).items():
        if (header := child.get("x-mcp-header")) and child.get("type") in _MIRRORED:
            yield (*path, name), PARAMETER + header.lower(), child["type"]
        if isinstance(child.get("properties"), dict):
            yield from find_annotated(child, (*path, name))


def check_parameters(headers: Headers, repeated: tuple[HeaderArgument, ...], arguments: Json) -> None:
    """Raise RpcError HEADER_MISMATCH unless each repeated argument and its header agree, or both are missing."""
    for path, header, kind in repeated:
        sent, value = headers.get(header), _at(arguments, path)
        text = _as_text(value)
        if text is None and sent is None:
            continue
        plain = decode(sent)
        if text is None or plain is None or not _equal(kind, value, text, plain):
            raise _mismatch(header, f"the argument {'.'.join(path)}")


def _at(arguments: Json, path: tuple[str, ...]) -> Any:
    value: Any = arguments
    for name in path:
        value = cast("Json", value).get(name) if isinstance(value, dict) else None
    return value


def _as_text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None


def _equal(kind: str, value: Any, text: str, sent: str) -> bool:
    """Compare whole numbers as numbers, whatever their spelling, and everything else as text."""
    whole = kind == "integer" and not isinstance(value, (bool, str)) and value == int(value)
    if whole and re.fullmatch(_DECIMAL, sent):
        return int(sent.partition(".")[0]) == int(value)
    return sent == text


def _mismatch(header: str, counterpart: str) -> RpcError:
    return RpcError(HEADER_MISMATCH, f"The {header} header must be sent and equal {counterpart}.")
