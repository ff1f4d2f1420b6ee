"""What an installation says for everybody in it."""

from collections.abc import Mapping

from almanac.families.time.zones import find_zone
from almanac.kernel.errors import InvalidInput

VARIABLE = "TIMEZONE"


def installation_zone(environment: Mapping[str, str]) -> str | None:
    """The zone of TIMEZONE, for callers for whom neither key, project nor tenant says one; None where it is not set.
    Raises InvalidInput for what is no zone."""
    given = environment.get(VARIABLE, "").strip()
    if not given:
        return None
    try:
        return find_zone(given).key
    except InvalidInput as unknown:
        raise InvalidInput(f"{VARIABLE}: {unknown.message}", unknown.hint) from unknown
