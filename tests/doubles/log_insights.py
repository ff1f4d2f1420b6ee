"""CloudWatch Logs Insights over JSON lines, with the part of its language that Almanac's queries use."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]

_TERM = re.compile(r'(\w+) (=|!=) "([^"]*)"')
_COLUMN = re.compile(r"(count\(\*\)|sum\((\w+)(?: / (\d+))?\)) as (\w+)")
_COMPARE: dict[str, Callable[[Any, str], bool]] = {
    "=": lambda value, text: value == text,
    # A missing field differs from no text.
    "!=": lambda value, text: value is not None and value != text,
}


class LogInsights:
    """Log groups with their `lines`, kept for `days`. A query ends with `as_status` after `polls` polls."""

    def __init__(
        self, lines: Mapping[str, list[str]], *, days: int | None = None, polls: int = 2, as_status: str = "Complete"
    ) -> None:
        self._lines, self._days, self._polls, self._status = lines, days, polls, as_status
        self.queries: list[Json] = []

    def start_query(self, **arguments: Any) -> Json:
        missing = [name for name in arguments["logGroupNames"] if name not in self._lines]
        assert not missing, f"ResourceNotFoundException: {missing}"
        self.queries.append(arguments)
        return {"queryId": "1"}

    def get_query_results(self, **arguments: Any) -> Json:
        assert arguments == {"queryId": "1"}
        self._polls -= 1
        if self._polls >= 0:
            return {"status": "Running", "results": []}
        lines = [line for name in self.queries[-1]["logGroupNames"] for line in self._lines[name]]
        rows = [[{"field": name, "value": text} for name, text in row.items()] for row in self._run(lines)]
        return {"status": self._status, "results": rows, "statistics": {"bytesScanned": float(sum(map(len, lines)))}}

    def describe_log_groups(self, **arguments: Any) -> Json:
        retention = {} if self._days is None else {"retentionInDays": self._days}
        names = [name for name in self._lines if name.startswith(arguments["logGroupNamePrefix"])]
        return {"logGroups": [{"logGroupName": name, **retention} for name in names]}

    def _run(self, lines: list[str]) -> list[dict[str, str]]:
        query = self.queries[-1]
        condition, statistics, order, limit = query["queryString"].split(" | ")
        begin, end = query["startTime"] * 1000, query["endTime"] * 1000 + 999
        records = [record for record in map(json.loads, lines) if begin <= record["_aws"]["Timestamp"] <= end]
        columns, by = statistics.removeprefix("stats ").split(" by ")
        groups: defaultdict[str, list[Json]] = defaultdict(list)
        for record in records:
            if _holds(condition, record):
                groups[record.get(by, "")].append(record)
        rows = [{by: name, **_columns(columns, of)} for name, of in groups.items()]
        assert order == "sort calls desc"
        rows.sort(key=lambda row: -int(row["calls"]))
        return rows[: int(limit.removeprefix("limit "))]


def _holds(condition: str, record: Json) -> bool:
    terms = [_TERM.fullmatch(term) for term in condition.removeprefix("filter ").split(" and ")]
    assert all(terms), condition
    return all(_COMPARE[term[2]](record.get(term[1]), term[3]) for term in terms if term)


def _columns(stated: str, records: list[Json]) -> dict[str, str]:
    found: dict[str, str] = {}
    for column in stated.split(", "):
        read = _COLUMN.fullmatch(column)
        assert read, column
        if read[2] is None:
            found[read[4]] = str(len(records))
            continue
        values = [record[read[2]] / int(read[3] or 1) for record in records if read[2] in record]
        # Insights returns no sum for a field that no line has.
        if values:
            found[read[4]] = f"{sum(values):.4f}"
    return found
