"""Reader of files with a turn on each line and the fields of record_turn: {"role": "user", "content": "…",
"occurred_at": …}."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, BinaryIO, cast

import msgspec
from msgspec.structs import replace

from almanac.composition.commands.memory_import import TurnToImport
from almanac.local.memory_import.lines import Line, lines_of, units_of
from almanac.local.memory_import.units import Unit, Unreadable, instant


def read(source: BinaryIO) -> Iterator[Unit]:
    """Yield a unit for each line. `occurred_at` may also be a timestamp with an offset. A digest of the line identifies
    a turn without client_turn_id."""
    return units_of(lines_of(source), _turns)


def _turns(line: Line, value: Any) -> Iterator[TurnToImport]:
    if not isinstance(value, dict):
        raise Unreadable("It is not a JSON object.")
    fields = {name: one for name, one in cast("dict[str, Any]", value).items() if one is not None}
    if isinstance(fields.get("occurred_at"), str):
        fields["occurred_at"] = instant(fields["occurred_at"])
        if fields["occurred_at"] is None:
            raise Unreadable("occurred_at is neither milliseconds nor a timestamp with an offset.")
    turn = msgspec.convert(fields, TurnToImport)
    if not turn.content.strip():
        raise Unreadable("content is empty.")
    if turn.client_turn_id is None:
        turn = replace(turn, client_turn_id=f"jsonl:{sha256(line.text or b'').hexdigest()[:40]}")
    yield turn
