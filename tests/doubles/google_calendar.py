"""A stand-in for Google Calendar's API v3 on loopback, which keeps its documented rules.

It has ids of 5 to 1024 characters of base32hex that are never used twice, ETags, pages, sync tokens that report
deletions and may expire, quotas, access tokens that expire, and calendars that show only free and busy.
"""

import json
import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from threading import Lock
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

from tests.doubles.loopback import serve

_ID = re.compile(r"[0-9a-v]{5,1024}")
_INSTANCE = re.compile(r"(.+)_(\d{8}(?:T\d{6}Z)?)")
_EVENT = re.compile(r"/calendars/([^/]+)/events(?:/([^/]+))?")

Item = dict[str, Any]


@dataclass
class FakeGoogle:
    """The state of the server, and the faults that a test orders for its next calls."""

    page_size: int = 250
    longest_free_busy: timedelta = timedelta(days=90)
    refresh_token: str = "refresh-1"
    access_tokens: set[str] = field(default_factory=set[str])
    """Tokens that the server issued. Each is valid until a test removes it."""
    tokens_given: int = 0
    over_quota: list[int] = field(default_factory=list[int])
    """Statuses, 403 or 429, with which the server rejects the next calls."""
    retry_after: str | None = None
    fail: list[int] = field(default_factory=list[int])
    """Statuses with which the next calls fail. With a negative status the server does the write first."""
    calendars: dict[str, Item] = field(default_factory=dict[str, Item])
    calls: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    events: dict[str, dict[str, Item]] = field(default_factory=dict[str, dict[str, Item]])
    changed: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    clock: int = 0
    oldest_token: int = 0
    lock: Lock = field(default_factory=Lock)

    def add_calendar(self, name: str, **more: Any) -> None:
        self.calendars[name] = {"id": name, "summary": name, "accessRole": "owner", "timeZone": "Europe/Berlin", **more}
        self.events[name] = {}
        self.changed[name] = {}

    def put(self, calendar: str, item: dict[str, Any]) -> dict[str, Any]:
        """Store an event as if its owner had changed it in the browser."""
        self.clock += 1
        stored = {"status": "confirmed", "iCalUID": f"{item['id']}@google.com", "sequence": 0, **item}
        stored["etag"] = f'"{self.clock:016d}"'
        self.events[calendar][item["id"]] = stored
        self.changed[calendar][item["id"]] = self.clock
        return stored

    def forget_tokens(self) -> None:
        self.oldest_token = self.clock + 1


class _ApiError(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@contextmanager
def run_google(google: FakeGoogle) -> Generator[str]:
    """Run the server, and yield its address."""

    class Handler(_Handler):
        known = google

    with serve(Handler) as address:
        yield address


class _Handler(BaseHTTPRequestHandler):
    known: FakeGoogle
    protocol_version = "HTTP/1.1"
    timeout = 5

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the names of http.server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = urlsplit(self.path)
        with self.known.lock:
            try:
                status, answer = self._answer(parts.path, {k: v[0] for k, v in parse_qs(parts.query).items()}, body)
            except _ApiError as failure:
                error = {"errors": [{"domain": "calendar", "reason": failure.reason}], "code": failure.status}
                status, answer = failure.status, {"error": error}
        content = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(content)))
        if status == 429 and self.known.retry_after is not None:
            self.send_header("Retry-After", self.known.retry_after)
        self.end_headers()
        self.wfile.write(content)

    def _answer(self, path: str, query: dict[str, str], body: bytes) -> tuple[int, Any]:
        google = self.known
        google.calls.append((self.command, path))
        if path == "/token":
            return self._token(parse_qs(body.decode()))
        if self.headers.get("Authorization", "").removeprefix("Bearer ") not in google.access_tokens:
            raise _ApiError(401, "authError")
        if google.over_quota:
            status = google.over_quota.pop(0)
            raise _ApiError(status, "rateLimitExceeded")
        failing = google.fail.pop(0) if google.fail else 0
        if failing > 0:
            raise _ApiError(failing, "backendError")
        answer = self._respond(path, query, json.loads(body) if body else {})
        if failing < 0:
            raise _ApiError(-failing, "backendError")
        return answer

    def _token(self, form: dict[str, list[str]]) -> tuple[int, Any]:
        google = self.known
        if form.get("grant_type") != ["refresh_token"] or form.get("refresh_token") != [google.refresh_token]:
            return 400, {"error": "invalid_grant"}
        google.tokens_given += 1
        token = f"access-{google.tokens_given}"
        google.access_tokens.add(token)
        return 200, {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}

    def _respond(self, path: str, query: dict[str, str], body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/users/me/calendarList":
            return 200, self._page(list(self.known.calendars.values()), query, {})
        if path == "/freeBusy":
            return 200, {"calendars": {one["id"]: self._busy(one["id"], body) for one in body["items"]}}
        found = _EVENT.fullmatch(path)
        calendar = unquote(found[1]) if found is not None else ""
        if found is None or calendar not in self.known.events:
            raise _ApiError(404, "notFound")
        if self.known.calendars[calendar]["accessRole"] == "freeBusyReader":
            raise _ApiError(403, "requiredAccessLevel")
        if found[2] is None:
            return self._insert(calendar, body) if self.command == "POST" else self._list(calendar, query)
        return self._one(calendar, unquote(found[2]), body)

    def _busy(self, calendar: str, asked: dict[str, Any]) -> dict[str, Any]:
        since, until = (datetime.fromisoformat(asked[name]) for name in ("timeMin", "timeMax"))
        if until - since > self.known.longest_free_busy:
            raise _ApiError(400, "timeRangeTooLong")
        if calendar not in self.known.events:
            return {"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}
        times = sorted(
            (one["start"]["dateTime"], one["end"]["dateTime"]) for one in self.known.events[calendar].values()
        )
        begun = [(start, end) for start, end in times if datetime.fromisoformat(start) < until]
        return {"busy": [{"start": a, "end": b} for a, b in begun if since < datetime.fromisoformat(b)]}

    def _insert(self, calendar: str, body: dict[str, Any]) -> tuple[int, Any]:
        if "id" in body and "iCalUID" in body:
            raise _ApiError(400, "invalid")
        if not _ID.fullmatch(body.get("id", "")) or not {"start", "end"} <= body.keys():
            raise _ApiError(400, "invalid")
        if body["id"] in self.known.events[calendar]:
            raise _ApiError(409, "duplicate")
        return 200, self.known.put(calendar, body | {"organizer": {"email": calendar, "self": True}})

    def _one(self, calendar: str, event_id: str, body: dict[str, Any]) -> tuple[int, Any]:
        events = self.known.events[calendar]
        instance = _INSTANCE.fullmatch(event_id)
        if event_id not in events and instance is not None and instance[1] in events and self.command != "GET":
            series = {name: held for name, held in events[instance[1]].items() if name != "recurrence"}
            origin = {
                "recurringEventId": instance[1],
                "originalStartTime": _start_of_instance(instance[2], series["start"]),
            }
            events[event_id] = {**series, "id": event_id, **origin}
        if event_id not in events:
            raise _ApiError(404, "notFound")
        item = events[event_id]
        if self.command == "GET":
            return 200, item
        if self.headers.get("If-Match") not in (None, "*", item["etag"]):
            raise _ApiError(412, "conditionNotMet")
        if item["status"] == "cancelled" and self.command == "DELETE":
            raise _ApiError(410, "deleted")
        if self.command == "DELETE":
            self.known.put(calendar, {**item, "status": "cancelled"})
            return 204, None
        return 200, self.known.put(calendar, _merge(item, body))

    def _list(self, calendar: str, query: dict[str, str]) -> tuple[int, Any]:
        google = self.known
        token = query.get("syncToken")
        if token is not None and {"timeMin", "timeMax", "q", "orderBy", "updatedMin"} & query.keys():
            raise _ApiError(400, "syncTokenWithRequestRestrictions")
        since = int(token) if token is not None else -1
        if token is not None and since < google.oldest_token:
            raise _ApiError(410, "fullSyncRequired")
        held = google.events[calendar].values()
        if query.get("singleEvents") == "true":
            items = _within(held, *(datetime.fromisoformat(query[name]) for name in ("timeMin", "timeMax")))
        elif token is None:
            items = [one for one in held if one["status"] != "cancelled" or "recurringEventId" in one]
        else:
            items = [one for one in held if google.changed[calendar][one["id"]] > since]
        last = {"nextSyncToken": str(google.clock)}
        return 200, {"timeZone": google.calendars[calendar]["timeZone"], **self._page(items, query, last)}

    def _page(self, items: list[dict[str, Any]], query: dict[str, str], last: dict[str, str]) -> dict[str, Any]:
        size = min(self.known.page_size, int(query.get("maxResults", 250)))
        begin = int(query.get("pageToken", 0))
        more = begin + size < len(items)
        return {"items": items[begin : begin + size], **({"nextPageToken": str(begin + size)} if more else last)}


def _within(held: Iterable[Item], since: datetime, until: datetime) -> list[Item]:
    """Return the single events of a span. This double expands no series."""
    live = [one for one in held if one["status"] != "cancelled" and not one.get("recurrence")]
    return [one for one in live if _moment(one["start"]) < until and since < _moment(one["end"])]


def _moment(time: Item) -> datetime:
    return datetime.fromisoformat(time.get("dateTime") or f"{time['date']}T00:00:00+00:00")


def _start_of_instance(stamp: str, start: Item) -> Item:
    """Return the start that the id of an instance names, in the form of the series' own `start`."""
    if len(stamp) == 8:
        return {"date": f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:]}"}
    moment = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return {"dateTime": moment.isoformat(), "timeZone": start.get("timeZone")}


def _merge(item: Item, patch: Item) -> Item:
    merged = dict(item)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict) and isinstance(merged.get(name), dict):
            merged[name] = _merge(merged[name], cast(Item, value))
        else:
            merged[name] = value
    return merged
