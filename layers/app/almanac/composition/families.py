"""The families of this installation. Servers, Lambda functions and generated documents all read this list."""

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

# Imported for types only, because a function that serves tools must not load reactions, jobs and search.
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
"""Folders below `almanac.families`, in the order in which the hub introduces the families."""

EXPENSIVE = frozenset({"context", "memory", "code"})
"""Families whose calls take seconds or a whole core. On AWS the number of a tenant's simultaneous calls is limited."""

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
"""Sets of tools by name.

"core" is for clients that load the definition of every tool. It has the tools that agents need each day, and among
similar tools the most general one.
"""


def declaration(name: str) -> FamilyDeclaration:
    """Return the declaration of a family from its `family.py`, without importing the other families."""
    return import_module(f"almanac.families.{name}.family").family


def open_families(services: Services, names: Iterable[str] = FAMILIES) -> tuple[Family, ...]:
    """Open the named families. `services` opens a part when a tool first needs it."""
    return tuple(declaration(name).open(services) for name in names)


def late_families(services: Services, names: Iterable[str]) -> tuple[Family, ...]:
    """Open the named families, importing each at its first call if the build prepared its list of tools."""
    return tuple(_late(services, name) for name in names)


def _late(services: Services, name: str) -> Family:
    def open_family() -> Family:
        return declaration(name).open(services)

    prepared = read_prepared(name)
    return open_family() if prepared is None else late_family(prepared, open_family)


def needs_of_tools(open_tools: Callable[[], Iterable[Family]]) -> "Callable[[str], ToolNeeds | None]":
    """Return a function that maps the name of a tool to the permissions it needs. It opens the families when called."""
    from almanac.identity.access.authorize import ToolNeeds  # noqa: PLC0415 - the authorizer has imported it

    @cache
    def needs_by_name() -> dict[str, ToolNeeds]:
        return {
            name: ToolNeeds(family.name, writes=not tool.effect.value[0])
            for family in open_tools()
            for tool in family.tools
            for name in (tool.name, *tool.aliases)
        }

    return lambda name: needs_by_name().get(name)


def every_family(services: Services) -> tuple[Family, ...]:
    return late_families(services, FAMILIES)


def families_for_docs() -> tuple[Family, ...]:
    """Return all families for lists and documentation. Their tools cannot be called."""
    return open_families(Services({RuleSources: rule_sources}))


def every_reaction() -> "tuple[Reaction, ...]":
    """Return the reactions to events, of every family and of search."""
    from almanac.search.engine.index_reaction import FOLLOW  # noqa: PLC0415 - only reactions need it

    own = (reaction for name in FAMILIES for reaction in declaration(name).reactions())
    return (FOLLOW, *own, *rules_reactions())


def rules_reactions() -> "tuple[Reaction, ...]":
    """Return the reactions that run rules, without loading the reactions of other families."""
    return tuple(declaration("team").rule_reactions(rule_sources()))


def every_job() -> "tuple[Job, ...]":
    """Return the jobs that the clock starts, of every family and of search."""
    from almanac.search.engine.consistency_check import SAMPLE  # noqa: PLC0415 - only what has jobs needs it
    from almanac.search.engine.enrichment import ENRICH  # noqa: PLC0415 - only what has jobs needs it

    return (*(job for name in FAMILIES for job in declaration(name).jobs()), ENRICH, SAMPLE)


def every_source() -> "Mapping[str, Source]":
    """Return the search sources of every family by kind. Each is imported at its first use."""
    from almanac.search.source import LateSources  # noqa: PLC0415 - only search and indexing need it

    families = [declaration(name) for name in FAMILIES]
    return LateSources({kind: family.searchable for family in families for kind in family.searched_kinds})


def every_redactable() -> "tuple[Redactable, ...]":
    """Return the stored texts of every family that may contain secrets."""
    return tuple(each for name in FAMILIES for each in declaration(name).redactable())


def path_contexts() -> PathContexts:
    """Return the readers that find texts about a path in each family."""
    families = [declaration(name) for name in FAMILIES]
    kinds: dict[str, Data] = {}
    for family in families:
        kinds |= family.told_with_claims
    return PathContexts({data: load for family in families for data, load in family.about_paths.items()}, kinds)


def rule_sources() -> RuleSources:
    """Return the events that rules can listen to and the actions that they can run, from every family."""
    families = [declaration(name) for name in FAMILIES]
    kinds = tuple(kind for family in families for kind in family.rule_events())
    return RuleSources(kinds, {name: load for family in families for name, load in family.rule_actions.items()})
