"""The kinds of events and the actions that rules can use in this installation."""

from collections.abc import Mapping

from msgspec import Struct

from almanac.families.team.core.event_kinds import KINDS
from almanac.kernel.errors import InvalidInput
from almanac.kernel.event_kinds import EventKind
from almanac.platform.declaration.family import RuleSources

MEMORY_KINDS = ("turn_recorded", "memory_pinned", "memory_forgotten", "consolidation_completed")
"""Part of the contract of rules. They have no source where no family emits them."""


class Installation(Struct, frozen=True):
    """`kinds` of events are emitted here, and these `tools` are done when a rule asks for them."""

    kinds: Mapping[str, EventKind]
    tools: frozenset[str]

    def missing(self, on_kind: str, tools: list[str]) -> str | None:
        """Why a rule cannot run here; None where it can."""
        if on_kind not in self.kinds:
            return f'Nothing in this installation emits "{on_kind[:64]}".'
        unknown = [tool for tool in tools if tool not in self.tools]
        return f"This installation has no {unknown[0][:64]}." if unknown else None

    def check(self, on_kind: str, tools: list[str]) -> None:
        """Raises InvalidInput for a rule that could never do anything here."""
        if (missing := self.missing(on_kind, tools)) is None:
            return
        if on_kind not in self.kinds:
            raise InvalidInput(missing, f"Use one of {', '.join(sorted(self.kinds))}.", path="on_kind")
        place = next(place for place, tool in enumerate(tools) if tool not in self.tools)
        raise InvalidInput(missing, f"Use {', '.join(sorted(self.tools))}.", path=f"actions[{place}].tool")


NOTHING = Installation({}, frozenset())
"""For work without rules."""


def installation(sources: RuleSources) -> Installation:
    """The team's own kinds first, then those of the other families."""
    others = [each for each in sources.kinds if each not in KINDS]
    return Installation({each.name: each for each in (*KINDS, *others)}, frozenset(sources.actions))


def kind_names(here: Installation) -> tuple[str, ...]:
    """Kinds that a rule may name: those emitted here, and those of the contract."""
    return tuple(dict.fromkeys([*here.kinds, *MEMORY_KINDS]))
