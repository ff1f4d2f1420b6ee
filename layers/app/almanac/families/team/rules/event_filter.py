"""Filter for the events that concern the rules of their project. On AWS only these go on the event bus for rules.

One small record per project holds the kinds of events that its rules listen to. The process that forwards events reads
it once per batch. The events of the batch were stored before that, so every rule older than an event is in the record.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from almanac.families.team.rules.records import LISTENED, stored_rules
from almanac.kernel.caller import Scope
from almanac.kernel.events import Event
from almanac.kernel.owners import EVENTS
from almanac.platform.bus.messages import Message
from almanac.platform.store.port import Store

MAX_DEPTH = 1
"""Maximum depth of events that rules see. An event of depth 1 was caused by a rule and triggers no other."""

RULE_MATCHED = "rule_matched"
MATCHING_CONTINUED = "matching_continued"
OWN_KINDS = frozenset([RULE_MATCHED, MATCHING_CONTINUED])
"""Kinds of events that only the rules' reactions exchange."""

MATCH_RULES = "team.match_rules"
FIRE_RULE = "team.fire_rule"
"""Stored names of the reactions."""


def is_for_rules_alone(message: Message) -> bool:
    """Return whether only the rules' reactions process the message."""
    if message.reaction is not None:
        return message.reaction in (MATCH_RULES, FIRE_RULE)
    return message.event.kind in OWN_KINDS


class RuleEventFilter:
    """Filters messages for rules. Create a new filter for each batch of events, because it reads each project only
    once."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open_store = open_store
        self._kinds: dict[Scope, frozenset[str]] = {}

    def concerns(self, message: Message) -> bool:
        """Return whether one of the rules' reactions processes the message."""
        event = message.event
        if is_for_rules_alone(message):
            return True
        if message.reaction is not None or event.kind not in EVENTS or depth_of(event) >= MAX_DEPTH:
            return False
        if event.scope not in self._kinds:
            self._kinds[event.scope] = listened_kinds(self._open_store(), event.scope)
        return event.kind in self._kinds[event.scope]


def listened_kinds(store: Store, scope: Scope) -> frozenset[str]:
    """Return the kinds of events to which the project's rules listen."""
    listened = LISTENED.within(store, scope).get()
    # Early versions stored rules without the record; a project without rules has no record either.
    return frozenset(listened.kinds if listened else (rule.on_kind for rule in stored_rules(store, scope)))


def depth_of(event: Event) -> int:
    """Return the number of rules between an actor's call and this event, 0 if no rule caused it."""
    cause = event.payload.get("caused_by")
    depth: Any = cast("Mapping[str, Any]", cause).get("depth") if isinstance(cause, Mapping) else None
    return depth if isinstance(depth, int) and not isinstance(depth, bool) else 0
