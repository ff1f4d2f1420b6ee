"""Changes of which some could not be read."""

from almanac.families.calendar.providers.port import Changes


class Pulled(Changes, frozen=True, kw_only=True):
    """`unreadable` says of each event that was left out which one it is, and why."""

    unreadable: tuple[str, ...] = ()
