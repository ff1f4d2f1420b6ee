"""The page Usage: calls, injected tokens and stored bytes, from counts that exist for other purposes."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any

from almanac.gateway.dashboard.operator_pages import Operator
from almanac.gateway.dashboard.visit import View, Visit
from almanac.gateway.hooks.injection import CHARACTERS_A_TOKEN
from almanac.gateway.hooks.records import HOOK_SESSIONS, HookSession
from almanac.identity.audit import AuditEntry
from almanac.identity.storage_limit import bytes_text

_COUNTED = 5000
_DAYS = 14
_MOST_ROWS = 12
_PLOT_HEIGHT = 120
_SHARE_WIDTH = 200


def usage(visit: Visit) -> View:
    """Show operators plots of the last days, which the server draws."""
    values: dict[str, Any] = {"operator": visit.operator, "days": _DAYS}
    if visit.operator is not None:
        values |= (
            _calls(visit, visit.operator)
            | _tokens(visit, visit.operator)
            | {"stored": _stored_by_family(visit, visit.operator)}
        )
        values["letters"] = visit.operator.dead_letters()
    return View("usage.html", "Usage", values)


def _calls(visit: Visit, operator: Operator) -> dict[str, Any]:
    """Return the calls of changing tools by day and by tool, from the audit trail."""
    by_day: Counter[date] = Counter()
    not_done: Counter[date] = Counter()
    answered: Counter[date] = Counter()
    by_tool: dict[str, list[AuditEntry]] = {}
    first, before, seen, is_all = _first_day(visit), None, 0, False
    while seen < _COUNTED and not is_all:
        page = operator.trail(1000, before)
        for entry in page.entries:
            day = _day_of(visit, entry.at)
            if is_all := day < first:
                break
            if not entry.key_id:
                continue  # a command
            seen += 1
            by_day[day] += 1
            not_done[day] += entry.outcome != "done"
            answered[day] += _tokens_of(entry.answered)
            by_tool.setdefault(entry.tool, []).append(entry)
        before = page.before
        is_all = is_all or before is None
    bars = [{**bar, "not_done": not_done[bar["day"]]} for bar in _bars(visit, by_day)]
    return {"bars": bars, "total": seen, "is_all": is_all, "tools": _of_tools(by_tool)} | {
        "answered": _bars(visit, answered),
        "tokens_answered": answered.total(),
    }


def _tokens(visit: Visit, operator: Operator) -> dict[str, Any]:
    """Return the tokens that hooks injected in the project, by client and by the day of a session's last injection."""
    rows = HOOK_SESSIONS.within(operator.store, operator.scope)
    found = list(islice(rows.every(page=1000), _COUNTED + 1))
    first = _first_day(visit)
    recent = [one for one in found[:_COUNTED] if _day_of(visit, one.at) >= first]
    by_day: Counter[date] = Counter()
    by_client: dict[str, list[HookSession]] = {}
    for one in recent:
        by_day[_day_of(visit, one.at)] += one.tokens
        by_client.setdefault(one.client, []).append(one)
    clients = [
        {"client": client, "sessions": len(each), "count": sum(one.tokens for one in each)}
        for client, each in by_client.items()
    ]
    return {"told": _bars(visit, by_day), "tokens": by_day.total(), "clients": _shares(clients)} | {
        "has_more": len(found) > _COUNTED
    }


def _stored_by_family(visit: Visit, operator: Operator) -> dict[str, Any] | None:
    """Return the stored bytes by family, largest first, or None on a server that does not count them."""
    if operator.stored is None:
        return None
    found = operator.stored.of_tenant(operator.tenant)
    if found is None:
        return {"families": [], "counted_at": None}
    sizes = operator.stored.by_family(found.usage.tables)
    families = [{"family": name, "count": size, "text": bytes_text(size)} for name, size in sizes.items()]
    return {
        "families": _shares(families),
        "counted_at": visit.now - timedelta(seconds=found.seconds_ago),
        "bytes": bytes_text(found.usage.bytes),
        "most_bytes": bytes_text(found.limit.bytes),
        "documents": found.usage.documents,
        "most_documents": found.limit.documents,
        "percent": 100
        * max(found.usage.bytes / max(found.limit.bytes, 1), found.usage.documents / max(found.limit.documents, 1)),
    }


def _of_tools(by_tool: Mapping[str, Sequence[AuditEntry]]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for tool, entries in by_tool.items():
        times = sorted(entry.duration_ms for entry in entries)
        outcomes = Counter(entry.outcome for entry in entries)
        slow = times[min(len(times) - 1, int(len(times) * 0.95))]
        tokens = sum(_tokens_of(entry.answered) for entry in entries)
        rows.append({"tool": tool, "count": len(entries), "outcomes": outcomes, "p95": slow, "tokens": tokens})
    return _shares(rows)


def _tokens_of(characters: int) -> int:
    """Estimate tokens as the hooks do for ASCII text."""
    return math.ceil(characters / CHARACTERS_A_TOKEN)


def _shares(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with the highest counts, each with the width of its bar."""
    ordered = sorted(rows, key=lambda row: -row["count"])[:_MOST_ROWS]
    most = max((row["count"] for row in ordered), default=0) or 1
    return [{**row, "width": round(row["count"] / most * _SHARE_WIDTH, 1)} for row in ordered]


def _bars(visit: Visit, by_day: Mapping[date, int]) -> list[dict[str, Any]]:
    days = [_first_day(visit) + timedelta(days=n) for n in range(_DAYS)]
    scale = _PLOT_HEIGHT / max(1, *by_day.values()) if by_day else 0
    return [{"day": day, "count": by_day.get(day, 0), "height": round(by_day.get(day, 0) * scale, 1)} for day in days]


def _first_day(visit: Visit) -> date:
    return visit.local_now.date() - timedelta(days=_DAYS - 1)


def _day_of(visit: Visit, at: int) -> date:
    return datetime.fromtimestamp(at / 1000, UTC).astimezone(visit.zone).date()
