"""dateparser, told everything that it would otherwise guess: the language, the zone, the anchor."""

# pyright: reportMissingImports=false, reportMissingModuleSource=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count

import dateparser
from phrases import ANCHOR, EXPRESSIONS, ZONE

_start = datetime.fromisoformat(ANCHOR).replace(tzinfo=None)
_minutes = count()


def calls() -> dict[str, Callable[[], object]]:
    return {expression: _parser_of(expression) for expression in EXPRESSIONS}


def _parser_of(expression: str) -> Callable[[], object]:
    settings = {"TIMEZONE": ZONE, "RETURN_AS_TIMEZONE_AWARE": True, "PREFER_DATES_FROM": "future"}

    def parse() -> object:
        base = _start + timedelta(minutes=next(_minutes) % 60)
        return dateparser.parse(expression, languages=["en"], settings={**settings, "RELATIVE_BASE": base})

    return parse
