"""Find what replaced a turn in the last talk of a project, for a search that found the turn."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Turn
from almanac.families.memory.search.filters import HitFilters

if TYPE_CHECKING:
    from almanac.families.memory.candidates.later_words import Changes


def replacements(project: MemoryProject, narrowing: HitFilters) -> Callable[[Turn], Sequence[Turn]]:
    """Return what finds the turns that replaced what a person said, in the order of time. Nothing is read before the
    first such turn, and nothing at all where the search is narrowed to less than a span of time."""
    if replace(narrowing, since=None, until=None) != HitFilters():
        return lambda _: ()
    changes = cache(lambda: _changes(project, narrowing.until))
    return lambda turn: changes().next_of(turn.id) if turn.role == "user" else ()


def _changes(project: MemoryProject, until: int | None) -> "Changes":
    from almanac.families.memory.candidates.current_statements import talk_of  # noqa: PLC0415 - for turns of people
    from almanac.families.memory.candidates.later_words import Changes  # noqa: PLC0415 - as above
    from almanac.families.memory.snapshot.reader import Reader  # noqa: PLC0415 - as above

    turns = [one for one in reversed(Reader(project, None, 0).talk()) if until is None or one.at < until]
    return Changes(turns, talk_of(turns))
