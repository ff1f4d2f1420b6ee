"""Parameters of each method in both eras. Unknown fields are ignored, as the protocol requires."""

from typing import Any, TypeVar

import msgspec

from almanac.protocol.message.rpc import INVALID_PARAMS, Json, RpcError

Params = TypeVar("Params", bound=msgspec.Struct)


class Implementation(msgspec.Struct):
    name: str
    version: str


class Meta(msgspec.Struct):
    """`_meta` of a request. The prefixed fields are the envelope of a stateless request."""

    progress_token: int | str | None = msgspec.field(default=None, name="progressToken")
    version: str | None = msgspec.field(default=None, name="io.modelcontextprotocol/protocolVersion")
    client: Implementation | None = msgspec.field(default=None, name="io.modelcontextprotocol/clientInfo")
    capabilities: Json | None = msgspec.field(default=None, name="io.modelcontextprotocol/clientCapabilities")


class Plain(msgspec.Struct):
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class Initialize(Plain, kw_only=True):
    version: str = msgspec.field(name="protocolVersion")
    capabilities: Json
    client: Implementation = msgspec.field(name="clientInfo")


class ListParams(Plain):
    cursor: str | None = None


class AnsweredCall(Plain):
    """A call repeated with answers to an elicitation."""

    input_responses: dict[str, Json] | None = msgspec.field(default=None, name="inputResponses")
    request_state: str | None = msgspec.field(default=None, name="requestState")


class CallTool(AnsweredCall, kw_only=True):
    name: str
    arguments: Json | None = None


class GetPrompt(AnsweredCall, kw_only=True):
    name: str
    arguments: dict[str, str] | None = None


class ResourceAddress(Plain, kw_only=True):
    uri: str


class ResourceFolder(ResourceAddress, kw_only=True):
    cursor: str | None = None


class PromptReference(msgspec.Struct, tag_field="type", tag="ref/prompt"):
    name: str


class TemplateReference(msgspec.Struct, tag_field="type", tag="ref/resource"):
    uri: str


class PartialArgument(msgspec.Struct):
    name: str
    value: str


class Complete(Plain, kw_only=True):
    ref: PromptReference | TemplateReference
    argument: PartialArgument


class SetLevel(Plain, kw_only=True):
    level: str


def read(params: Json | None, into: type[Params]) -> Params:
    """Convert `params` to the structure `into`. RpcError INVALID_PARAMS that names the wrong field."""
    try:
        return msgspec.convert(params or {}, into)
    except msgspec.ValidationError:
        raise RpcError(INVALID_PARAMS, f"Invalid params: {_describe_problem(params or {}, into)}.") from None


def _describe_problem(params: Json, into: type[msgspec.Struct]) -> str:
    for field in msgspec.structs.fields(into):
        if field.encode_name not in params:
            if field.required:
                return f'"{field.encode_name}" is required'
            continue
        try:
            msgspec.convert(params[field.encode_name], field.type)
        except msgspec.ValidationError:
            return f'"{field.encode_name}" must be {_describe_type(field.type)}'
    return "they do not fit the method"


def _describe_type(type_: Any) -> str:
    return _KINDS.get(type_, "an object of the form that the method documents")


_KINDS: dict[Any, str] = {
    str: "a string",
    str | None: "a string",
    Json: "an object",
    Json | None: "an object",
    dict[str, str] | None: "an object of strings",
    dict[str, Json] | None: "an object of objects",
}
