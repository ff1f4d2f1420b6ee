"""validate_local_datetime itself: the answer names what is wrong and what would be right."""

from collections.abc import Callable

from phrases import LOCAL_TIMES

from almanac.families.time.tools.local_datetimes import validate_local_datetime


def calls() -> dict[str, Callable[[], object]]:
    return {f"{local} {zone}": lambda a=local, b=zone: validate_local_datetime(a, b) for local, zone in LOCAL_TIMES}
