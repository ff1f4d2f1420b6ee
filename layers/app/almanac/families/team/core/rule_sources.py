"""What rules can be made of in this installation: the kinds of events that something emits, and the actions that
something does."""

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from almanac.families.calendar.event_kinds import KINDS as CALENDAR_KINDS
from almanac.families.calendar.event_kinds import CalendarEventKind
from almanac.families.planner.event_kinds import KINDS as PLANNER_KINDS
from almanac.families.planner.event_kinds import PlannerEventKind
from almanac.families.team.core.event_kinds import KINDS as TEAM_KINDS
from almanac.families.team.core.event_kinds import TeamEventKind
from almanac.kernel.errors import InvalidInput
from almanac.kernel.event_kinds import EventKind

MemoryEventKind = Literal["turn_recorded", "memory_pinned", "memory_forgotten", "consolidation_completed"]
"""Part of the contract of rules. They have no source where no family emits them."""

RuleEventKind = TeamEventKind | CalendarEventKind | PlannerEventKind | MemoryEventKind
NAMES: tuple[str, ...] = tuple(name for part in get_args(RuleEventKind) for name in get_args(part))

CATALOGUE: Mapping[str, EventKind] = {each.name: each for each in (*TEAM_KINDS, *CALENDAR_KINDS, *PLANNER_KINDS)}


class Installation(Struct, frozen=True):
    """`kinds` of events are emitted here, and these `tools` are done when a rule asks for them."""

    kinds: frozenset[str]
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


HERE = Installation(frozenset(CATALOGUE), frozenset({"set_broadcast"}))
