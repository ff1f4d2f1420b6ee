"""`almanac usage`"""

import json

import pytest
from click.testing import CliRunner, Result

from almanac.composition.families import FAMILIES
from almanac.kernel.errors import InvalidInput
from almanac.local.commands import usage as command
from tests.doubles.log_insights import LogInsights

STACK = "almanac-dev"
GROUPS = [f"/aws/lambda/{STACK}-{name}" for name in ("hub", *FAMILIES)]
NOON = 1_795_694_400_000
"""2026-11-26T12:00:00Z"""


def _line(tenant: str, tool: str, **more: float) -> str:
    line = {"message": "request", "tenant": tenant, "tool": tool, "Requests": 1, "Duration": 2500.0, **more}
    return json.dumps(line | {"_aws": {"Timestamp": NOON}})


def _no_sleep(_: float) -> None:
    pass


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> LogInsights:
    """The logs of a stack in which two tenants called tools of several functions."""
    lines: dict[str, list[str]] = {group: [] for group in GROUPS}
    lines[f"/aws/lambda/{STACK}-team"] = [_line("acme", "list_claims"), _line("other", "list_claims")]
    lines[f"/aws/lambda/{STACK}-hub"] = [_line("acme", "now", Error=1)]
    client = LogInsights(lines, days=30)

    def open_insights(region: str | None) -> LogInsights:
        assert region == "eu-central-1"
        return client

    monkeypatch.setattr(command, "open_logs", open_insights)
    monkeypatch.setattr(command.time, "sleep", _no_sleep)
    return client


def _run(*arguments: str) -> Result:
    given = [*arguments, "--stack", STACK, "--region", "eu-central-1"]
    return CliRunner().invoke(command.usage, given, catch_exceptions=False)


def test_tenants_are_listed_with_what_they_called(logs: LogInsights) -> None:
    shown = _run("--month", "2026-11").stdout.splitlines()
    assert [line.split() for line in shown] == [
        ["TENANT", "CALLS", "REFUSED", "ERRORS", "FAILED", "SECONDS"],
        ["acme", "2", "0", "1", "0", "5.0"],
        ["other", "1", "0", "0", "0", "2.5"],
    ]
    assert logs.queries[0]["logGroupNames"] == GROUPS


@pytest.mark.usefixtures("logs")
def test_one_tenant_is_shown_by_tools() -> None:
    rows = json.loads(_run("--month", "2026-11", "--tenant", "acme", "--json").stdout)
    assert {(row["tool"], row["calls"], row["errors"]) for row in rows} == {("list_claims", 1, 0), ("now", 1, 1)}


@pytest.mark.usefixtures("logs")
def test_a_month_without_calls_or_with_logs_that_are_gone_says_so() -> None:
    shown = _run("--month", "2020-01")
    assert "Nothing was called" in shown.stdout
    assert "calls before are not counted" in shown.stderr


@pytest.mark.usefixtures("logs")
def test_what_is_no_tenant_never_gets_into_a_query() -> None:
    with pytest.raises(InvalidInput):
        _run("--month", "2026-11", "--tenant", 'acme" or tenant != "')
