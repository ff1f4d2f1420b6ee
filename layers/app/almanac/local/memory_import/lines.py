"""Read JSON one line at a time. A bad line is reported, and the others are read."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

import msgspec

from almanac.composition.commands.memory_import import ToImport, TurnToImport
from almanac.local.memory_import.units import MAX_UNIT_BYTES, LeftOut, Unit, Unreadable, fit_turn

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SKIPPED_AT_ONCE = 1024 * 1024


class Line(NamedTuple):
    """A line of the file. `number` counts from 1 and `end` is its end in bytes. `text` is None if it is too long."""

    number: int
    end: int
    text: bytes | None


def lines_of(source: BinaryIO, most: int = MAX_UNIT_BYTES) -> Iterator[Line]:
    """Yield the lines that are not empty."""
    number, end = 0, 0
    while line := source.readline(most + 1):
        number, end = number + 1, end + len(line)
        if len(line) > most and not line.endswith(b"\n"):
            while (rest := source.readline(_SKIPPED_AT_ONCE)) and not rest.endswith(b"\n"):
                end += len(rest)
            end += len(rest)
            yield Line(number, end, None)
            continue
        text = (line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line).strip()
        if text:
            yield Line(number, end, text)


def units_of(lines: Iterable[Line], turns_of: Callable[[Line, Any], Iterable[ToImport]]) -> Iterator[Unit]:
    """Yield a unit for each line. `turns_of` gets the line and its parsed JSON, and returns the turns or raises
    Unreadable or LeftOut."""
    for line in lines:
        place = f"line {line.number}"
        if line.text is None:
            yield Unit(line.end, place, problem="It is too long.")
            continue
        try:
            found = turns_of(line, msgspec.json.decode(line.text))
            turns = tuple(
                fit_turn(turn) if isinstance(turn, TurnToImport) else turn for turn in found if turn.content.strip()
            )
        except LeftOut as reason:
            yield Unit(line.end, place, left_out=str(reason))
        except (Unreadable, msgspec.ValidationError) as problem:
            yield Unit(line.end, place, problem=str(problem))
        except (ValueError, RecursionError):  # the library's own message would not help a user
            yield Unit(line.end, place, problem="It is not JSON.")
        else:
            yield Unit(line.end, place, turns)
