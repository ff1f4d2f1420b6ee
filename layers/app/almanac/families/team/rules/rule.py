"""Rules checked, and matched with events."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from almanac.families.team.core.event_kinds import SCHEDULE_DUE
from almanac.families.team.core.rule_sources import Installation
from almanac.families.team.rules.actions import check_actions
from almanac.families.team.rules.effort import FOR_A_RULE, spend
from almanac.families.team.rules.paths import Document
from almanac.families.team.rules.predicates import Predicate, checked_predicate, predicate
from almanac.families.team.rules.records import RuleRecord


def checked_rule(
    here: Installation, on_kind: str, where: Mapping[str, Any] | None, actions: Sequence[Mapping[str, Any]]
) -> Predicate:
    """The predicate of a rule. Raises InvalidInput for a rule that could not run here."""
    check_actions(actions)
    here.check(on_kind, [action["tool"] for action in actions])
    return checked_predicate(where)


def applies_to(rule: RuleRecord, kind: str, document: Document) -> bool:
    """Return whether the stored rule matches this event. Raises Exhausted where that takes too much effort."""
    if not rule.enabled or rule.on_kind != kind or not _is_its_schedule(rule, kind, document["payload"]):
        return False
    spend(FOR_A_RULE)
    return rule.where is None or _parsed(rule.where)(document)


def _is_its_schedule(rule: RuleRecord, kind: str, payload: Mapping[str, Any]) -> bool:
    """Return whether the payload of an event tells the schedule of this rule; True for every other kind of event."""
    return kind != SCHEDULE_DUE or (rule.on_schedule is not None and payload.get("rule") == rule.name)


def where_text(where: Mapping[str, Any] | None) -> str | None:
    """A predicate as it is stored."""
    return msgspec.json.encode(where).decode() if where else None


def where_object(text: str | None) -> dict[str, Any] | None:
    return None if text is None else msgspec.json.decode(text, type=dict[str, Any])


@lru_cache(256)
def _parsed(where: str) -> Predicate:
    return predicate(where_object(where))
