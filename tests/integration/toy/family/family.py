"""The toy family: bells that are rung, with one of everything that a family can bring."""
# ruff: noqa: PLC0415 - each part is imported when it is first needed

from almanac.platform.declaration.family import FamilyDeclaration, Later, modules
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.protocol.family import Family, Icon, tools_in
from almanac.protocol.tool import Call


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


family = FamilyDeclaration(
    name="toy",
    open=_open,
    reactions=Later("almanac.families.toy.reactions", "REACTIONS"),
    jobs=Later("almanac.families.toy.jobs", "JOBS"),
    records=modules("almanac.families.toy", "records"),
    rule_events=Later("almanac.families.toy.event_kinds", "KINDS"),
)
