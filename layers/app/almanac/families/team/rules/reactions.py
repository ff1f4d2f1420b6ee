"""How rules run: one reaction finds the rules that an event is for, another fires them, each firing by itself.

An event that rules match is kept, and each of those rules is told of it by an event of its own, `rule_matched`, whose
key is made of the rule and of the key of what happened. So a rule sees the events of a key in order, a firing that
fails waits and is parked without holding up other rules, and a retry repeats that firing only.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import msgspec

from almanac.families.team.rules.actions import Cause, Firing, Performers, depth_of, filled_actions
from almanac.families.team.rules.paths import document
from almanac.families.team.rules.records import (
    ACTIVITY,
    KEPT_MS,
    MATCHED,
    RULES,
    MatchedEvent,
    RuleRecord,
    standing_rules,
)
from almanac.families.team.rules.rule import KINDS, wants
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.kernel.events import Event, new_event
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Hopeless, Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Change, ConditionFailed, Put, Store, Update

MAX_DEPTH = 1
"""How deep events may be that rules still see: those of depth 1 were caused by a rule and set off no other."""

RULE_MATCHED = "rule_matched"
_ERROR_LENGTH = 300


def rule_reactions(performers: Performers) -> tuple[Reaction, ...]:
    """The reactions of rules; `performers` does the actions."""
    return (
        Reaction("team.match_rules", frozenset(KINDS), match_rules),
        Reaction("team.fire_rule", frozenset([RULE_MATCHED]), partial(fire_rule, performers)),
    )


def match_rules(event: Event, services: Services) -> Sequence[Change]:
    """The changes that tell every rule that this event is for."""
    if depth_of(event) >= MAX_DEPTH:
        return ()
    store, found = services.get(Store), document(event)
    matching = [rule for rule in standing_rules(store, event.scope) if wants(rule, event.kind, found)]
    if not matching:
        return ()
    kept = MatchedEvent(
        event_id=event.id,
        kind=event.kind,
        key=event.key,
        at=event.at,
        actor=event.actor,
        payload=msgspec.json.encode(event.payload).decode(),
        expires_at=now_ms(services.get(Clock)) + KEPT_MS,
    )
    told = outbox([_matched(rule, event) for rule in matching])
    return [MATCHED.within(store, event.scope).put(kept), *told]


def fire_rule(performers: Performers, matched: Event, services: Services) -> Sequence[Change]:
    """The changes that a rule makes because of one event; none where it no longer stands or no longer wants it.

    Raises Hopeless for an action that nothing here does, and whatever the actions raise; the rule's activity then
    says so.
    """
    store, scope, name = services.get(Store), matched.scope, str(matched.payload["rule"])
    rule = RULES.within(store, scope).get(name)
    if rule is None or not rule.enabled:
        return ()
    now = now_ms(services.get(Clock))
    try:
        changes = _fired(performers, rule, matched, store, now)
    except ConditionFailed:
        raise
    except Exception as error:
        said = str(error) if isinstance(error, AlmanacError) else "An internal error; the log tells more."
        failed = {"last_error": said[:_ERROR_LENGTH], "last_error_at": now}
        _note(store, Update(ACTIVITY.within(store, scope).key(name), set=failed, add={"failures": 1}))
        raise
    if changes is None:
        return ()
    counted = Update(ACTIVITY.within(store, scope).key(name), set={"last_fired_at": now}, add={"fired": 1})
    return [*changes, counted]


def _fired(performers: Performers, rule: RuleRecord, matched: Event, store: Store, now: int) -> Sequence[Change] | None:
    """None where the rule, which may have been installed anew, does not want the event."""
    kept = MATCHED.within(store, matched.scope).get(str(matched.payload["event_id"]))
    if kept is None:
        raise Hopeless("The event that the rule was to fire on is no longer kept.", "It cannot be retried.")
    event = _original(kept, matched)
    found = document(event)
    if not wants(rule, event.kind, found):
        return None
    firing = Firing(
        store=store,
        scope=matched.scope,
        actor=f"rule:{rule.name}",
        at=now,
        random_bytes=_repeatable(matched.id),
        cause=Cause(rule=rule.name, event_id=event.id, depth=depth_of(event) + 1),
    )
    changes: list[Change] = []
    for action in filled_actions(rule.actions, found):
        perform = performers.get(action["tool"])
        if perform is None:
            raise Hopeless(
                f"This installation has no {action['tool']} yet, which the rule {rule.name} uses.",
                "Install the family that has it, then retry the parked event.",
            )
        try:
            changes += perform(action["args"], firing)
        except InvalidInput as refused:
            raise Hopeless(
                f"{action['tool']} does not take what the rule {rule.name} makes of the event. {refused.message}",
                f"{refused.hint} Mend the rule, then retry the parked event.",
            ) from refused
    return list(_last_of_each(changes))


def _last_of_each(changes: Sequence[Change]) -> Iterator[Change]:
    """Of several changes to one item the last: two actions of one rule may set the same broadcast."""
    last = {change.key: place for place, change in enumerate(changes)}
    return (change for place, change in enumerate(changes) if last[change.key] == place)


def _matched(rule: RuleRecord, event: Event) -> Event:
    about = sha256(event.key.encode()).hexdigest()[:32]
    payload: dict[str, Any] = {"rule": rule.name, "event_id": event.id}
    return new_event(
        RULE_MATCHED,
        event.scope,
        key=f"rule/{rule.name}/{about}",
        actor=event.actor,
        at=event.at,
        random_bytes=_repeatable(f"{event.id}/{rule.name}"),
        payload=payload,
    )


def _original(kept: MatchedEvent, matched: Event) -> Event:
    return Event(
        id=kept.event_id,
        kind=kept.kind,
        tenant=matched.tenant,
        project=matched.project,
        key=kept.key,
        at=kept.at,
        actor=kept.actor,
        payload=msgspec.json.decode(kept.payload),
    )


def _repeatable(seed: str) -> RandomBytes:
    """Bytes that look random and are the same for the same seed, call by call."""
    asked = 0

    def random_bytes(count: int) -> bytes:
        nonlocal asked
        asked += 1
        block = sha256(f"{seed}/{asked}".encode()).digest()
        return (block * (count // len(block) + 1))[:count]

    return random_bytes


def _note(store: Store, change: Put | Update) -> None:
    try:
        store.write([change])
    except ConditionFailed:
        # The rule was removed meanwhile, and its activity with it.
        return
