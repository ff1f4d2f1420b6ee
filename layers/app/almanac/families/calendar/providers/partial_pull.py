"""Pulled changes of which some could not be read."""

from msgspec import Struct

from almanac.families.calendar.providers.port import Changes


class Unreadable(Struct, frozen=True):
    """Event that a pull left out. `said` names it and gives the reason."""

    id: str
    said: str


class PartialPull(Changes, frozen=True, kw_only=True):
    """Changes with the events that were left out. Partly read events describe their own problems."""

    unreadable: tuple[Unreadable, ...] = ()
