"""Record many turns in one call. Each turn succeeds or fails independently."""

from collections.abc import Sequence
from typing import Any, cast

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.times import instant_of
from almanac.families.memory.turns.recorder import Outcome, record_all
from almanac.families.memory.turns.turn_input import TurnInput, ValidatedTurn, validate_turn
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.protocol.arguments.conversion import convert

MAX_TURNS = 100
TOTAL_BYTES = 4 * 1024 * 1024


class Defaults(Struct, frozen=True):
    """Values for turns that do not set them."""

    session_id: str | None = None
    tool: str | None = None


def record_batch(project: MemoryProject, turns: Sequence[Any], defaults: Defaults) -> list[Outcome]:
    """Record turns and return an outcome for each, in order, which may be an error.

    Raises InvalidInput only if the turns are too large together."""
    _check_size(turns)
    outcomes: dict[int, Outcome] = {}
    fit: dict[int, ValidatedTurn] = {}
    for number, raw in enumerate(turns):
        try:
            fit[number] = check_turn(project, convert(_with_defaults(defaults, raw), TurnInput))
        except AlmanacError as refused:
            outcomes[number] = refused
    outcomes |= dict(zip(fit, record_all(project, list(fit.values())), strict=True))
    return [outcomes[number] for number in range(len(turns))]


def check_turn(project: MemoryProject, turn: TurnInput) -> ValidatedTurn:
    """Validate a turn; see `validate_turn`. Words in `occurred_at` are read in the caller's zone."""
    return validate_turn(turn, project.now(), lambda value: instant_of(project, value, "occurred_at"))


def _with_defaults(defaults: Defaults, raw: Any) -> Any:
    if not isinstance(raw, dict):
        return raw
    turn = cast("dict[str, Any]", raw)
    default_values = {"session_id": defaults.session_id, "tool": defaults.tool}
    return turn | {
        name: value for name, value in default_values.items() if value is not None and turn.get(name) is None
    }


def _check_size(turns: Sequence[Any]) -> None:
    contents = [cast("dict[str, Any]", raw).get("content") for raw in turns if isinstance(raw, dict)]
    size = sum(len(each.encode(errors="replace")) for each in contents if isinstance(each, str))
    if size > TOTAL_BYTES:
        raise InvalidInput(
            f"The contents have {size} bytes together, over {TOTAL_BYTES}.", "Send fewer turns at once.", path="turns"
        )
