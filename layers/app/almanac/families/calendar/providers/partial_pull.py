"""Changes of which some could not be read."""

from msgspec import Struct

from almanac.families.calendar.providers.port import Changes


class Unreadable(Struct, frozen=True):
    """An event under the id `id` that was left out of a pull; `said` names it and says why."""

    id: str
    said: str


class PartialPull(Changes, frozen=True, kw_only=True):
    """`unreadable` is what was left out. Events that were read in part say so themselves."""

    unreadable: tuple[Unreadable, ...] = ()
