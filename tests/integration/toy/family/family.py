"""The toy family: bells that are rung, with one of everything that a family can bring."""
# ruff: noqa: PLC0415 - each part is imported when it is first needed

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from almanac.platform.declaration.family import FamilyDeclaration, RuleSources
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.protocol.family import Family, Icon, tools_in
from almanac.protocol.tool import Call

if TYPE_CHECKING:
    from almanac.kernel.event_kinds import EventKind
    from almanac.platform.bus.port import Reaction
    from almanac.platform.declaration.jobs import Job


def _open(services: Services) -> Family:
    from .rings import Notifiers
    from .tools import rings

    def bells_of(call: Call) -> Notifiers:
        return Notifiers(services.get(Store), call.caller.scope, call.caller.actor, call.clock)

    return Family(
        name="toy",
        title="Toy",
        instructions="Ring a bell with ring_bell; list_rings shows what came of it.",
        icon=Icon("data:image/svg+xml;base64,PHN2Zy8+", "image/svg+xml"),
        tools=tools_in(rings),
        collaborators={Notifiers: bells_of},
    )


def _reactions(_: RuleSources) -> "Sequence[Reaction]":
    from .reactions import REACTIONS

    return REACTIONS


def _jobs() -> "Sequence[Job]":
    from .jobs import JOBS

    return JOBS


def _records() -> Sequence[ModuleType]:
    from . import records

    return (records,)


def _rule_events() -> "Sequence[EventKind]":
    from .event_kinds import KINDS

    return KINDS


family = FamilyDeclaration(
    name="toy", open=_open, reactions=_reactions, jobs=_jobs, records=_records, rule_events=_rule_events
)
