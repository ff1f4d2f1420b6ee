"""The declaration of a family: all of its parts, each imported when it is first needed.

A Lambda function that serves tools never imports reactions, one that runs reactions never imports tools, and listing
the kinds of events of all families imports none of them. So the parts are functions that import, made by `Later` and
`modules`.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from almanac.platform.services import Services
from almanac.protocol.family import Family

# Imported for types only, so that a process that serves tools does not load the rest.
if TYPE_CHECKING:
    from almanac.kernel.events import EventKind
    from almanac.kernel.owners import Data
    from almanac.platform.bus.port import Reaction
    from almanac.platform.declaration.jobs import Job
    from almanac.platform.declaration.path_context import AboutPaths
    from almanac.platform.declaration.rule_actions import Perform
    from almanac.platform.redactions.scan import Redactable
    from almanac.search.source import Source


class RuleSources(Struct, frozen=True):
    """Events and actions for rules in an installation.

    `kinds` are the kinds of events that its families emit. `actions` are named after the tool that a rule calls.
    Calling an entry imports its action.
    """

    kinds: "Sequence[EventKind]"
    actions: "Mapping[str, Callable[[], Perform]]"


class PathContexts(Struct, frozen=True):
    """Sources for what an installation's families know about a path.

    `sources` are keyed by the data that they read. Calling an entry imports it. `kinds` are the kinds of documents that
    search finds, each with the data that it belongs to.
    """

    sources: "Mapping[Data, Callable[[], AboutPaths]]"
    kinds: "Mapping[str, Data]" = {}


class Later(Struct, frozen=True):
    """A part of a family: the value of `name` in `module`. Calling it imports the module."""

    module: str
    name: str

    def __call__(self) -> Any:
        return getattr(import_module(self.module), self.name)


def modules(package: str, *names: str) -> Callable[[], Sequence[ModuleType]]:
    """Return a function that imports modules of `package`, such as core.records."""
    return lambda: [import_module(f"{package}.{name}") for name in names]


def _no_reactions(_: RuleSources) -> "Sequence[Reaction]":
    return ()


def _no_items() -> tuple[()]:
    return ()


class FamilyDeclaration(Struct, frozen=True, kw_only=True):
    """All parts of a family.

    `open` makes the served family from the parts of a process: tools with their collaborators, instructions, resources
    and prompts. It opens nothing that only a call needs.

    `reactions` run on events and `jobs` on a schedule. `rule_reactions` run rules, given the events and actions of the
    installation. `records` are the modules that declare the stored tables. `keys_only` names collections of a project
    without records, whose keys hold all of the information. `rule_events` are the kinds of events that rules and
    listeners may receive, and `rule_actions` the tools that rules may call, by name. `searchable` are the family's
    sources for search, and `searched_kinds` names its kinds of documents. `redactable` are the stored texts that may
    contain secrets. `about_paths` finds texts about a claimed path in the family's data. `told_with_claims` names the
    kinds of searchable documents that claims show as well, each with the data that it belongs to.
    """

    name: str
    open: Callable[[Services], Family]
    reactions: "Callable[[], Sequence[Reaction]]" = _no_items
    rule_reactions: "Callable[[RuleSources], Sequence[Reaction]]" = _no_reactions
    jobs: "Callable[[], Sequence[Job]]" = _no_items
    records: Callable[[], Sequence[ModuleType]] = _no_items
    keys_only: tuple[str, ...] = ()
    rule_events: "Callable[[], Sequence[EventKind]]" = _no_items
    rule_actions: "Mapping[str, Callable[[], Perform]]" = {}
    searchable: "Callable[[], Sequence[Source]]" = _no_items
    searched_kinds: tuple[str, ...] = ()
    redactable: "Callable[[], Sequence[Redactable]]" = _no_items
    about_paths: "Mapping[Data, Callable[[], AboutPaths]]" = {}
    told_with_claims: "Mapping[str, Data]" = {}
