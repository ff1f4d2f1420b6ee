"""The declaration of a family: all that it brings to an installation, each part imported when it is first needed.

A function that serves tools never imports what reacts to events, one that reacts never imports tools, and whoever lists
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

# Whoever only serves tools does not pay for the rest.
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
    """Parts of rules in an installation: the `kinds` of events that its families emit, and `actions` by the name of the
    tool that a rule calls. Calling an entry imports its action."""

    kinds: "Sequence[EventKind]"
    actions: "Mapping[str, Callable[[], Perform]]"


class PathContexts(Struct, frozen=True):
    """Knowledge of an installation's families about paths: `sources` by the data that they read, each imported by
    calling it; `kinds` of documents that search finds, with the data that they belong to."""

    sources: "Mapping[Data, Callable[[], AboutPaths]]"
    kinds: "Mapping[str, Data]" = {}


class Later(Struct, frozen=True):
    """A part of a family: the value of `name` in `module`, which is imported by calling this."""

    module: str
    name: str

    def __call__(self) -> Any:
        return getattr(import_module(self.module), self.name)


def modules(package: str, *names: str) -> Callable[[], Sequence[ModuleType]]:
    """Return a function that imports modules of `package`, such as core.records."""
    return lambda: [import_module(f"{package}.{name}") for name in names]


def _no_reactions(_: RuleSources) -> "Sequence[Reaction]":
    return ()


def _nothing() -> tuple[()]:
    return ()


class FamilyDeclaration(Struct, frozen=True, kw_only=True):
    """`open` makes what is served over the parts of a process: tools with their collaborators, instructions, resources
    and prompts. It opens nothing that only a call needs.

    `reactions` and `jobs` are what events and time drive, `rule_reactions` what fires rules, given what rules are
    made of in the installation. `records` are the modules whose tables say what is stored; `keys_only` names what is
    stored in the project without a record, as keys that say it all. `rule_events` are the kinds of events that rules
    and listeners may be told of, `rule_actions` the tools that rules may call, by name. `searchable` says what search
    finds of the family, and `searched_kinds` names its kinds of documents; `redactable` says which of its stored texts
    can hold secrets; `about_paths` finds, in data of the family, what names a path that somebody claims, and
    `told_with_claims` names the kinds of searchable documents that are told with it, each with the data that it is.
    """

    name: str
    open: Callable[[Services], Family]
    reactions: "Callable[[], Sequence[Reaction]]" = _nothing
    rule_reactions: "Callable[[RuleSources], Sequence[Reaction]]" = _no_reactions
    jobs: "Callable[[], Sequence[Job]]" = _nothing
    records: Callable[[], Sequence[ModuleType]] = _nothing
    keys_only: tuple[str, ...] = ()
    rule_events: "Callable[[], Sequence[EventKind]]" = _nothing
    rule_actions: "Mapping[str, Callable[[], Perform]]" = {}
    searchable: "Callable[[], Sequence[Source]]" = _nothing
    searched_kinds: tuple[str, ...] = ()
    redactable: "Callable[[], Sequence[Redactable]]" = _nothing
    about_paths: "Mapping[Data, Callable[[], AboutPaths]]" = {}
    told_with_claims: "Mapping[str, Data]" = {}
