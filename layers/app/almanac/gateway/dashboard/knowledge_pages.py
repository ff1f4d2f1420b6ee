"""The pages Memory, Team, Inbox, Sessions and Knowledge."""

import re
from datetime import datetime, time
from typing import Any

from almanac.gateway.dashboard.tools import Result
from almanac.gateway.dashboard.visit import View, Visit

_OFFER = re.compile(r"Handover ([\w-]{1,64}): accept or decline it")
"""Beginning of the mail that offers a handover. Only the receiver may answer it, so a forged mail does no harm."""


def memory(visit: Visit) -> View:
    """Show the memories, or the hits that an agent would get for a question."""
    asked = visit.query_value("q")
    tools = visit.tools
    values: dict[str, Any] = {"asked": asked, "found": None, "told": None, "turns": None, "pinned": None}
    if asked:
        narrowed = {name: visit.query_value(name) for name in ("session_id", "actor") if visit.query_value(name)}
        values["found"] = tools.call("search_memory", query=asked, k=20, explain=True, **narrowed)
    values["told"] = tools.call("get_snapshot", max_tokens=4000, timezone=visit.zone.key)
    values["candidates"] = tools.call("list_candidates", status="pending", limit=20)
    if not asked:
        values["turns"] = tools.call("list_recent_turns", limit=25, max_tokens=4000)
    return View("memory.html", "Memory", values)


def one_memory(visit: Visit) -> View:
    found = visit.tools.call("get_memory", memory_id=visit.query_value("id"))
    return View("one_memory.html", "One memory", {"found": found})


def team(visit: Visit) -> View:
    """Show active agents, claims, work that can start and mail, or else files, reviews and broadcasts."""
    tools = visit.tools
    if visit.query_value("show") == "files":
        told = {
            "focus": tools.call("get_focus_map", limit=50),
            "reviews": tools.call("list_reviews", limit=30),
            "broadcasts": tools.call("get_broadcast"),
        }
        return View("team_files.html", "Team", told)
    values = {
        "people": tools.call("list_active_users", limit=50),
        "claims": tools.call("list_claims", limit=100),
        "ready": tools.call("kanban_ready", limit=10, timezone=visit.zone.key),
        "mail": visit.unread,
        "offers": offers_in(visit.unread),
    }
    return View("team.html", "Team", values)


def offers_in(mail: Result | None) -> dict[str, str]:
    """Return the handovers that unread mail offers, by the message's id."""
    messages: list[dict[str, Any]] = [] if mail is None else mail.fields.get("messages", [])
    return {
        message["id"]: found[1]
        for message in messages
        if message["unread"] and (found := _OFFER.match(message["body"]))
    }


def inbox(visit: Visit) -> View:
    """Show the reader's unread mail, all mail, or one thread."""
    thread, cursor, every = visit.query_value("thread"), visit.query_value("cursor"), visit.query_value("show") == "all"
    more = {name: value for name, value in (("thread", thread), ("cursor", cursor)) if value}
    mail = visit.unread if not (every or more) else None
    if mail is None:
        mail = visit.tools.call("read_inbox", unread_only=not (every or thread), limit=20, **more)
    values = {"mail": mail, "thread": thread, "every": every, "offers": offers_in(mail)}
    return View("inbox.html", "Inbox", values)


def sessions(visit: Visit) -> View:
    """Show the sessions of agents with their turns, newest first."""
    chosen = visit.query_value("session_id")
    more = {"session_id": chosen} if chosen else {}
    cursor = visit.query_value("cursor")
    turns = visit.tools.call(
        "list_recent_turns", limit=100, max_tokens=20_000, **more, **({"cursor": cursor} if cursor else {})
    )
    grouped: dict[str, list[Any]] = {}
    for turn in turns.fields.get("turns", []):
        grouped.setdefault(turn.get("session_id") or "", []).append(turn)
    return View("sessions.html", "Sessions", {"turns": turns, "grouped": grouped, "chosen": chosen})


def knowledge(visit: Visit) -> View:
    """Show the facts, also as of a day, or the timeline of one subject."""
    subject, day = visit.query_value("subject"), visit.query_value("as_of")
    arguments: dict[str, Any] = {"limit": 100}
    if subject:
        arguments |= {"subject": subject, "history": True}
    if day:
        arguments["point_in_time"] = _end_of(day, visit)
        arguments["history"] = False
    facts = visit.tools.call("query_facts", **arguments)
    disputed = visit.tools.call("detect_contradictions", limit=20)
    values = {"facts": facts, "disputed": disputed, "subject": subject, "as_of": day}
    return View("knowledge.html", "Knowledge", values)


def _end_of(day: str, visit: Visit) -> str:
    """Return the last second of a local day, or the text itself if it is no date, so that the tool refuses it."""
    try:
        return datetime.combine(datetime.fromisoformat(day).date(), time(23, 59, 59), visit.zone).isoformat()
    except ValueError:
        return day
