"""Execution of one tool call: arguments in, outcome out. Both engines answer tools/call with it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError, LimitExceeded
from almanac.protocol.arguments.conversion import convert, correct_names
from almanac.protocol.content import Content, to_wire
from almanac.protocol.elicitation import InputRequired
from almanac.protocol.tool import Call, Collaborators, Tool

Json = dict[str, Any]

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Services of the process in which tools run.

    `report_defect` receives a reference, the name of the tool or method, and the exception. `state_secret` seals the
    state that a tool keeps between the rounds of a call; it is the same in every process of a server, and without it no
    tool can keep state. `on_outcome` receives every finished call and its duration in seconds; it does not raise.
    `admits` raises an AlmanacError for a call with valid arguments that may not run, such as one over its quota.
    """

    clock: Clock
    collaborators: Collaborators
    new_reference: Callable[[], str]
    report_defect: Callable[[str, str, BaseException], None]
    on_outcome: "Callable[[Tool, Call, Outcome, float], None] | None" = None
    admits: "Callable[[Tool, Call, Json], None] | None" = None
    state_secret: bytes | None = field(default=None, repr=False)


DEFECT: Final = "internal_error"
"""Error code of a bug in the server."""


class Outcome(msgspec.Struct, frozen=True):
    """Result of tools/call.

    `structured` is JSON text, repeated in `content`. An error has it only if the tool declares a refusal. `error` is
    the error code, None after a success.
    """

    content: list[Json]
    structured: str | None = None
    error: str | None = None
    meta: Json | None = None

    @property
    def is_error(self) -> bool:
        return self.error is not None


def invoke(tool: Tool, arguments: Json, call: Call, host: Host) -> Outcome:
    """Call `tool` and return its outcome. Errors become outcomes that a model can act on; an internal error leaks no
    details.

    Only InputRequired passes through: the tool has a question.
    """
    if host.on_outcome is None:
        return _outcome_of(tool, arguments, call, host)
    started = time.perf_counter()
    outcome = _outcome_of(tool, arguments, call, host)
    host.on_outcome(tool, call, outcome, time.perf_counter() - started)
    return outcome


def _outcome_of(tool: Tool, arguments: Json, call: Call, host: Host) -> Outcome:
    try:
        arguments = correct_names(arguments, tool.input_schema["properties"])
        converted = (
            convert(arguments, tool.signature.arguments, tool.input_schema) if arguments else _default_arguments(tool)
        )
        if host.admits is not None:
            host.admits(tool, call, arguments)
        injected = {name: host.collaborators[kind](call) for name, kind in tool.signature.collaborators.items()}
        result = tool.function(**{name: getattr(converted, name) for name in converted.__struct_fields__}, **injected)
        return _success(result)
    except InputRequired:
        raise
    except AlmanacError as error:
        return _refusal(error, tool)
    # Every other exception is a bug of the server, not of the caller. Only this boundary catches it.
    except Exception as exception:  # noqa: BLE001
        reference = host.new_reference()
        host.report_defect(reference, tool.name, exception)
        message = f"Internal error, reference {reference}. Nothing is wrong with the call; try again later."
        return _failure(message, tool, DEFECT)


def _default_arguments(tool: Tool) -> msgspec.Struct:
    return convert({}, tool.signature.arguments, tool.input_schema)


def _success(result: Any) -> Outcome:
    if isinstance(result, Content):
        return Outcome([to_wire(block) for block in result.blocks])
    structured = _encode(result).decode()
    return Outcome([{"type": "text", "text": structured}], structured)


def _refusal(error: AlmanacError, tool: Tool) -> Outcome:
    facts: Json = {"code": error.code, "retryable": error.retryable}
    if isinstance(error, LimitExceeded) and error.retry_after_seconds is not None:
        facts["retry_after_seconds"] = error.retry_after_seconds
    if error.untrusted:
        facts["untrusted"] = True
    message = f"{error.code}: {error}" if tool.refusal is None else str(error)
    return _failure(message, tool, error.code, {"almanac/error": facts})


def _failure(message: str, tool: Tool, code: str, meta: Json | None = None) -> Outcome:
    structured = None if tool.refusal is None else _encode(tool.refusal(message)).decode()
    text = message if structured is None else structured
    return Outcome([{"type": "text", "text": text}], structured, code, meta)
