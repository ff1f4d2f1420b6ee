"""A rule, checked once and ready to be asked."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

import msgspec

from almanac.families.team.rules.actions import check_actions
from almanac.families.team.rules.paths import Document
from almanac.families.team.rules.predicates import Predicate, predicate
from almanac.families.team.rules.records import RuleRecord
from almanac.kernel.errors import InvalidInput

RuleEventKind = Literal[
    "turn_recorded",
    "memory_pinned",
    "memory_forgotten",
    "broadcast_set",
    "consolidation_completed",
    "claim_acquired",
    "claim_released",
    "claim_expired",
]
"""The kinds of events that rules may be for."""
KINDS: tuple[RuleEventKind, ...] = get_args(RuleEventKind)


def check_rule(on_kind: str, where: Mapping[str, Any] | None, actions: Sequence[Mapping[str, Any]]) -> None:
    """Raises InvalidInput for what could not run."""
    if on_kind not in KINDS:
        raise InvalidInput(f'Rules do not listen to "{on_kind}".', f"Use one of {', '.join(KINDS)}.", path="on_kind")
    predicate(where)
    check_actions(actions)


def wants(rule: RuleRecord, kind: str, found: Document) -> bool:
    """Whether the rule, as it stands, is for this event."""
    return rule.enabled and rule.on_kind == kind and (rule.where is None or _parsed(rule.where)(found))


def where_text(where: Mapping[str, Any] | None) -> str | None:
    """A predicate as a rule keeps it."""
    return msgspec.json.encode(where).decode() if where else None


def where_object(text: str | None) -> dict[str, Any] | None:
    return None if text is None else msgspec.json.decode(text, type=dict[str, Any])


@lru_cache(256)
def _parsed(where: str) -> Predicate:
    return predicate(where_object(where))
