"""Two reactions to events. One matches an event with the rules, the other fires each matching rule on its own.

A matched event is stored. Each rule that it matches gets an event of its own, `rule_matched`, with an id and key made
from the rule and the original. So a rule fires once for an event however often the event is matched. A failing rule
becomes a dead letter without holding up others, and a retry repeats only that rule. A laptop's worker keeps the order
of a key's events. On AWS rules fire in no guaranteed order.

The effort of matching one event in one round is bounded. The remaining rules are matched in a later round, after the
events of others. A rule that exceeds a whole round by itself does not see the event, and its activity says so.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256

import msgspec

from almanac.families.team.rules.actions import Performers, fill_actions
from almanac.families.team.rules.effort import Effort, Exhausted, charge_to
from almanac.families.team.rules.event_filter import (
    FIRE_RULE,
    MATCH_RULES,
    MATCHING_CONTINUED,
    MAX_DEPTH,
    RULE_MATCHED,
    depth_of,
    listened_kinds,
)
from almanac.families.team.rules.paths import document
from almanac.families.team.rules.records import (
    ACTIVITY,
    EARLIER_MATCHED,
    KEPT_MS,
    MATCHED,
    RULES,
    MatchedEvent,
    RuleRecord,
    stored_rules,
)
from almanac.families.team.rules.rule import applies_to
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.kernel.events import Event, new_event
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import PermanentFailure, Reaction
from almanac.platform.declaration.rule_actions import Cause, Firing
from almanac.platform.services import Services
from almanac.platform.store.port import Change, ConditionFailed, Store, Update

_ERROR_LENGTH = 300
_TOO_SLOW = "The condition (where) of the rule takes too many steps on this event."


def rule_reactions(kinds: Iterable[str], performers: Performers) -> tuple[Reaction, ...]:
    """Return the reactions of rules that may listen to `kinds`. `performers` carries out the actions."""
    return (
        Reaction(MATCH_RULES, frozenset([*kinds, MATCHING_CONTINUED]), match_rules, unordered=True),
        Reaction(FIRE_RULE, frozenset([RULE_MATCHED]), partial(fire_rule, performers), unordered=True),
    )


def match_rules(event: Event, services: Services) -> Sequence[Change]:
    """Return the changes that trigger the rules matching this event. A continuation event resumes an earlier event's
    matching."""
    if depth_of(event) >= MAX_DEPTH:
        return ()
    store = services.get(Store)
    if event.kind == MATCHING_CONTINUED:
        original = _read_original(store, event)
        return [] if original is None else _round(original, str(event.payload["after"]), services)
    if event.kind not in listened_kinds(store, event.scope):
        return ()
    return _round(event, "", services)


def _round(event: Event, after: str, services: Services) -> list[Change]:
    """Match rules whose names come after `after`, as many as one round allows."""
    store, fields = services.get(Store), document(event)
    effort = Effort()
    matching: list[RuleRecord] = []
    resume_after: str | None = None
    for rule in stored_rules(store, event.scope):
        if rule.name <= after:
            continue
        is_first = effort.left == effort.total
        try:
            with charge_to(effort):
                if applies_to(rule, event.kind, fields):
                    matching.append(rule)
        except Exhausted:
            if is_first:
                _record_too_slow(store, event, rule.name, now_ms(services.get(Clock)))
            resume_after = rule.name if is_first else after
            break
        after = rule.name
    expires_at = now_ms(services.get(Clock)) + KEPT_MS
    events = [_matched_event(rule, event) for rule in matching]
    if resume_after is not None:
        events.append(_continuation_event(event, resume_after))
    if not events:
        return []
    return [MATCHED.within(store, event.scope).put(_matched_record(event, expires_at)), *outbox(events)]


def fire_rule(performers: Performers, matched: Event, services: Services) -> Sequence[Change]:
    """Return the changes of a rule's actions on one event, or none if the rule was removed or no longer matches.

    Raises PermanentFailure for an action without an implementation, and the errors of the actions. The rule's activity
    then records the error.
    """
    store, scope, name = services.get(Store), matched.scope, str(matched.payload["rule"])
    rule = RULES.within(store, scope).get(name)
    if rule is None or not rule.enabled:
        return ()
    now = now_ms(services.get(Clock))
    try:
        changes = _actions_of(performers, rule, matched, store, now)
    except ConditionFailed:
        raise
    except Exception as error:
        message = str(error) if isinstance(error, AlmanacError) else "An internal error; the log tells more."
        failed = {"last_error": message[:_ERROR_LENGTH], "last_error_at": now}
        _record_failure(store, Update(ACTIVITY.within(store, scope).key(name), set=failed, add={"failures": 1}))
        raise
    if changes is None:
        return ()
    counted = Update(ACTIVITY.within(store, scope).key(name), set={"last_fired_at": now}, add={"fired": 1})
    return [*changes, counted]


def _actions_of(
    performers: Performers, rule: RuleRecord, matched: Event, store: Store, now: int
) -> Sequence[Change] | None:
    """Return the changes of the rule's actions, or None if the rule, which may have been reinstalled, does not match
    the event."""
    event = _read_original(store, matched)
    if event is None:
        raise PermanentFailure("The event that the rule should fire on has expired.", "It cannot be retried.")
    fields = document(event)
    try:
        with charge_to(Effort()):
            if not applies_to(rule, event.kind, fields):
                return None
    except Exhausted:
        raise PermanentFailure(_TOO_SLOW, "Narrow the rule's where, then retry the parked event.") from None
    firing = Firing(
        store=store,
        scope=matched.scope,
        actor=f"rule:{rule.name}",
        at=now,
        random_bytes=_seeded_bytes(matched.id),
        cause=Cause(rule=rule.name, event_id=event.id, depth=depth_of(event) + 1),
    )
    changes: list[Change] = []
    for action in fill_actions(rule.actions, fields):
        perform = performers.get(action["tool"])
        if perform is None:
            raise PermanentFailure(
                f"This installation has no {action['tool']} yet, which the rule {rule.name} uses.",
                "Install the family that has it, then retry the parked event.",
            )
        try:
            changes += perform(action["args"], msgspec.structs.replace(firing, made=tuple(changes)))
        except InvalidInput as refused:
            raise PermanentFailure(
                f"{action['tool']} refuses what the rule {rule.name} made of the event. {refused.message}",
                f"{refused.hint} Fix the rule, then retry the parked event.",
            ) from refused
    return list(_last_of_each(changes))


def _last_of_each(changes: Sequence[Change]) -> Iterator[Change]:
    """Keep only the last of several changes to one item, since two actions of one rule may set the same broadcast."""
    last = {change.key: place for place, change in enumerate(changes)}
    return (change for place, change in enumerate(changes) if last[change.key] == place)


def _matched_event(rule: RuleRecord, event: Event) -> Event:
    about = sha256(event.key.encode()).hexdigest()[:32]
    return new_event(
        RULE_MATCHED,
        event.scope,
        key=f"rule/{rule.name}/{about}",
        actor=event.actor,
        at=event.at,
        random_bytes=_seeded_bytes(f"{event.id}/{rule.name}"),
        payload={"rule": rule.name, "event_id": event.id},
    )


def _continuation_event(event: Event, after: str) -> Event:
    return new_event(
        MATCHING_CONTINUED,
        event.scope,
        key=event.key,
        actor=event.actor,
        at=event.at,
        random_bytes=_seeded_bytes(f"{event.id}/{after}"),
        payload={"event_id": event.id, "after": after},
    )


def _matched_record(event: Event, expires_at: int) -> MatchedEvent:
    return MatchedEvent(
        event_id=event.id,
        kind=event.kind,
        key=event.key,
        at=event.at,
        actor=event.actor,
        payload=msgspec.json.encode(event.payload).decode(),
        expires_at=expires_at,
    )


def _read_original(store: Store, matched: Event) -> Event | None:
    """Return the original of an event about a match, or None if it is no longer stored."""
    event_id = str(matched.payload["event_id"])
    tables = (table.within(store, matched.scope) for table in (MATCHED, EARLIER_MATCHED))
    record = next((found for rows in tables if (found := rows.get(event_id)) is not None), None)
    if record is None:
        return None
    return Event(
        id=record.event_id,
        kind=record.kind,
        tenant=matched.tenant,
        project=matched.project,
        key=record.key,
        at=record.at,
        actor=record.actor,
        payload=msgspec.json.decode(record.payload),
    )


def _seeded_bytes(seed: str) -> RandomBytes:
    """Return a generator of random-looking bytes. Equal seeds give equal bytes, call by call."""
    calls = 0

    def random_bytes(count: int) -> bytes:
        nonlocal calls
        calls += 1
        block = sha256(f"{seed}/{calls}".encode()).digest()
        return (block * (count // len(block) + 1))[:count]

    return random_bytes


def _record_too_slow(store: Store, event: Event, name: str, now: int) -> None:
    failed = {"last_error": f"{_TOO_SLOW} It did not see {event.kind} {event.id}.", "last_error_at": now}
    _record_failure(store, Update(ACTIVITY.within(store, event.scope).key(name), set=failed, add={"failures": 1}))


def _record_failure(store: Store, change: Update) -> None:
    # If the rule was removed meanwhile, its activity is gone as well.
    with suppress(ConditionFailed):
        store.write([change])
