"""Record a turn as an action of a rule, as the tool record_turn does."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from almanac.families.memory.core.memory import memory_of_rule
from almanac.families.memory.turns.batch import check_turn
from almanac.families.memory.turns.plan import Call, Plan
from almanac.families.memory.turns.prior_records import read_prior_records
from almanac.families.memory.turns.turn_input import TurnInput
from almanac.kernel.errors import Conflict
from almanac.platform.bus.port import PermanentFailure
from almanac.platform.declaration.rule_actions import Firing
from almanac.platform.store.port import Change
from almanac.protocol.arguments.conversion import convert

_NOT_TEXTS = frozenset({"metadata"})
"""Arguments that stay values instead of becoming texts."""


def record_turn(args: Mapping[str, Any], firing: Firing) -> Sequence[Change]:
    """Return the changes that record the turn; none if it is recorded already.

    Raises InvalidInput for an invalid turn, and PermanentFailure if it requires a claim with policy hard that its
    holder does not have."""
    project = memory_of_rule(firing)
    turn = check_turn(project, convert(_fill_arguments(args), TurnInput))
    cause: dict[str, Any] = msgspec.to_builtins(firing.cause)
    plan = Plan(project, read_prior_records(project, [turn]), caused_by=cause, made=firing.made)
    (repeats,) = plan.find_repeats(turn.session, Call([turn.digest], 0, [1]))
    try:
        plan.add(turn, repeats)
    except Conflict as refused:
        raise PermanentFailure(refused.message, refused.hint) from refused
    return plan.changes


def _fill_arguments(args: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the arguments that a template left empty, and write other values that are not texts as JSON."""
    filled = {name: value for name, value in args.items() if value not in ("", None)}
    return {
        name: value if name in _NOT_TEXTS or isinstance(value, str) else _text(value) for name, value in filled.items()
    }


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
