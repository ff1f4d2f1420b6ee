"""Plain python-dateutil: whether a local time exists and whether it happens twice, yes or no."""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from collections.abc import Callable
from datetime import datetime

from dateutil import tz
from phrases import LOCAL_TIMES


def calls() -> dict[str, Callable[[], object]]:
    return {f"{local} {zone}": lambda a=local, b=zone: _check(a, b) for local, zone in LOCAL_TIMES}


def _check(local: str, name: str) -> tuple[bool, bool]:
    moment, zone = datetime.fromisoformat(local), tz.gettz(name)
    return tz.datetime_exists(moment, zone), tz.datetime_ambiguous(moment, zone)
