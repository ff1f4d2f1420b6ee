"""The tool that a message calls, read without the rest of the message."""

import msgspec


class _Params(msgspec.Struct):
    name: str = ""


class _Message(msgspec.Struct):
    method: str = ""
    params: _Params = msgspec.field(default_factory=_Params)


_read = msgspec.json.Decoder(_Message).decode


def tool_named(body: bytes) -> str | None:
    """Return the name in a tools/call; None for any other message, and for what is not one."""
    try:
        message = _read(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return message.params.name if message.method == "tools/call" else None
