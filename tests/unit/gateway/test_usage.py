"""Usage of tenants, counted in the very lines that requests leave on Lambda."""

import json
from datetime import UTC, datetime

import pytest

from almanac.gateway.observability.powertools import PowertoolsTelemetry
from almanac.gateway.observability.request_report import RequestReport
from almanac.gateway.observability.usage import MOST_ROWS, Month, Usage, log_groups, read_month, read_usage
from almanac.kernel.errors import InvalidInput, Unavailable
from tests.doubles.log_insights import LogInsights

NOVEMBER = read_month("2026-11")
NOW = datetime(2026, 11, 26, tzinfo=UTC)
GROUPS = log_groups("almanac", ("hub", "time"))
CALLS = [
    ("acme", "record_turn", "ok", 12.5),
    ("acme", "record_turn", "error", 2.0),
    ("acme", "convert_timezone", "ok", 0.5),
    ("acme", "", "refused", 0.1),
    ("other", "list_claims", "failed", 700.0),
    ("", "", "refused", 1.0),
]
WRONG_MONTHS = ["", "2026", "2026-13", "2026-00", "0000-01", "2026-1", "2026-11-01", "9999-12"]


def _at(line: str, day: datetime) -> str:
    record = json.loads(line)
    record["_aws"]["Timestamp"] = int(day.timestamp() * 1000)
    return json.dumps(record)


@pytest.fixture(params=["INFO", "WARNING"])
def lines(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Return the lines of CALLS. The level of the log shortens them."""
    monkeypatch.setenv("POWERTOOLS_LOG_LEVEL", request.param)
    telemetry = PowertoolsTelemetry({"POWERTOOLS_SERVICE_NAME": "hub"})
    for tenant, tool, outcome, took in CALLS:
        report = RequestReport(
            path="/mcp", method="x", tool=tool, tenant=tenant, status=200, outcome=outcome, milliseconds=took
        )
        telemetry.record_request(report)
    return [_at(line, NOW) for line in capsys.readouterr().out.splitlines()]


def _read(client: LogInsights, tenant: str | None = None) -> list[Usage]:
    return read_usage(client, GROUPS, NOVEMBER, tenant, NOW, lambda _: None).rows


def test_calls_are_counted_by_tenant_over_all_functions(lines: list[str]) -> None:
    client = LogInsights({GROUPS[0]: lines, GROUPS[1]: lines[:1]})
    assert _read(client) == [Usage("acme", 5, 1, 1, 0, 0.028), Usage("other", 1, 0, 0, 1, 0.7)]


def test_the_calls_of_one_tenant_are_counted_by_tool(lines: list[str]) -> None:
    rows = _read(LogInsights({GROUPS[0]: lines, GROUPS[1]: []}), tenant="acme")
    assert rows[0] == Usage("record_turn", 2, 0, 1, 0, 0.015)
    assert {row.of: row.calls for row in rows} == {"record_turn": 2, "convert_timezone": 1, "": 1}


def test_a_month_is_counted_from_its_first_second_to_its_last(lines: list[str]) -> None:
    first, last = NOVEMBER.start, datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
    before, after = datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC), NOVEMBER.end
    client = LogInsights({GROUPS[0]: [_at(lines[0], day) for day in (before, first, last, after)], GROUPS[1]: []})
    assert [row.calls for row in _read(client)] == [2]
    assert client.queries[-1]["limit"] == MOST_ROWS


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [("2026-12", (2026, 12), (2027, 1)), ("2028-02", (2028, 2), (2028, 3)), ("1970-01", (1970, 1), (1970, 2))],
)
def test_a_month_ends_where_the_next_begins(text: str, start: tuple[int, int], end: tuple[int, int]) -> None:
    assert read_month(text) == Month(datetime(*start, 1, tzinfo=UTC), datetime(*end, 1, tzinfo=UTC))


@pytest.mark.parametrize("text", WRONG_MONTHS)
def test_what_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="2026-11"):
        read_month(text)


@pytest.mark.parametrize(("days", "since"), [(None, None), (30, None), (20, datetime(2026, 11, 6, tzinfo=UTC))])
def test_a_report_says_where_logs_do_not_reach_back_to_the_start_of_the_month(
    lines: list[str], days: int | None, since: datetime | None
) -> None:
    client = LogInsights({GROUPS[0]: lines, GROUPS[1]: []}, days=days)
    report = read_usage(client, GROUPS, NOVEMBER, None, NOW, lambda _: None)
    assert report.kept_since == since
    assert report.scanned == sum(map(len, lines))


def test_a_query_that_fails_or_does_not_end_says_so(lines: list[str]) -> None:
    with pytest.raises(Unavailable, match="Failed"):
        _read(LogInsights({GROUPS[0]: lines, GROUPS[1]: []}, as_status="Failed"))
    with pytest.raises(Unavailable, match="in time"):
        _read(LogInsights({GROUPS[0]: lines, GROUPS[1]: []}, polls=10**6))
