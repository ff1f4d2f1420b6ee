"""Declaration of tools: one function defines a tool's name, description, schemas, hints and behaviour.

    @tool(title="Convert to a time zone", effect=Effect.READS)
    def convert_timezone(datetime: Timestamp, target_timezone: ZoneName, *, clock: Clock) -> Converted:
        '''Text for the model. ...'''

The name is the function's name, the description its docstring. Positional parameters are arguments: their annotations
make the input schema. Keyword-only parameters are collaborators, injected by type and invisible to the model. The
return annotation makes the output schema. Errors are raised (see `almanac.kernel.errors`).
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, Literal, cast, get_args, get_type_hints

import msgspec

from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.protocol.arguments import schema
from almanac.protocol.content import Content
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.message import headers
from almanac.protocol.progress import Log, NoLog, Progress

Json = dict[str, Any]


class Effect(Enum):
    """Effect of a call on the world. Each value implies MCP's read-only, destructive and idempotent hints."""

    READS = (True, False, True)
    """Changes nothing."""
    ADDS = (False, False, False)
    """Creates something new at each call."""
    SETS = (False, False, True)
    """Brings something to a state; repeating the call changes nothing more."""
    REMOVES = (False, True, True)
    """Deletes or overwrites; repeating the call changes nothing more."""


class Call(msgspec.Struct, frozen=True):
    """One tools/call, as seen by the functions that build its collaborators.

    `hub_url` is the address that the request came to, as the HTTP entry point reports it; None if there is none.
    """

    caller: Caller
    clock: Clock
    progress: Progress
    log: Log = msgspec.field(default_factory=NoLog)
    elicitation: Elicitation = msgspec.field(default_factory=Elicitation)
    hub_url: str | None = None


Refusal = Callable[[str], msgspec.Struct]
"""Builds the structured result of a failed call from its error message."""
Naming = Literal["camel"]
Choices = Callable[[], Sequence[str]]
"""Returns the values that an argument may have. Called when the tool is first listed or called."""
Provider = Callable[[Call], Any]
Collaborators = Mapping[type, Provider]


class Entries(msgspec.Struct, frozen=True):
    """Schema of the entries of an argument annotated as `list[Any]`.

    A tool uses it to accept entries unchecked and convert them itself, so that a bad entry fails alone.
    """

    structure: type[msgspec.Struct]


class Signature(msgspec.Struct, frozen=True):
    """Types of a tool's annotations, read once on first use."""

    arguments: type[msgspec.Struct]
    collaborators: Mapping[str, type]
    entries: Mapping[str, type[msgspec.Struct]]
    result: Any


class ToolListing(msgspec.Struct, frozen=True, array_like=True):
    """Texts of a tool in lists, as JSON.

    `output` is None for a tool without an output schema. `logs` is true for a tool that writes to the client's log.
    """

    description: str
    input: str
    title: str
    output: str | None
    annotations: str
    logs: bool


@dataclass(frozen=True)
class Tool:
    """Declared tool. Calling it calls the plain function, so a unit test needs no server."""

    function: Callable[..., Any]
    title: str
    effect: Effect
    open_world: bool = False
    aliases: tuple[str, ...] = ()
    refusal: Refusal | None = None
    naming: Naming | None = None
    choices: Mapping[str, Choices] = field(default_factory=dict[str, Choices], compare=False)
    name: str = field(init=False)
    description: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.function.__name__)
        object.__setattr__(self, "description", _unwrap(inspect.cleandoc(self.function.__doc__ or "")))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def limit(self, argument: str, choices: Choices) -> "Tool":
        """Return the tool with a text argument limited to values that are known only at run time, from `choices`."""
        return replace(self, choices={**self.choices, argument: choices})

    @cached_property
    def signature(self) -> Signature:
        hints = get_type_hints(self.function, include_extras=True)
        hints |= {name: _limit_to(hints[name], tuple(choices())) for name, choices in self.choices.items()}
        fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
        collaborators: dict[str, type] = {}
        for name, parameter in inspect.signature(self.function).parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                collaborators[name] = hints[name]
            elif parameter.default is parameter.empty:
                fields.append((name, hints[name]))
            else:
                fields.append((name, hints[name], parameter.default))
        arguments = msgspec.defstruct(self.name, fields, kw_only=True, forbid_unknown_fields=True, rename=self.naming)
        entries = {
            name: remark.structure
            for name, hint in hints.items()
            for remark in getattr(hint, "__metadata__", ())
            if isinstance(remark, Entries)
        }
        return Signature(arguments, collaborators, entries, hints["return"])

    @cached_property
    def input_schema(self) -> Json:
        root = schema.of_arguments(self.signature.arguments)
        for name, structure in self.signature.entries.items():
            root["properties"][name]["items"] = schema.of_arguments(structure)
        return root

    @cached_property
    def header_arguments(self) -> tuple[headers.HeaderArgument, ...]:
        """Arguments that a client of a stateless revision repeats as `Mcp-Param-…` headers."""
        return tuple(headers.find_annotated(self.input_schema))

    @cached_property
    def output_schema(self) -> Json | None:
        """Output schema; None for a tool that answers with content blocks instead of a structure."""
        return None if self.answers_with_content else schema.of_result(self.signature.result)

    @cached_property
    def answers_with_content(self) -> bool:
        return self.signature.result is Content

    @cached_property
    def callable_tool(self) -> "Tool":
        """The tool to call: this tool itself, unless its family is not imported yet."""
        return self

    @cached_property
    def listing(self) -> "ToolListing":
        """Texts of this tool in a list of tools."""
        output = None if self.output_schema is None else _text(self.output_schema)
        arguments = _text(schema.as_listed(self.input_schema))
        texts = (_text(self.description), arguments, _text(self.title), output, _text(self.annotations))
        return ToolListing(*texts, Log in self.signature.collaborators.values())

    @property
    def annotations(self) -> Json:
        """MCP's four behaviour hints and the title, all stated so that no client applies a default."""
        read_only, destructive, idempotent = self.effect.value
        return {
            "title": self.title,
            "readOnlyHint": read_only,
            "destructiveHint": destructive,
            "idempotentHint": idempotent,
            "openWorldHint": self.open_world,
        }


def _text(value: Any) -> str:
    # ASCII only: a single character beyond it doubles the size of a text in memory and slows down each copy and
    # encoding.
    return json.dumps(value, separators=(",", ":"))


def _unwrap(text: str) -> str:
    """Join the lines of each paragraph of a docstring, because a model would pay a token for each line break."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _limit_to(hint: Any, values: tuple[str, ...]) -> Any:
    """Limit `Annotated[str, ...]` or `Annotated[str | None, ...]` to these values."""
    inner, *remarks = get_args(hint)
    literal = cast(Any, Literal)[values]
    limited = literal | None if type(None) in get_args(inner) else literal
    return cast(Any, Annotated)[(limited, *remarks)]


def tool(
    *,
    title: str,
    effect: Effect,
    open_world: bool = False,
    aliases: Sequence[str] = (),
    refusal: Refusal | None = None,
    naming: Naming | None = None,
) -> Callable[[Callable[..., Any]], Tool]:
    """Return a decorator that makes a function a tool.

    `open_world`: the tool reaches systems outside Almanac. `aliases` are further names, accepted but never listed.
    `refusal` is for contracts whose errors are structured results too. With `naming` "camel", the parameter `due_date`
    is the argument `dueDate`.
    """

    def declare(function: Callable[..., Any]) -> Tool:
        return Tool(function, title, effect, open_world, tuple(aliases), refusal, naming)

    return declare
