"""Usage of tenants, which CloudWatch Logs Insights counts in the request lines of the functions' logs.

Answering a call writes nothing extra for it. A query costs $0.005 for each GB it reads, about 700,000 calls.
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
    """Calls of the tenant, or of the tool, that is named in `of`.

    `calls` includes `refused` (not let in), `errors` (an error was returned) and `failed` (ended in a defect).
    `seconds` is the time spent inside functions."""

    of: str
    calls: int
    refused: int
    errors: int
    failed: int
    seconds: float


class Report(Struct, frozen=True):
    """The result of a query. `scanned` is the number of bytes it read. Logs from before `kept_since` are deleted,
    unless it is None."""

    rows: list[Usage]
    scanned: int
    kept_since: datetime | None = None


def read_month(text: str) -> Month:
    """Return the month that `text` names, such as 2026-11. Raises InvalidInput."""
    found = _MONTH.fullmatch(text)
    year, month = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (1970 <= year < 9999 and 1 <= month <= 12):
        raise InvalidInput(f'"{text[:20]}" is not a month.', "Write it like 2026-11.", path="month")
    following = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    return Month(datetime(year, month, 1, tzinfo=UTC), following)


def usage_query(tenant: str | None) -> str:
    """Return the query that counts by tenant, or by tool for one tenant. `tenant` must be a validated name."""
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
    """Count the month's calls. Raises Unavailable if the query does not finish."""
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
            return Report(rows, scanned, _logs_since(client, groups, month, now))
        if answer["status"] not in ("Scheduled", "Running"):
            raise Unavailable(f"CloudWatch ended the query: {answer['status']}.", "Run the command again.")
        sleep(_POLL_SECONDS)
    raise Unavailable("CloudWatch did not finish the query in time.", "Run the command again.")


def _usage(row: Mapping[str, str]) -> Usage:
    calls, refused, errors, failed, seconds = (float(row.get(name) or 0) for name in _NUMBERS)
    of = row.get("tenant") or row.get("tool") or ""
    return Usage(of, int(calls), int(refused), int(errors), int(failed), round(seconds, 3))


def _logs_since(client: LogsClient, groups: Sequence[str], month: Month, now: datetime) -> datetime | None:
    """Return the time of the oldest kept logs if that is after the month's start, else None."""
    known = client.describe_log_groups(logGroupNamePrefix=groups[0])["logGroups"]
    days = next((group.get("retentionInDays") for group in known if group["logGroupName"] == groups[0]), None)
    if days is None:
        return None
    since = datetime.fromtimestamp(now.timestamp() - days * 86_400, UTC)
    return since if since > month.start else None
