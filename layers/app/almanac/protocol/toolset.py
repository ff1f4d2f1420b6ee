"""Selection of the tools that a request sees: the tools of the endpoint, narrowed by the key's scope and the request's
filters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from types import MappingProxyType

import msgspec

from almanac.kernel.caller import Caller
from almanac.protocol.family import Family, Prompt, Resource, ResourceTemplate
from almanac.protocol.skills import Skills
from almanac.protocol.tool import Effect, Tool
from almanac.protocol.views import ChatView

_MAX_VIEWS = 64


ToolSets = Mapping[str, frozenset[str]]
"""Tool names by the name of their set, which a request may ask for."""
NO_SETS: ToolSets = MappingProxyType({})


class Selection(msgspec.Struct, frozen=True):
    """Filters of a request; None means no filter. `tools` are shell-style patterns, `within` the tool names of
    a set."""

    families: frozenset[str] | None = None
    tools: tuple[str, ...] | None = None
    readonly: bool = False
    dotted: bool = False
    """List tools under their dotted name if they have one."""
    within: frozenset[str] | None = None
    outputs: bool = False
    """List tools with their output schemas."""


EVERYTHING = Selection()


@dataclass(frozen=True)
class View:
    """Tools and pages that one request may see, sorted by name."""

    families: tuple[Family, ...]
    tools: tuple[Tool, ...]
    dotted: bool = False
    outputs: bool = False
    exclusion_reasons: Mapping[str, str] = field(default_factory=dict[str, str])
    """Reason for each tool of this endpoint that is not in the view, by tool name and alias."""
    chat_views: tuple[ChatView, ...] = ()
    """Pages that draw results of these tools inside a chat, sorted by address."""

    def listed_name(self, tool: Tool) -> str:
        """Return the tool's name in this view's list."""
        return next((alias for alias in tool.aliases if "." in alias), tool.name) if self.dotted else tool.name

    @cached_property
    def list_texts(self) -> dict[tuple[str, str, bool], str]:
        """Lists as JSON text by (method, revision, with chat views), filled on first use."""
        return {}

    @cached_property
    def by_name(self) -> dict[str, Tool]:
        """Tools by name and by alias."""
        named = {alias: tool for tool in self.tools for alias in tool.aliases}
        return named | {tool.name: tool for tool in self.tools}

    @cached_property
    def resources(self) -> tuple[Resource, ...]:
        return tuple(sorted((r for f in self.families for r in f.resources), key=lambda r: r.uri))

    @cached_property
    def resource_templates(self) -> tuple[ResourceTemplate, ...]:
        return tuple(sorted((t for f in self.families for t in f.resource_templates), key=lambda t: t.uri_template))

    @cached_property
    def chat_view_by_tool(self) -> dict[str, ChatView]:
        """Chat views by the names of the tools whose results they draw."""
        return {name: chat_view for chat_view in self.chat_views for name in chat_view.tools}

    @cached_property
    def skills(self) -> Skills | None:
        """Skills of the single family that has any."""
        return next((family.skills for family in self.families if family.skills is not None), None)

    @cached_property
    def prompts(self) -> tuple[Prompt, ...]:
        return tuple(sorted((p for f in self.families for p in f.prompts), key=lambda p: p.name))


class Toolset:
    """Families behind one endpoint. It caches views, so that each view computes its lists once.

    `chat_views` draw the results of tools; a view without any of their tools leaves them out.
    """

    def __init__(self, families: Sequence[Family], chat_views: Sequence[ChatView] = ()) -> None:
        self.families = tuple(families)
        self._chat_views = tuple(sorted(chat_views, key=lambda one: one.uri))
        _check_unique(name for family in families for tool in family.tools for name in (tool.name, *tool.aliases))
        if sum(family.skills is not None for family in families) > 1:
            raise ValueError("two families serve skills, whose addresses could be the same")
        self._views: dict[tuple[frozenset[str] | None, Selection, bool], View] = {}

    def view(self, caller: Caller, selection: Selection = EVERYTHING) -> View:
        """Return the part of `selection` that `caller` may see."""
        view_key = (caller.families, selection, caller.readonly)
        view = self._views.get(view_key)
        if view is None:
            if len(self._views) >= _MAX_VIEWS:
                self._views.clear()
            view = self._views[view_key] = self._narrow(caller, selection)
        return view

    def _narrow(self, caller: Caller, selection: Selection) -> View:
        families = tuple(
            family
            for family in self.families
            if caller.may_use(family.name) and (selection.families is None or family.name in selection.families)
        )
        readonly = caller.readonly or selection.readonly
        tools = [
            tool
            for family in families
            for tool in family.tools
            if (not readonly or tool.effect is Effect.READS)
            and (selection.within is None or tool.name in selection.within)
            and (selection.tools is None or _matches(tool, selection.tools))
        ]
        shown = set(map(id, tools))
        left_out = {
            name: why
            for family in self.families
            for tool in family.tools
            if id(tool) not in shown
            for why in [_exclusion_reason(family, tool, caller)]
            for name in (tool.name, *tool.aliases)
        }
        names = {tool.name for tool in tools}
        return View(
            families,
            tuple(sorted(tools, key=lambda tool: tool.name)),
            selection.dotted,
            selection.outputs,
            left_out,
            tuple(chat_view for chat_view in self._chat_views if not names.isdisjoint(chat_view.tools)),
        )


def _exclusion_reason(family: Family, tool: Tool, caller: Caller) -> str:
    """Return why a caller does not see a tool. The key's scope comes before the request's own filters."""
    if not caller.may_use(family.name):
        allowed = ", ".join(sorted(caller.families or ()))
        return f"this API key may use only the families {allowed}, and the tool is of {family.name}"
    if caller.readonly and tool.effect is not Effect.READS:
        return "this API key is read-only, and the tool changes something"
    return "this request is narrowed (families, set, tools or readonly, in its address or headers) to other tools"


def _matches(tool: Tool, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in (tool.name, *tool.aliases) for pattern in patterns)


def _check_unique(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"two tools are called {name}")
        seen.add(name)
