"""Tool families: the tools, resources, prompts and skills that an endpoint offers."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, overload

import msgspec

from almanac.protocol.content import PromptMessage, ResourceContents
from almanac.protocol.elicitation import Question
from almanac.protocol.skills import Skills
from almanac.protocol.tool import Collaborators, Tool


class Icon(msgspec.Struct, frozen=True):
    """Image of a family or tool. `src` is an https or data URL."""

    src: str
    mime_type: str
    sizes: tuple[str, ...] = ("any",)

    def to_wire(self) -> dict[str, Any]:
        """Return MCP's `Icon` object."""
        return {"src": self.src, "mimeType": self.mime_type, "sizes": list(self.sizes)}


class Resource(msgspec.Struct, frozen=True):
    """Page that a client can read. `read` builds its contents on each request."""

    uri: str
    name: str
    title: str
    description: str
    read: Callable[[], ResourceContents]
    mime_type: str = "text/markdown"


class ResourceTemplate(msgspec.Struct, frozen=True):
    """Pages with addresses of one pattern. `read` receives the values of the braces in `uri_template`."""

    uri_template: str
    name: str
    title: str
    description: str
    read: Callable[[Mapping[str, str]], ResourceContents]
    mime_type: str = "text/plain"
    complete: Callable[[str, str], Sequence[str]] | None = None
    """(argument name, text typed so far) -> values, best first."""


class PromptArgument(msgspec.Struct, frozen=True):
    name: str
    description: str
    required: bool = False


class Prompt(msgspec.Struct, frozen=True):
    """Template for opening a conversation.

    `render` receives the arguments by name; the required ones are present.
    """

    name: str
    title: str
    description: str
    render: Callable[[Mapping[str, str]], Sequence[PromptMessage]]
    arguments: tuple[PromptArgument, ...] = ()
    complete: Callable[[str, str], Sequence[str]] | None = None
    """(argument name, text typed so far) -> values, best first."""
    questions: Mapping[str, Question] = msgspec.field(default_factory=dict[str, Question])
    """The client asks the person these before `render`, which receives the answers among its arguments."""


class First(msgspec.Struct, frozen=True):
    """Tool to call first, and the reason. With several families, introductions name the tool of the lowest rank."""

    tool: str
    why: str
    rank: int


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """Group of tools on one subject, with its resources, prompts and skills.

    `instructions` tell a model, in under 2 KB, when to use these tools and in which order. When a server offers several
    families, `summary` introduces this family in one line. `remembers` maps each tool that stores something to the kind
    of content it is for, so that a model can choose between families.

    `collaborators` maps each type of a keyword-only tool parameter to a function that provides it for one call. Clock,
    caller and progress are provided for every family. The skills extension serves `skills`.
    """

    name: str
    title: str
    instructions: str
    summary: str = ""
    first: First | None = None
    remembers: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    icon: Icon
    tools: Sequence[Tool]
    resources: tuple[Resource, ...] = ()
    resource_templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    skills: Skills | None = None
    collaborators: Collaborators = msgspec.field(default_factory=dict[type, Callable[..., object]])


def tools_in(*modules: ModuleType) -> tuple[Tool, ...]:
    """Return the tools that the modules declare, sorted by name."""
    tools = [member for module in modules for member in vars(module).values() if isinstance(member, Tool)]
    return tuple(sorted(tools, key=lambda one: one.name))


class ToolModules(Sequence[Tool]):
    """Tools declared in the modules of a package, sorted by name. The first use of a tool imports its module.

    `adapt` changes each tool before it is served.
    """

    def __init__(self, package: str, *names: str, adapt: Callable[[Tool], Tool] = lambda tool: tool) -> None:
        self._modules = {f"{package}.{name}" for name in names}
        self._adapt = adapt

    def one(self, module: str, name: str) -> Tool:
        """Return the tool `name` of `module` without importing the other modules. KeyError if the family has no such
        tool."""
        tool = getattr(import_module(module), name, None) if module in self._modules else None
        if not isinstance(tool, Tool):
            raise KeyError(name)
        return self._adapt(tool)

    @overload
    def __getitem__(self, index: int) -> Tool: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tool]: ...
    def __getitem__(self, index: int | slice) -> Tool | Sequence[Tool]:
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def _all(self) -> tuple[Tool, ...]:
        return tuple(map(self._adapt, tools_in(*map(import_module, self._modules))))
