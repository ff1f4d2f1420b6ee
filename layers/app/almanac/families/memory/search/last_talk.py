"""A project's latest conversation, used to judge turns that a search found: later replacements, worth."""

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
    from almanac.families.memory.snapshot.ranking import PassageShares


class LastTalk:
    """Reads the latest conversation at first use, up to the end of the searched time span.

    If the caller narrows the search by anything but time, it reads nothing: no turn counts as replaced, and the worth
    of turns is unknown."""

    def __init__(self, project: MemoryProject, narrowing: HitFilters) -> None:
        self._project = project
        self._until = narrowing.until
        self._is_narrowed = replace(narrowing, since=None, until=None) != HitFilters()

    def replacements_of(self, turn: Turn) -> Sequence[Turn]:
        """Return the turns that replaced this turn of a person, in the order of time; nothing for other turns."""
        return self._changes.next_of(turn.id) if turn.role == "user" and not self._is_narrowed else ()

    def worth_of(self, turn: Turn) -> float | None:
        """Return the probability that later work depends on the turn; None if it is unknown."""
        return None if self._is_narrowed else self._shares.share_of(turn.id)

    @cached_property
    def _shares(self) -> "PassageShares":
        from almanac.families.memory.snapshot.ranking import PassageShares  # noqa: PLC0415 - for talk with agents

        return PassageShares(self._turns)

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
