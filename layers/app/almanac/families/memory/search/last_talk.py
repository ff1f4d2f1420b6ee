"""A project's latest conversation, used to check turns that a search found: later replacements, current statements."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Turn
from almanac.families.memory.search.filters import HitFilters

if TYPE_CHECKING:
    from almanac.families.memory.candidates.current_statements import Talk
    from almanac.families.memory.candidates.later_words import Changes


class LastTalk:
    """Reads the latest conversation at first use, up to the end of the searched time span.

    If the caller narrows the search by anything but time, it reads nothing, and no turn counts as replaced or as
    holding."""

    def __init__(self, project: MemoryProject, narrowing: HitFilters) -> None:
        self._project = project
        self._until = narrowing.until
        self._is_narrowed = replace(narrowing, since=None, until=None) != HitFilters()

    def replacements_of(self, turn: Turn) -> Sequence[Turn]:
        """Return the turns that replaced this turn of a person, in the order of time; nothing for other turns."""
        return self._changes.next_of(turn.id) if turn.role == "user" and not self._is_narrowed else ()

    def holds(self, turn: Turn) -> bool:
        """Return whether the turn states something that still holds."""
        return not self._is_narrowed and turn.id in self._current_turn_ids

    @cached_property
    def _current_turn_ids(self) -> frozenset[str]:
        return frozenset(statement.turn for statement in self._talk.current)

    @cached_property
    def _changes(self) -> "Changes":
        from almanac.families.memory.candidates.later_words import Changes  # noqa: PLC0415 - for turns of people

        return Changes(self._turns, self._talk)

    @cached_property
    def _talk(self) -> "Talk":
        from almanac.families.memory.candidates.current_statements import talk_of  # noqa: PLC0415 - as above

        return talk_of(self._turns)

    @cached_property
    def _turns(self) -> Sequence[Turn]:
        from almanac.families.memory.snapshot.reader import Reader  # noqa: PLC0415 - as above

        talk = reversed(Reader(self._project, None, 0).talk())
        return [turn for turn in talk if self._until is None or turn.at < self._until]
