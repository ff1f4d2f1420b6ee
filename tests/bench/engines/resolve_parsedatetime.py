"""parsedatetime. It answers with a status of 0 for what it does not understand."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import parsedatetime
from phrases import ANCHOR, EXPRESSIONS, ZONE

_start = datetime.fromisoformat(ANCHOR).astimezone(ZoneInfo(ZONE)).replace(tzinfo=None)
_minutes = count()
_calendar = parsedatetime.Calendar()


def calls() -> dict[str, Callable[[], object]]:
    return {expression: _parser_of(expression) for expression in EXPRESSIONS}


def _parser_of(expression: str) -> Callable[[], object]:
    def parse() -> object:
        moment, status = _calendar.parseDT(expression, sourceTime=_start + timedelta(minutes=next(_minutes) % 60))
        return moment if status else None

    return parse
