"""Tools of the family, asked at one moment by callers with a zone and without."""

from datetime import UTC, datetime
from typing import Any

from almanac.families.time.family import family
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.services import Services
from tests.app import App, refusal_of, result_of

NOON = FixedClock(datetime(2026, 2, 18, 14, 30, tzinfo=UTC))
NEW_YORKER = Caller(Scope("t", "p"), "tester", "key", default_timezone="America/New_York")
NOBODY = Caller(Scope("t", "p"), "tester", "key")
APP = App.of([family.open(Services({}))], NOON, NEW_YORKER)


def answer(tool: str, caller: Caller = NEW_YORKER, **arguments: Any) -> dict[str, Any]:
    result = APP.outcome(tool, arguments, caller)
    assert not result.is_error, result.content
    return result_of(result)


def refusal(tool: str, caller: Caller = NEW_YORKER, **arguments: Any) -> str:
    result = APP.outcome(tool, arguments, caller)
    assert result.structured is None
    return refusal_of(result)
