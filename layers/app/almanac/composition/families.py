"""The families of this installation: the one list that servers, functions and documents read."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from almanac.composition.prepared import read_prepared
from almanac.platform.declaration.family import FamilyDeclaration, PathContexts, RuleSources
from almanac.platform.services import Services
from almanac.protocol.family import Family
from almanac.protocol.prepared import late_family
from almanac.protocol.toolset import ToolSets

# A function that serves tools imports nothing of what reacts.
if TYPE_CHECKING:
    from almanac.identity.access.authorize import ToolNeeds
    from almanac.kernel.owners import Data
    from almanac.platform.bus.port import Reaction
    from almanac.platform.declaration.jobs import Job
    from almanac.platform.redactions.scan import Redactable
    from almanac.search.source import Source

FAMILIES = (
    "time",
    "calendar",
    "planner",
    "context",
    "memory",
    "knowledge",
    "code",
    "skills",
    "team",
)
"""The folders below `almanac.families`, in the order in which the hub introduces them."""

EXPENSIVE = frozenset({"context", "memory", "code"})
"""Families whose calls take seconds or a whole core. On AWS a tenant may run only so many of their calls at once."""

TOOL_SETS: ToolSets = {
    "core": frozenset(
        {
            # Where am I, and what is on?
            "context_orient",
            "get_temporal_context",
            "resolve_datetime",
            "daily_overview",
            "calendar_list_events",
            "find_free_slots",
            "book_slot",
            # What is to be done, and by whom?
            "kanban_take",
            "kanban_create_card",
            "kanban_move_card",
            "claim",
            "release",
            "send_message",
            "read_inbox",
            "acknowledge_message",
            # What is known?
            "search_memory",
            "search_code",
            "get_code_context",
            "notes_get",
            "list_skills",
            "get_skill",
            # What should be known from now on?
            "context_store",
            "record_fact",
            "notes_create",
        }
    )
}
"""Sets of tools by name. "core" is for clients that load the definition of every tool: what agents need each day, and
of tools that look alike the one that reaches furthest."""


def declaration(name: str) -> FamilyDeclaration:
    """Return the declaration of a family from its `family.py`, without importing the other families."""
    return import_module(f"almanac.families.{name}.family").family


def open_families(services: Services, names: Iterable[str] = FAMILIES) -> tuple[Family, ...]:
    """The named families over what `services` opens when a tool first needs it."""
    return tuple(declaration(name).open(services) for name in names)


def late_families(services: Services, names: Iterable[str]) -> tuple[Family, ...]:
    """The same, each imported at the first call of it where the build prepared what is listed of it."""
    return tuple(_late(services, name) for name in names)


def _late(services: Services, name: str) -> Family:
    def open_family() -> Family:
        return declaration(name).open(services)

    prepared = read_prepared(name)
    return open_family() if prepared is None else late_family(prepared, open_family)


def needs_of_tools(open_tools: Callable[[], Iterable[Family]]) -> "Callable[[str], ToolNeeds | None]":
    """Make the function that tells what a grant must allow for a tool, by its name.

    The families are opened when one is asked for."""
    from almanac.identity.access.authorize import ToolNeeds  # noqa: PLC0415 - who judges tokens has imported it

    @cache
    def known() -> dict[str, ToolNeeds]:
        return {
            name: ToolNeeds(family.name, writes=not tool.effect.value[0])
            for family in open_tools()
            for tool in family.tools
            for name in (tool.name, *tool.aliases)
        }

    return lambda name: known().get(name)


def every_family(services: Services) -> tuple[Family, ...]:
    return late_families(services, FAMILIES)


def described_families() -> tuple[Family, ...]:
    """Return all families for lists and documentation. Their tools cannot be called."""
    return open_families(Services({RuleSources: rule_sources}))


def every_reaction() -> "tuple[Reaction, ...]":
    """Return the reactions to events, of every family and of search."""
    from almanac.search.engine.index_reaction import FOLLOW  # noqa: PLC0415 - only what reacts needs it

    own = (reaction for name in FAMILIES for reaction in declaration(name).reactions())
    return (FOLLOW, *own, *rules_reactions())


def rules_reactions() -> "tuple[Reaction, ...]":
    """The reactions that rules are made of, without loading those of the other families."""
    return tuple(declaration("team").rule_reactions(rule_sources()))


def every_job() -> "tuple[Job, ...]":
    """Return the jobs that the clock starts, of every family and of search."""
    from almanac.search.engine.consistency_check import SAMPLE  # noqa: PLC0415 - the same
    from almanac.search.engine.enrichment import ENRICH  # noqa: PLC0415 - only what has jobs needs them

    return (*(job for name in FAMILIES for job in declaration(name).jobs()), ENRICH, SAMPLE)


def every_source() -> "Mapping[str, Source]":
    """Return the search sources of every family by kind, each imported when it is asked for."""
    from almanac.search.source import LateSources  # noqa: PLC0415 - only what searches or indexes needs it

    families = [declaration(name) for name in FAMILIES]
    return LateSources({kind: family.searchable for family in families for kind in family.searched_kinds})


def every_redactable() -> "tuple[Redactable, ...]":
    """The stored texts of every family that can hold secrets."""
    return tuple(each for name in FAMILIES for each in declaration(name).redactable())


def path_contexts() -> PathContexts:
    """Return what reads from each family the texts that name a path."""
    families = [declaration(name) for name in FAMILIES]
    kinds: dict[str, Data] = {}
    for family in families:
        kinds |= family.told_with_claims
    return PathContexts({data: load for family in families for data, load in family.about_paths.items()}, kinds)


def rule_sources() -> RuleSources:
    """Return the parts of rules: every kind of event that a family emits, and every action that one offers."""
    families = [declaration(name) for name in FAMILIES]
    kinds = tuple(kind for family in families for kind in family.rule_events())
    return RuleSources(kinds, {name: load for family in families for name, load in family.rule_actions.items()})
