"""The action record_turn: what the tool of that name does, on behalf of a rule."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from almanac.families.memory.core.memory import memory_of_rule
from almanac.families.memory.turns.batch import checked_turn
from almanac.families.memory.turns.plan import Call, Plan
from almanac.families.memory.turns.prior_records import read_prior_records
from almanac.families.memory.turns.turn_input import TurnInput
from almanac.kernel.errors import Conflict
from almanac.platform.bus.port import PermanentFailure
from almanac.platform.declaration.rule_actions import Firing
from almanac.platform.store.port import Change
from almanac.protocol.arguments.conversion import convert

_KEPT = frozenset({"metadata"})
"""Arguments that are not texts."""


def record_turn(args: Mapping[str, Any], firing: Firing) -> Sequence[Change]:
    """Return no changes where the turn is recorded already. Raises InvalidInput for a turn that cannot be,
    PermanentFailure without the claim that it requires hard."""
    project = memory_of_rule(firing)
    turn = checked_turn(project, convert(_filled(args), TurnInput))
    cause: dict[str, Any] = msgspec.to_builtins(firing.cause)
    plan = Plan(project, read_prior_records(project, [turn]), caused_by=cause, made=firing.made)
    (repeats,) = plan.repeated(turn.session, Call([turn.digest], 0, [1]))
    try:
        plan.add(turn, repeats)
    except Conflict as refused:
        raise PermanentFailure(refused.message, refused.hint) from refused
    return plan.changes


def _filled(args: Mapping[str, Any]) -> dict[str, Any]:
    """Without what a template left empty, and with texts for what it filled in otherwise, as within other text."""
    filled = {name: value for name, value in args.items() if value not in ("", None)}
    return {name: value if name in _KEPT or isinstance(value, str) else _text(value) for name, value in filled.items()}


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
