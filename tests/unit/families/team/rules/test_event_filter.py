"""Test which events go to the bus for rules, and what the filter reads."""

import os
from typing import Any

import pytest

from almanac.families.team.rules.event_filter import (
    FIRE_RULE,
    MATCH_RULES,
    RULE_MATCHED,
    RuleEventFilter,
    is_for_rules_alone,
)
from almanac.families.team.rules.records import LISTENED
from almanac.families.team.tools import rules
from almanac.kernel.caller import Scope
from almanac.kernel.events import Event, new_event
from almanac.platform.bus.messages import Message
from tests.bench.metered_store import MeteredStore
from tests.unit.families.team.rule_world import SCOPE, RuleWorld, install

OTHERS = Scope("globex", SCOPE.project)


def _event(kind: str, scope: Scope = SCOPE, **payload: Any) -> Event:
    return new_event(kind, scope, key="k", actor="ann", at=1, random_bytes=os.urandom, payload=payload)


def _concerns(world: RuleWorld, *events: Event) -> list[bool]:
    listening = RuleEventFilter(lambda: world.store)
    return [listening.concerns(Message(event)) for event in events]


def test_an_event_concerns_rules_where_one_of_its_project_listens_to_its_kind(world: RuleWorld):
    events = [_event("claim_expired"), _event("broadcast_set"), _event("claim_expired", OTHERS)]
    assert _concerns(world, *events) == [False, False, False]
    install(world, on_kind="claim_expired")
    assert _concerns(world, *events) == [True, False, False]
    rules.remove_rule("note", project=world.project)
    assert _concerns(world, *events) == [False, False, False]


def test_rules_of_before_the_kinds_were_kept_are_found(world: RuleWorld):
    install(world, on_kind="claim_expired")
    world.store.write([LISTENED.within(world.store, SCOPE).delete()])
    assert _concerns(world, _event("claim_expired"), _event("broadcast_set")) == [True, False]


def test_what_a_rule_caused_and_what_rules_cannot_listen_to_is_not_put_and_reads_nothing(world: RuleWorld):
    def unread() -> Any:
        pytest.fail("read")

    listening = RuleEventFilter(unread)
    caused = _event("broadcast_set", caused_by={"rule": "note", "event_id": "1", "depth": 1})
    assert not listening.concerns(Message(caused))
    assert not listening.concerns(Message(_event("document_written")))


@pytest.mark.parametrize(("reaction", "concerned"), [(MATCH_RULES, True), (FIRE_RULE, True), ("search.follow", False)])
def test_a_retry_concerns_rules_where_it_is_one_of_theirs(world: RuleWorld, reaction: str, concerned: bool):
    install(world, on_kind="claim_expired")
    assert RuleEventFilter(lambda: world.store).concerns(Message(_event("claim_expired"), reaction, 5)) is concerned
    assert RuleEventFilter(lambda: world.store).concerns(Message(_event(RULE_MATCHED)))


def test_the_ordered_queue_takes_nothing_that_only_rules_want():
    assert is_for_rules_alone(Message(_event(RULE_MATCHED)))
    assert is_for_rules_alone(Message(_event("claim_expired"), FIRE_RULE, 5))
    assert not is_for_rules_alone(Message(_event("claim_expired")))
    assert not is_for_rules_alone(Message(_event("claim_expired"), "search.follow", 5))


def test_a_project_is_read_once_for_all_events_at_hand(world: RuleWorld):
    install(world, on_kind="claim_expired")
    meter = MeteredStore(world.store)
    listening = RuleEventFilter(lambda: meter)
    assert [listening.concerns(Message(_event("claim_expired"))) for _ in range(100)] == [True] * 100
    assert len(meter.charges) == 1
    assert sum(charge.read for charge in meter.charges) == 1
