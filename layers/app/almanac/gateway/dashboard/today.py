"""Today: what is on, what is due, who holds what, and what waits for a person."""

from collections.abc import Mapping
from typing import Any

from almanac.gateway.dashboard.visit import View, Visit


def today(visit: Visit) -> View:
    day = visit.local_now.date().isoformat()
    tools = visit.tools
    values = {
        "overview": tools.call("daily_overview", startDate=day, days=2, timezone=visit.zone.key),
        "claims": tools.call("list_claims", limit=20),
        "reviews": tools.call("list_pending_reviews", limit=10),
        "snapshot": tools.call("get_snapshot", max_tokens=1500, timezone=visit.zone.key),
        "day": day,
    }
    return View("today.html", "Today", values)


def quick(visit: Visit) -> View:
    """An event in words: what the words mean, to be confirmed before anything is written."""
    words, title = visit.asked("words"), visit.asked("title")
    meant = visit.tools.call("resolve_datetime", expression=words, timezone=visit.zone.key)
    values: Mapping[str, Any] = {
        "words": words,
        "subject": title or words,
        "meant": meant,
        "local": str(meant.fields.get("resolved_local", ""))[:16],
    }
    return View("quick.html", "New event", values)
