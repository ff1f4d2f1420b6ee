"""The time zone of whoever sits at this machine: the default of the first key."""

import warnings
from collections.abc import Callable, Mapping

from almanac.families.time.zones import find_zone
from almanac.kernel.errors import InvalidInput

VARIABLE = "TIMEZONE"
_NOBODYS = ("UTC", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "Etc/GMT", "GMT")


def own_zone() -> str | None:
    """What the operating system says."""
    import tzlocal  # noqa: PLC0415 - only a start without a key needs it

    with warnings.catch_warnings():
        # It warns where nothing is configured, and answers UTC, which is taken for nothing below.
        warnings.simplefilter("ignore")
        try:
            return tzlocal.get_localzone_name()
        except (ValueError, LookupError, OSError):
            return None


def default_zone(environment: Mapping[str, str], ask_system: Callable[[], str | None] = own_zone) -> str | None:
    """An IANA name: that of TIMEZONE where it is set, else the machine's own.

    A machine that runs on UTC says nothing about where its user is, so None then. Raises InvalidInput for a TIMEZONE
    that is no zone.
    """
    given = environment.get(VARIABLE, "").strip()
    if given:
        try:
            return find_zone(given).key
        except InvalidInput as unknown:
            raise InvalidInput(f"{VARIABLE}: {unknown.message}", unknown.hint) from unknown
    name = ask_system()
    try:
        zone = find_zone(name).key if name else None
    except InvalidInput:
        return None
    return None if zone in _NOBODYS else zone
