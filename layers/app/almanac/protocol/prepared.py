"""Families whose lists come from the build, so that the server imports a family at the first call or read.

The build stores what `prepare` returns as bytes. The server turns them into a family with `late_family`; it can be
listed, filtered and introduced like the original.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property

from msgspec import Struct, json

from almanac.protocol.content import ResourceContents
from almanac.protocol.elicitation import Question
from almanac.protocol.family import (
    Family,
    First,
    Icon,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ToolModules,
)
from almanac.protocol.skills import SkillChild, SkillEntry, SkillPage, Skills
from almanac.protocol.tool import Call, Effect, Provider, Signature, Tool, ToolListing


class PreparedTool(Struct, frozen=True, array_like=True):
    """List entry of a tool, with the `module` and `name` of its declaration."""

    module: str
    name: str
    title: str
    effect: str
    open_world: bool
    aliases: tuple[str, ...]
    listing: ToolListing


class PreparedPage(Struct, frozen=True, array_like=True):
    """List entry of a resource or resource template. `completes`: the template offers values for its braces."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    completes: bool = False


class PreparedPrompt(Struct, frozen=True, array_like=True):
    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    questions: dict[str, Question]
    completes: bool


class PreparedFamily(Struct, frozen=True, array_like=True):
    """Everything that lists show of a family, without what only a call needs."""

    name: str
    title: str
    instructions: str
    summary: str
    first: First | None
    remembers: dict[str, str]
    icon: Icon
    tools: tuple[PreparedTool, ...]
    resources: tuple[PreparedPage, ...]
    resource_templates: tuple[PreparedPage, ...]
    prompts: tuple[PreparedPrompt, ...]
    has_skills: bool


def prepare(family: Family) -> PreparedFamily:
    """Return everything that lists show of the family, as the build stores it."""
    return PreparedFamily(
        name=family.name,
        title=family.title,
        instructions=family.instructions,
        summary=family.summary,
        first=family.first,
        remembers=dict(family.remembers),
        icon=family.icon,
        tools=tuple(_prepare_tool(each) for each in family.tools),
        resources=tuple(
            PreparedPage(each.uri, each.name, each.title, each.description, each.mime_type) for each in family.resources
        ),
        resource_templates=tuple(
            PreparedPage(
                each.uri_template,
                each.name,
                each.title,
                each.description,
                each.mime_type,
                completes=each.complete is not None,
            )
            for each in family.resource_templates
        ),
        prompts=tuple(
            PreparedPrompt(
                each.name,
                each.title,
                each.description,
                each.arguments,
                dict(each.questions),
                completes=each.complete is not None,
            )
            for each in family.prompts
        ),
        has_skills=family.skills is not None,
    )


def _prepare_tool(tool: Tool) -> PreparedTool:
    module, effect = tool.function.__module__, tool.effect.name
    return PreparedTool(module, tool.name, tool.title, effect, tool.open_world, tool.aliases, tool.listing)


class LateTool(Tool):
    """Tool listed from its prepared form. Its module is imported at the first call, or when `callable_tool` is read."""

    prepared: PreparedTool
    open_tool: Callable[[], Tool]

    def __init__(self, prepared: PreparedTool, open_tool: Callable[[], Tool]) -> None:
        def function(**arguments: object) -> object:
            return open_tool().function(**arguments)

        object.__setattr__(self, "prepared", prepared)
        object.__setattr__(self, "open_tool", open_tool)
        super().__init__(function, prepared.title, Effect[prepared.effect], prepared.open_world, prepared.aliases)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.prepared.name)
        object.__setattr__(self, "description", json.decode(self.prepared.listing.description, type=str))

    @cached_property
    def callable_tool(self) -> Tool:
        return self.open_tool()

    @cached_property
    def signature(self) -> Signature:
        return self.callable_tool.signature

    @cached_property
    def listing(self) -> ToolListing:
        return self.prepared.listing


def late_family(prepared: PreparedFamily, open_family: Callable[[], Family]) -> Family:
    """Build a family from its prepared lists. The first call or read runs `open_family` and fills in
    `collaborators`."""
    collaborators: dict[type, Provider] = {}

    @cache
    def open_once() -> Family:
        family = open_family()
        collaborators.update(family.collaborators)
        return family

    return Family(
        name=prepared.name,
        title=prepared.title,
        instructions=prepared.instructions,
        summary=prepared.summary,
        first=prepared.first,
        remembers=prepared.remembers,
        icon=prepared.icon,
        tools=tuple(_tool(each, open_once) for each in prepared.tools),
        resources=tuple(_resource(each, open_once) for each in prepared.resources),
        resource_templates=tuple(_template(each, open_once) for each in prepared.resource_templates),
        prompts=tuple(_prompt(each, open_once) for each in prepared.prompts),
        skills=_LateSkills(open_once) if prepared.has_skills else None,
        collaborators=collaborators,
    )


def _tool(tool: PreparedTool, open_once: Callable[[], Family]) -> LateTool:
    def real() -> Tool:
        tools = open_once().tools
        if isinstance(tools, ToolModules):
            return tools.one(tool.module, tool.name)
        return next(each for each in tools if each.name == tool.name)

    return LateTool(tool, real)


def _resource(page: PreparedPage, open_once: Callable[[], Family]) -> Resource:
    def real() -> Resource:
        return next(each for each in open_once().resources if each.uri == page.uri)

    return Resource(page.uri, page.name, page.title, page.description, lambda: real().read(), page.mime_type)


def _template(page: PreparedPage, open_once: Callable[[], Family]) -> ResourceTemplate:
    def real() -> ResourceTemplate:
        return next(each for each in open_once().resource_templates if each.uri_template == page.uri)

    return ResourceTemplate(
        page.uri,
        page.name,
        page.title,
        page.description,
        lambda values: real().read(values),
        page.mime_type,
        _completer(real) if page.completes else None,
    )


def _prompt(prompt: PreparedPrompt, open_once: Callable[[], Family]) -> Prompt:
    def real() -> Prompt:
        return next(each for each in open_once().prompts if each.name == prompt.name)

    return Prompt(
        prompt.name,
        prompt.title,
        prompt.description,
        lambda arguments: real().render(arguments),
        prompt.arguments,
        _completer(real) if prompt.completes else None,
        prompt.questions,
    )


def _completer(real: Callable[[], ResourceTemplate | Prompt]) -> Callable[[str, str], Sequence[str]]:
    """Return a completion function that asks the template or prompt behind `real`."""

    def complete(argument: str, typed: str) -> Sequence[str]:
        completer = real().complete
        return completer(argument, typed) if completer else ()

    return complete


class _LateSkills:
    """Skills of a family that is opened at the first request for one."""

    def __init__(self, open_once: Callable[[], Family]) -> None:
        self._open_once = open_once

    def page(self, call: Call, cursor: str | None) -> SkillPage:
        return self._skills().page(call, cursor)

    def entry(self, call: Call, uri: str) -> SkillEntry:
        return self._skills().entry(call, uri)

    def children(self, call: Call, uri: str) -> Sequence[SkillChild]:
        return self._skills().children(call, uri)

    def read(self, call: Call, uri: str) -> ResourceContents:
        return self._skills().read(call, uri)

    def _skills(self) -> Skills:
        skills = self._open_once().skills
        if skills is None:
            raise LookupError("The build prepared skills of a family that has none.")
        return skills
