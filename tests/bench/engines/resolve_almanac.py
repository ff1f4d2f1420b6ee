"""resolve_datetime itself, as the door calls it. The anchor moves from call to call, so that no answer is a memory."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count

from phrases import ANCHOR, EXPRESSIONS, ZONE

from almanac.families.time.tools.local_datetimes import resolve_datetime
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput

_start = datetime.fromisoformat(ANCHOR)
_clock = FixedClock(_start)
_caller = Caller(Scope("bench", "default"), "bench", "k0", default_timezone=ZONE)
_minutes = count()


def calls() -> dict[str, Callable[[], object]]:
    return {expression: _resolver_of(expression) for expression in EXPRESSIONS}


def _resolver_of(expression: str) -> Callable[[], object]:
    def resolve() -> object:
        _clock.instant = _start + timedelta(minutes=next(_minutes) % 60)
        try:
            return resolve_datetime(expression=expression, clock=_clock, caller=_caller)
        except InvalidInput:
            return None

    return resolve
