"""Outages in the log: a line a minute for each, and a traceback for every other defect."""

import errno
import sqlite3
from io import StringIO

import pytest

from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.gateway.observability.outages import outage_of
from almanac.kernel.errors import Unavailable

FULL = Unavailable("The disk of the store is full.", "Free some space.")


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def error_caused_by(cause: BaseException) -> BaseException:
    outer = ValueError("a batch was not handled")
    outer.__cause__ = cause
    return outer


def test_an_outage_is_one_line_a_minute_whoever_meets_it() -> None:
    stream, time = StringIO(), Time()
    telemetry = ConsoleTelemetry(stream, time)

    for second in range(121):
        time.now = float(second)
        for worker in ("worker", "the job due", "the scheduled jobs"):
            telemetry.defect("r", worker, error_caused_by(FULL))

    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("The disk of the store is full. Free some space. (worker)")
    assert lines[1].endswith("(worker; and 179 times since the last line)")


def test_different_outages_and_defects_are_not_counted_together() -> None:
    stream = StringIO()
    telemetry = ConsoleTelemetry(stream, Time())

    telemetry.defect("r1", "worker", FULL)
    telemetry.defect("r2", "worker", Unavailable("The store is busy.", "Wait."))
    for _ in range(2):
        telemetry.defect("r3", "worker", ValueError("a mistake of ours"))

    text = stream.getvalue()
    assert text.count("is full") == text.count("is busy") == 1
    assert text.count("internal error r3 in worker") == 2


def test_a_log_that_cannot_be_written_fails_nothing() -> None:
    class Full(StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    ConsoleTelemetry(Full()).defect("r", "worker", FULL)
    ConsoleTelemetry(Full()).note("search vectors: 25 %")


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_full_disk_is_known_by_each_of_its_errors(wrapped: bool) -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("PRAGMA max_page_count=2")
        with pytest.raises(sqlite3.OperationalError) as full:
            connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    for cause in (full.value, OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EDQUOT, "Quota")):
        assert outage_of(error_caused_by(cause) if wrapped else cause) == "The disk is full. Free some space."
    assert outage_of(OSError(errno.EACCES, "Permission denied")) is None
