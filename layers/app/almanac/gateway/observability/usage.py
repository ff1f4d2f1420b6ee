"""Usage of tenants, counted by CloudWatch Logs Insights in the lines that requests leave in the logs of functions.

Nothing is written for it while calls are answered. A query costs what it reads: $0.005 for each GB, which is some
700,000 calls.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from msgspec import Struct

from almanac.kernel.errors import InvalidInput, Unavailable

MOST_ROWS = 10_000
"""The most rows that one query returns."""
_POLL_SECONDS = 1.0
_MOST_POLLS = 900
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_NUMBERS = ("calls", "refused", "errors", "failed", "seconds")


class LogsClient(Protocol):
    """The part of boto3's client for CloudWatch Logs that is used here."""

    def start_query(self, **arguments: Any) -> Mapping[str, Any]: ...

    def get_query_results(self, **arguments: Any) -> Mapping[str, Any]: ...

    def describe_log_groups(self, **arguments: Any) -> Mapping[str, Any]: ...


class Month(Struct, frozen=True):
    """A calendar month of UTC."""

    start: datetime
    end: datetime


class Usage(Struct, frozen=True):
    """Calls of a tenant, or to a tool: `of` is its name. Among `calls`, `refused` ones were not let in, `errors` were
    answered with one, `failed` ended in a defect. `seconds` were spent inside functions."""

    of: str
    calls: int
    refused: int
    errors: int
    failed: int
    seconds: float


class Report(Struct, frozen=True):
    """`scanned` are the bytes that the query read. Logs from before `kept_since` are gone where it is not None."""

    rows: list[Usage]
    scanned: int
    kept_since: datetime | None = None


def read_month(text: str) -> Month:
    """Return the month of 2026-11. Raises InvalidInput."""
    found = _MONTH.fullmatch(text)
    year, month = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (1970 <= year < 9999 and 1 <= month <= 12):
        raise InvalidInput(f'"{text[:20]}" is not a month.', "Write it like 2026-11.", path="month")
    following = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    return Month(datetime(year, month, 1, tzinfo=UTC), following)


def usage_query(tenant: str | None) -> str:
    """Return the query for all tenants, or for the tools of one. `tenant` is a name that was checked."""
    by, whose = ("tenant", 'tenant != ""') if tenant is None else ("tool", f'tenant = "{tenant}"')
    return (
        f'filter message = "request" and {whose}'
        " | stats count(*) as calls, sum(Refused) as refused, sum(Error) as errors, sum(Failed) as failed,"
        f" sum(Duration / 1000) as seconds by {by}"
        f" | sort calls desc | limit {MOST_ROWS}"
    )


def log_groups(stack: str, functions: Sequence[str]) -> list[str]:
    return [f"/aws/lambda/{stack}-{name}" for name in functions]


def read_usage(
    client: LogsClient,
    groups: Sequence[str],
    month: Month,
    tenant: str | None,
    now: datetime,
    sleep: Callable[[float], None],
) -> Report:
    """Count the month's calls. Raises Unavailable where the query does not come to an end."""
    started = client.start_query(
        logGroupNames=list(groups),
        startTime=int(month.start.timestamp()),
        endTime=int(month.end.timestamp()) - 1,
        queryString=usage_query(tenant),
        limit=MOST_ROWS,
    )
    for _ in range(_MOST_POLLS):
        answer = client.get_query_results(queryId=started["queryId"])
        if answer["status"] == "Complete":
            rows = [_usage({field["field"]: field["value"] for field in row}) for row in answer["results"]]
            scanned = int(answer.get("statistics", {}).get("bytesScanned", 0))
            return Report(rows, scanned, _kept_since(client, groups, month, now))
        if answer["status"] not in ("Scheduled", "Running"):
            raise Unavailable(f"CloudWatch ended the query: {answer['status']}.", "Run the command again.")
        sleep(_POLL_SECONDS)
    raise Unavailable("CloudWatch did not finish the query in time.", "Run the command again.")


def _usage(row: Mapping[str, str]) -> Usage:
    calls, refused, errors, failed, seconds = (float(row.get(name) or 0) for name in _NUMBERS)
    of = row.get("tenant") or row.get("tool") or ""
    return Usage(of, int(calls), int(refused), int(errors), int(failed), round(seconds, 3))


def _kept_since(client: LogsClient, groups: Sequence[str], month: Month, now: datetime) -> datetime | None:
    """Return since when there are logs, where that is later than the month's start."""
    known = client.describe_log_groups(logGroupNamePrefix=groups[0])["logGroups"]
    days = next((group.get("retentionInDays") for group in known if group["logGroupName"] == groups[0]), None)
    if days is None:
        return None
    since = datetime.fromtimestamp(now.timestamp() - days * 86_400, UTC)
    return since if since > month.start else None
