"""Time zone of an installation, and the release of its time zone rules."""

from almanac.composition.settings import Settings
from almanac.composition.variables import VARIABLES
from almanac.kernel.errors import InvalidInput

VARIABLE = VARIABLES["timezone"].name


def installation_zone(settings: Settings) -> str | None:
    """Return the time zone for callers whose key, project and tenant set none. None if TIMEZONE is not set.

    Raises InvalidInput for an unknown zone.
    """
    if settings.timezone is None:
        return None
    try:
        return zone_name(settings.timezone)
    except InvalidInput as unknown:
        raise InvalidInput(f"{VARIABLE}: {unknown.message}", unknown.hint) from unknown


def zone_name(name: str) -> str:
    """Return an IANA name in its official spelling. Raises InvalidInput for an unknown zone."""
    from almanac.families.time.core.zones import find_zone  # noqa: PLC0415 - only where a zone is named

    return find_zone(name).key


def zones_release() -> str:
    """Return the release of the time zone rules, e.g. 2026a."""
    from almanac.families.time.core.zones import TZDB_VERSION  # noqa: PLC0415 - only health reports it

    return TZDB_VERSION
