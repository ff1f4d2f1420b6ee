"""Checks of rules, and their matching with events."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from almanac.families.team.core.event_kinds import SCHEDULE_DUE
from almanac.families.team.core.rule_sources import Installation
from almanac.families.team.rules import predicates, templates
from almanac.families.team.rules.actions import check_actions
from almanac.families.team.rules.effort import FOR_A_RULE, spend
from almanac.families.team.rules.paths import Document, paths_of, unknown_paths
from almanac.families.team.rules.predicates import Predicate, compile_checked, compile_predicate
from almanac.families.team.rules.records import RuleRecord

_MOST_NAMED = 5
_SHOWN = 60


def check_rule(
    here: Installation, on_kind: str, where: Mapping[str, Any] | None, actions: Sequence[Mapping[str, Any]]
) -> Predicate:
    """Check a rule and return its predicate. Raises InvalidInput for a rule that could not run here."""
    check_actions(actions)
    here.check(on_kind, [action["tool"] for action in actions])
    return compile_checked(where)


def path_notes(
    here: Installation, on_kind: str, where: Mapping[str, Any] | None, actions: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return a note on the paths of a checked rule that no event of its kind has. The rule is valid, because a later
    version may add fields to the kind."""
    if (kind := here.kinds.get(on_kind)) is None:
        return ()
    unknown = unknown_paths(kind, [*predicates.paths_in(where), *templates.paths_in(actions)])
    if not unknown:
        return ()
    named = ", ".join(path[:_SHOWN] for path in unknown[:_MOST_NAMED])
    return (f"Events of the kind {kind.name} have no {named}. They have {', '.join(paths_of(kind))}.",)


def applies_to(rule: RuleRecord, kind: str, document: Document) -> bool:
    """Return whether the stored rule matches this event. Raises Exhausted if that takes too much effort."""
    if not rule.enabled or rule.on_kind != kind or not _is_its_schedule(rule, kind, document["payload"]):
        return False
    spend(FOR_A_RULE)
    return rule.where is None or _parse_where(rule.where)(document)


def _is_its_schedule(rule: RuleRecord, kind: str, payload: Mapping[str, Any]) -> bool:
    """Return whether an event belongs to the schedule of this rule. True for every other kind of event."""
    return kind != SCHEDULE_DUE or (rule.on_schedule is not None and payload.get("rule") == rule.name)


def where_text(where: Mapping[str, Any] | None) -> str | None:
    """Return a predicate in its stored form."""
    return msgspec.json.encode(where).decode() if where else None


def where_object(text: str | None) -> dict[str, Any] | None:
    return None if text is None else msgspec.json.decode(text, type=dict[str, Any])


@lru_cache(256)
def _parse_where(where: str) -> Predicate:
    return compile_predicate(where_object(where))
