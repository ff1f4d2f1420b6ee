"""The pages Today, Calendar and Board, which show the planner's data."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from almanac.gateway.dashboard.knowledge_pages import offers_in
from almanac.gateway.dashboard.renderer import instant_of
from almanac.gateway.dashboard.visit import View, Visit

_SPANS = {"day": 1, "week": 7, "month": 42, "agenda": 28}
_MOST = 200
_BOARDS_TRIED = 2
"""Most boards to look into, because a page calls at most four tools."""
_READY = 10
_COLOURS = 6
_NIGHT_QUARTERS = 28
"""Quarter hours before 7:00, which are drawn low if they are empty."""


def calendar(visit: Visit) -> View:
    """Show a span of days around the day `at`, each with the hours it really has."""
    form = visit.query_value("view", "week")
    form = form if form in _SPANS else "week"
    today = visit.local_now.date()
    at = _day(visit.query_value("at"), today)
    first, last = _span(form, at, visit.principal.caller.week_start)
    listed = visit.tools.call(
        "calendar_list_events",
        dateFrom=first.isoformat(),
        dateTo=last.isoformat(),
        limit=_MOST,
        timezone=visit.zone.key,
    )
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    events: list[dict[str, Any]] = listed.fields.get("events", [])
    drawn = [_lay_out_day(visit, day, events) for day in days]
    before, after = _beside(form, at)
    values = {
        "form": form,
        "at": at,
        "listed": listed,
        "days": drawn,
        "is_quiet": not any(placed["row"] < _NIGHT_QUARTERS for day in drawn for placed in day["timed"]),
        "before": before,
        "after": after,
        "today": today,
        "named": _span_title(form, first, last, at),
    }
    return View("calendar.html", "Calendar", values)


def event(visit: Visit) -> View:
    """Show one event with its actions."""
    found = visit.tools.call("calendar_get_event", eventId=visit.query_value("id"), timezone=visit.zone.key)
    days = {
        instant.astimezone(visit.zone).date()
        for each in ("start", "end")
        if (instant := instant_of(found.fields.get(each)))
    }
    return View("event.html", str(found.fields.get("title") or "Event"), {"found": found, "is_one_day": len(days) == 1})


def board(visit: Visit) -> View:
    """Show one board with its columns and cards. The default is the first board that has cards."""
    boards = visit.tools.call("kanban_list_boards")
    every: list[dict[str, Any]] = boards.fields.get("boards", [])
    asked = [one for one in every if one["id"] == visit.query_value("board")]
    chosen, cards = None, None
    for chosen in asked or every[:_BOARDS_TRIED]:
        cards = visit.tools.call("kanban_list_cards", boardId=chosen["id"], limit=_MOST, timezone=visit.zone.key)
        if asked or cards.problem or cards.fields.get("cards"):
            break
    else:
        if every and cards is not None:
            chosen = every[0]
    ready = (
        visit.tools.call("kanban_ready", board=chosen["id"], limit=_READY, timezone=visit.zone.key) if chosen else None
    )
    values: dict[str, Any] = {
        "boards": boards,
        "every": every,
        "chosen": chosen,
        "cards": cards,
        "ready": ready,
        "by_column": {},
    }
    if chosen is not None and cards is not None:
        by_column: dict[str, list[Any]] = {column["id"]: [] for column in chosen["columns"]}
        for card in cards.fields.get("cards", []):
            by_column.setdefault(card["columnId"], []).append(card)
        for column in by_column.values():
            column.sort(key=lambda card: card["position"])
        values["by_column"] = by_column
    return View("board.html", "Board", values)


def _day(text: str, default: date) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return default
    return day if date(1900, 1, 1) <= day <= date(2200, 1, 1) else default


def _span(form: str, at: date, week_start: str) -> tuple[date, date]:
    if form == "day":
        return at, at
    if form == "agenda":
        return at, at + timedelta(days=_SPANS[form] - 1)
    first = at.replace(day=1) if form == "month" else at
    first -= timedelta(days=(first.weekday() + (week_start == "sunday")) % 7)
    return first, first + timedelta(days=_SPANS[form] - 1)


def _beside(form: str, at: date) -> tuple[date, date]:
    if form == "month":
        first = at.replace(day=1)
        return (first - timedelta(days=1)).replace(day=1), (first + timedelta(days=32)).replace(day=1)
    step = timedelta(days=_SPANS[form])
    return at - step, at + step


def _span_title(form: str, first: date, last: date, at: date) -> str:
    if form == "day":
        return f"{at:%A} {at.day} {at:%B %Y}"
    if form == "month":
        return f"{at:%B %Y}"
    return f"{first.day} {first:%b} \u2013 {last.day} {last:%b %Y}"


def _lay_out_day(visit: Visit, day: date, events: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a day with its events, each placed among the quarter hours that the day really has."""
    begins = datetime.combine(day, time(), visit.zone).astimezone(UTC)
    ends = datetime.combine(day + timedelta(days=1), time(), visit.zone).astimezone(UTC)
    quarters = round((ends - begins).total_seconds() / 900)
    whole: list[dict[str, Any]] = []
    timed: list[dict[str, Any]] = []
    for one in events:
        start, end = instant_of(one["start"]), instant_of(one["end"])
        if one["time"] is None or start is None or end is None:
            if one["date"] <= day.isoformat() <= max(one["date"], _last_day(one)):
                whole.append(one)
        elif start < ends and (end > begins or (start == end and start >= begins)):
            row = max(0, int((start - begins).total_seconds() // 900))
            until = min(quarters, max(row + 2, -int(-(end - begins).total_seconds() // 900)))
            timed.append({"event": one, "row": row, "until": until, "start": start, "end": end})
    timed.sort(key=lambda placed: (placed["row"], -placed["until"]))
    return {
        "date": day,
        "whole": whole,
        "timed": list(_side_by_side(timed)),
        "quarters": quarters,
        "now": int((visit.now - begins).total_seconds() // 900) if begins <= visit.now < ends else None,
        "odd": None if quarters == 96 else f"{quarters / 4:g} hours: the clocks change",
        "hours": [
            (n * 4, f"{(begins + timedelta(hours=n)).astimezone(visit.zone):%H:%M}") for n in range(quarters // 4)
        ],
    }


def _last_day(one: dict[str, Any]) -> str:
    # The end of a whole day is the midnight after it.
    try:
        return (date.fromisoformat(one["endDate"]) - timedelta(days=1)).isoformat()
    except (TypeError, ValueError):
        return str(one["date"])


def _side_by_side(timed: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Arrange overlapping events in columns: `column` of `columns`, counted within each group of touching events."""
    group: list[dict[str, Any]] = []
    free: list[int] = []
    reach = 0
    for placed in timed:
        if group and placed["row"] >= reach:
            yield from ({**one, "columns": len(free)} for one in group)
            group, free, reach = [], [], 0
        column = next((n for n, until in enumerate(free) if until <= placed["row"]), len(free))
        free[column : column + 1] = [placed["until"]]
        reach = max(reach, placed["until"])
        colour = sum(map(ord, placed["event"]["calendarId"])) % _COLOURS
        group.append({**placed, "column": column, "colour": colour})
    yield from ({**one, "columns": len(free)} for one in group)


def today(visit: Visit) -> View:
    """Show the day's plan and the items that wait for the reader. Claims and broadcasts are on the page Team."""
    day = visit.local_now.date().isoformat()
    tools = visit.tools
    ready = tools.call("kanban_ready", limit=8, timezone=visit.zone.key)
    own = visit.principal.caller.actor.lower()
    waiting: list[dict[str, Any]] = ready.fields.get("waiting", [])
    yeses = [
        (card, gate)
        for card in waiting
        for gate in card["gates"]
        if (gate["kind"], gate["waitsFor"].lower()) == ("person", own)
    ]
    values = {
        "overview": tools.call("daily_overview", startDate=day, days=2, timezone=visit.zone.key),
        "ready": ready,
        "mine": yeses,
        "reviews": tools.call("list_pending_reviews", limit=10),
        "mail": visit.unread,
        "offers": offers_in(visit.unread),
        "day": day,
    }
    return View("today.html", "Today", values)


def quick(visit: Visit) -> View:
    """Show how an event in words is understood. It is stored only after confirmation."""
    words, title = visit.query_value("words"), visit.query_value("title")
    meant = visit.tools.call("resolve_datetime", expression=words, timezone=visit.zone.key)
    values: Mapping[str, Any] = {
        "words": words,
        "subject": title or words,
        "meant": meant,
        "local": str(meant.fields.get("resolved_local", ""))[:16],
    }
    return View("quick.html", "New event", values)
