"""Plain python-dateutil: instances as it yields them, nothing checked, nothing written out."""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from collections.abc import Callable
from datetime import datetime
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from phrases import DTSTART, FAR_WINDOW, NEVER, RULES, ZONE

_start = datetime.fromisoformat(DTSTART).replace(tzinfo=ZoneInfo(ZONE))


def calls() -> dict[str, Callable[[], object]]:
    return {
        **{name: lambda rule=rule: list(islice(_rule(rule), 500)) for name, rule in (RULES | NEVER).items()},
        "a month, thirty years on": _far,
    }


def _rule(text: str) -> Any:
    return rrulestr(text, dtstart=_start)


def _far() -> object:
    rule, after, before = FAR_WINDOW
    return _rule(rule).between(datetime.fromisoformat(after), datetime.fromisoformat(before), inc=True)
