"""Event kinds and actions that rules can use in this installation."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from almanac.families.team.core.event_kinds import KINDS
from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.kernel.events import EventKind
from almanac.kernel.owners import ACTIONS, EVENTS, OWNERS, Families, visible_event_kinds
from almanac.platform.declaration.family import RuleSources

MEMORY_KINDS = ("turn_recorded", "memory_pinned", "memory_forgotten", "consolidation_completed")
"""Kinds that rules may always name, by contract. Without the memory family no event of them occurs."""


class Installation(Struct, frozen=True):
    """Event `kinds` that this installation emits, and `tools` that its rules can run. `families` are the families of
    the caller's key, None for all. A rule can read and do no more than the key itself."""

    kinds: Mapping[str, EventKind]
    tools: frozenset[str]
    families: Families = None

    @property
    def readable_kinds(self) -> tuple[EventKind, ...]:
        """Event kinds that the key may read."""
        heard = visible_event_kinds(self.families)
        return tuple(kind for name, kind in self.kinds.items() if self.families is None or name in heard)

    @property
    def allowed_actions(self) -> tuple[str, ...]:
        """Actions that the key may trigger, by name."""
        return tuple(tool for tool in sorted(self.tools) if not self._missing_families(_writers(tool)))

    def reason_not_runnable(self, on_kind: str, tools: list[str]) -> str | None:
        """Return the reason why a rule cannot run here, or None if it can."""
        if on_kind not in self.kinds:
            return f'Nothing in this installation emits "{on_kind[:64]}".'
        unknown = [tool for tool in tools if tool not in self.tools]
        return f"This installation has no {unknown[0][:64]}." if unknown else None

    def check(self, on_kind: str, tools: list[str]) -> None:
        """Raise InvalidInput for a rule that could never do anything here, Forbidden for one beyond the rights of the
        key."""
        if (missing := self.reason_not_runnable(on_kind, tools)) is None:
            self.check_key(on_kind, tools)
            return
        if on_kind not in self.kinds:
            raise InvalidInput(missing, f"Use one of {', '.join(sorted(self.kinds))}.", path="on_kind")
        place = next(place for place, tool in enumerate(tools) if tool not in self.tools)
        raise InvalidInput(missing, f"Use {', '.join(sorted(self.tools))}.", path=f"actions[{place}].tool")

    def check_key(self, on_kind: str, tools: Sequence[str]) -> None:
        """Raise Forbidden for an event kind that the key may not read, or an action that it may not trigger."""
        if families := self._missing_families(EVENTS.get(on_kind, ())):
            raise Forbidden(
                f"This API key may not read events of the kind {on_kind[:64]}: that needs the family {families}.",
                "Use a kind from list_event_kinds, or another key.",
            )
        for tool in tools:
            if families := self._missing_families(_writers(tool)):
                raise Forbidden(
                    f"A rule of this API key may not call {tool[:64]}: that needs the family {families}.",
                    "list_event_kinds lists the actions that your key may use.",
                )

    def _missing_families(self, owners: Sequence[str]) -> str:
        """Return the families of which the key would need one, or an empty text if it has one."""
        return "" if self.families is None or not {*owners}.isdisjoint(self.families) else " or ".join(owners)


def _writers(tool: str) -> Sequence[str]:
    return OWNERS[ACTIONS[tool]] if tool in ACTIONS else ()


NOTHING = Installation({}, frozenset())
"""An installation without rules."""


def installation(sources: RuleSources) -> Installation:
    """Return the installation, with the team's own kinds before those of the other families."""
    others = [each for each in sources.kinds if each not in KINDS]
    return Installation({each.name: each for each in (*KINDS, *others)}, frozenset(sources.actions))


def kind_names(here: Installation) -> tuple[str, ...]:
    """Return the kinds that a rule may name: kinds emitted here, and kinds of the contract."""
    return tuple(dict.fromkeys([*here.kinds, *MEMORY_KINDS]))
