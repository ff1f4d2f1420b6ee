"""Test that the sweep handler stays within the invocation's time and reports failures."""

from typing import Any, cast

from almanac.gateway.events.sweep_door import SPARE_MS, sweep_handler
from almanac.gateway.observability.telemetry import Telemetry
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.large_values import LargeValues


class Invocation:
    def __init__(self, left_ms: int) -> None:
        self._left_ms = left_ms

    def get_remaining_time_in_millis(self) -> int:
        return self._left_ms


class Values:
    def __init__(self) -> None:
        self.swept: list[tuple[int, bool]] = []

    def sweep(self, now: int, may_go_on: Any) -> int:
        self.swept.append((now, may_go_on()))
        return 0


class RecordedDefects:
    def __init__(self) -> None:
        self.causes: list[BaseException] = []

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        self.causes.append(cause)


def test_a_sweep_stops_when_little_time_is_left(clock: FixedClock):
    values = Values()
    handle = sweep_handler(lambda: cast(LargeValues, values), clock, cast(Telemetry, RecordedDefects()))
    handle({}, Invocation(SPARE_MS + 1))
    handle({}, Invocation(SPARE_MS))
    assert values.swept == [(now_ms(clock), True), (now_ms(clock), False)]


def test_a_sweep_that_fails_is_told(clock: FixedClock):
    def unavailable() -> LargeValues:
        raise Unavailable("The bucket does not answer.", "Later.")

    told = RecordedDefects()
    sweep_handler(unavailable, clock, cast(Telemetry, told))({}, Invocation(900_000))
    assert [type(cause) for cause in told.causes] == [Unavailable]
