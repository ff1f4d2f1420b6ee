"""Settings of a whole installation: its time zone, and the release of the zones that it knows."""

from almanac.composition.settings import Settings
from almanac.composition.variables import VARIABLES
from almanac.kernel.errors import InvalidInput

VARIABLE = VARIABLES["timezone"].name


def installation_zone(settings: Settings) -> str | None:
    """The zone of TIMEZONE, for callers for whom neither key, project nor tenant says one; None where it is not set.
    Raises InvalidInput for what is no zone."""
    if settings.timezone is None:
        return None
    try:
        return known_zone(settings.timezone)
    except InvalidInput as unknown:
        raise InvalidInput(f"{VARIABLE}: {unknown.message}", unknown.hint) from unknown


def known_zone(name: str) -> str:
    """The IANA name as it is spelt. Raises InvalidInput for what is no zone."""
    from almanac.families.time.core.zones import find_zone  # noqa: PLC0415 - only where a zone is named

    return find_zone(name).key


def zones_release() -> str:
    """The release of the zone rules, e.g. 2026a."""
    from almanac.families.time.core.zones import TZDB_VERSION  # noqa: PLC0415 - the same

    return TZDB_VERSION
