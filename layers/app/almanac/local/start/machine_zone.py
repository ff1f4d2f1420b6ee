"""The time zone of this machine: that of the first tenant, where TIMEZONE is not set."""

import warnings
from collections.abc import Callable

from almanac.composition.installation import known_zone
from almanac.kernel.errors import InvalidInput

_NOBODYS = ("UTC", "GMT")


def own_zone() -> str | None:
    """What the operating system says."""
    import tzlocal  # noqa: PLC0415 - only a start without TIMEZONE needs it

    with warnings.catch_warnings():
        # It warns where nothing is configured, and answers UTC, which is taken for nothing below.
        warnings.simplefilter("ignore")
        try:
            return tzlocal.get_localzone_name()
        except (ValueError, LookupError, OSError):
            return None


def machine_zone(ask_system: Callable[[], str | None] = own_zone) -> str | None:
    """An IANA name, None where the machine has none or runs on UTC, which says nothing about where its user is."""
    name = ask_system()
    try:
        zone = known_zone(name) if name else None
    except InvalidInput:
        return None
    return None if zone is None or zone in _NOBODYS or zone.startswith("Etc/") else zone
