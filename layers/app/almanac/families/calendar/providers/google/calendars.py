"""Calendars of a Google account, over Calendar API v3.

Events are inserted under our ids. A repeated insert is answered by 409, and its content shows whether the event is the
same. Google never refuses an overlap.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import quote, unquote
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.google.busy import busy_times
from almanac.families.calendar.providers.google.calls import NAME, GoogleCalls, decode_object
from almanac.families.calendar.providers.google.events import (
    MARK,
    Item,
    body_of,
    event_of,
    is_ours,
    is_removed,
    organizer_of,
)
from almanac.families.calendar.providers.partial_pull import PartialPull, Unreadable
from almanac.families.calendar.providers.port import (
    AccessRole,
    Answer,
    Changes,
    ProviderCopy,
    ProviderEvent,
    RemoteCalendar,
)
from almanac.families.calendar.providers.refusals import not_invited, organizer_cannot_answer
from almanac.families.calendar.providers.same_event import same_content
from almanac.families.time.core.zones import stored_zone
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.kernel.instants import instant_at

_ID = re.compile(r"[0-9a-v]{5,1024}")
_ROLES: dict[str, AccessRole] = {"owner": "owner", "writer": "writer", "freeBusyReader": "freeBusyReader"}
_SYNC, _PAGE, _FULL_PAGE = "sync:", "page:", "full:"
_PAGE_SIZE = "250"


_UPDATES = {"sendUpdates": "none"}


class GoogleProvider:
    """Provider for one account. Google does not notify guests about bookings and changes made here."""

    name = NAME

    def __init__(self, calls: GoogleCalls) -> None:
        self._calls = calls

    def create(self, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        if not _ID.fullmatch(event.id):
            raise InvalidInput(
                "Google accepts event ids of 5 to 1024 characters from 0-9 and a-v only.", "Book it again."
            )
        body = {**body_of(event), "id": event.id, "attendees": guests_of(event), **MARK}
        answer = self._calls.call("POST", _events(calendar), query=_UPDATES, body=_drop_empty(body))
        if answer.status == 200:
            return _copy_of(decode_object(answer))
        if answer.status != 409:
            raise self._calls.refusal_of(answer, "the event")
        item = self._item(calendar, event.id)
        zone = calendar.zone
        if item is None or is_removed(item) or not same_content(event_of(item, zone), event, zone):
            raise Conflict(f"{NAME} already has another event with this id.", "Book again: each booking gets a new id.")
        return _copy_of(item)

    def update(
        self, calendar: RemoteCalendar, event: Event, etag: str | None, changed: Collection[str] = ()
    ) -> ProviderCopy:
        """Update an event. Guests who stay keep their answers."""
        body = body_of(event)
        if "attendees" in changed:
            body["attendees"] = _with_guests(self._item(calendar, event.id) or {}, event)
        if "alarms" in changed and not event.alarms:
            body["reminders"] = {"useDefault": False, "overrides": []}
        return self._patch(calendar, event.id, body, etag)

    def respond(self, calendar: RemoteCalendar, event: Event, etag: str | None, answer: Answer) -> ProviderCopy:
        item = self._item(calendar, event.id)
        if item is None:
            raise NotFound(f"{NAME} does not have the event.", "It was moved or deleted there: call list_events again.")
        return self._patch(calendar, event.id, {"attendees": _with_answer(item, answer)}, etag)

    def _patch(self, calendar: RemoteCalendar, event_id: str, body: dict[str, Any], etag: str | None) -> ProviderCopy:
        answer = self._calls.call("PATCH", _event(calendar, event_id), query=_UPDATES, body=body, etag=etag)
        if answer.status != 200:
            raise self._calls.refusal_of(answer, "the event")
        return _copy_of(decode_object(answer))

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        answer = self._calls.call("DELETE", _event(calendar, event_id), query=_UPDATES, etag=etag)
        if answer.status not in {200, 204, 404, 410}:
            raise self._calls.refusal_of(answer, "the event")

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        item = self._item(calendar, event_id)
        if item is None or item.get("status") == "cancelled":
            return None
        return event_of(item, calendar.zone)

    def current_events(self, calendar: RemoteCalendar, window: Interval) -> list[ProviderEvent]:
        ends = {"timeMin": instant_at(window.start).isoformat(), "timeMax": instant_at(window.end).isoformat()}
        query = {"maxResults": _PAGE_SIZE, "singleEvents": "true", **ends}
        zone = calendar.zone
        events: list[ProviderEvent] = []
        while True:
            answer = self._calls.call("GET", _events(calendar), query=query)
            if answer.status != 200:
                raise self._calls.refusal_of(answer, "the calendar")
            page = decode_object(answer)
            # Google returns each instance of a series as an event of its own.
            held = [(item, event_of(item, zone)) for item in page.get("items", ()) if not is_removed(item)]
            events += [ProviderEvent(replace(event, recurrence_id=None), is_ours(item)) for item, event in held]
            if not page.get("nextPageToken"):
                return events
            query["pageToken"] = page["nextPageToken"]

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        kind, query = _query_of(token)
        answer = self._calls.call("GET", _events(calendar), query=query)
        if answer.status == 410 and token is not None:
            # Google forgot the token, so the pull begins from nothing.
            kind, query = _query_of(None)
            answer = self._calls.call("GET", _events(calendar), query=query)
        if answer.status != 200:
            raise self._calls.refusal_of(answer, "the calendar")
        page = decode_object(answer)
        events, removed, unreadable = _read(page, stored_zone(calendar.timezone or str(page.get("timeZone") or "")))
        following = page.get("nextPageToken")
        if following:
            since = query.get("syncToken", "")
            next_token = (
                f"{_FULL_PAGE}{following}" if kind == _FULL_PAGE else f"{_PAGE}{quote(since, safe='')} {following}"
            )
        else:
            next_token = f"{_SYNC}{page.get('nextSyncToken', '')}"
        return PartialPull(
            events=tuple(events),
            removed_ids=tuple(removed),
            token=next_token,
            complete=not following,
            reset=kind == _FULL_PAGE,
            unreadable=tuple(unreadable),
        )

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:
        return busy_times(self._calls, calendar.id, window)

    def calendars(self) -> list[RemoteCalendar]:
        remote_calendars: list[RemoteCalendar] = []
        query = {"maxResults": _PAGE_SIZE}
        while True:
            answer = self._calls.call("GET", "/users/me/calendarList", query=query)
            if answer.status != 200:
                raise self._calls.refusal_of(answer, "the list of calendars")
            page = decode_object(answer)
            remote_calendars += [_calendar(item) for item in page.get("items", ()) if not item.get("deleted")]
            if not page.get("nextPageToken"):
                return remote_calendars
            query["pageToken"] = page["nextPageToken"]

    def _item(self, calendar: RemoteCalendar, event_id: str) -> Item | None:
        answer = self._calls.call("GET", _event(calendar, event_id))
        if answer.status in {404, 410}:
            return None
        if answer.status != 200:
            raise self._calls.refusal_of(answer, "the event")
        return decode_object(answer)


def _query_of(token: str | None) -> tuple[str, dict[str, str]]:
    """Return the kind of pull that one of our tokens continues, and its query.

    The filters must stay the same between pages: series are not expanded, and cancelled instances are included.
    """
    query = {"maxResults": _PAGE_SIZE, "singleEvents": "false"}
    if token is None or token == _SYNC:
        return _FULL_PAGE, query
    if token.startswith(_FULL_PAGE):
        return _FULL_PAGE, query | {"pageToken": token.removeprefix(_FULL_PAGE)}
    if token.startswith(_PAGE):
        since, _, page = token.removeprefix(_PAGE).partition(" ")
        return _PAGE, query | {"syncToken": unquote(since), "pageToken": page}
    return _SYNC, query | {"syncToken": token.removeprefix(_SYNC)}


def _read(page: dict[str, Any], zone: ZoneInfo) -> tuple[list[Event], list[str], list[Unreadable]]:
    events: list[Event] = []
    removed: list[str] = []
    unreadable: list[Unreadable] = []
    for item in page.get("items", ()):
        if is_removed(item):
            removed.append(item["id"])
            continue
        try:
            events.append(event_of(item, zone))
        except InvalidInput as problem:
            description = f"{str(item.get('summary', ''))[:60]} ({item['id']})"
            unreadable.append(Unreadable(item["id"], f"{description}: {problem}"))
    return events, removed, unreadable


def _calendar(item: Item) -> RemoteCalendar:
    return RemoteCalendar(
        id=item["id"],
        name=str(item.get("summaryOverride") or item.get("summary") or item["id"]),
        primary=bool(item.get("primary")),
        access_role=_ROLES.get(str(item.get("accessRole")), "reader"),
        timezone=item.get("timeZone"),
    )


def _copy_of(item: Item) -> ProviderCopy:
    return ProviderCopy(id=item["id"], etag=item.get("etag"), url=item.get("htmlLink"), organizer=organizer_of(item))


def _drop_empty(body: dict[str, Any]) -> dict[str, Any]:
    """Drop empty values: a new event has nothing to clear."""
    times = {name: {key: value for key, value in body[name].items() if value is not None} for name in ("start", "end")}
    return {key: value for key, value in (body | times).items() if value not in ("", [])}


def _events(calendar: RemoteCalendar) -> str:
    return f"/calendars/{quote(calendar.id, safe='')}/events"


def _event(calendar: RemoteCalendar, event_id: str) -> str:
    return f"{_events(calendar)}/{quote(event_id, safe='')}"


def guests_of(event: Event) -> list[dict[str, str]]:
    """Return the guests. Raises InvalidInput for an attendee without an e-mail address, because Google invites by
    address."""
    nameless = next((one for one in event.attendees if "@" not in one), None)
    if nameless is not None:
        raise InvalidInput(
            f'Google Calendar cannot invite "{nameless[:80]}": it is not an e-mail address.',
            "Give attendees as e-mail addresses, or name them in the description.",
            path="attendees",
        )
    return [{"email": one} for one in event.attendees]


def _with_guests(item: Mapping[str, Any], event: Event) -> list[dict[str, Any]]:
    """Return the guests of an event. Guests already in `item` keep their answers. Raises InvalidInput as
    `guests_of`."""
    guests = {str(one.get("email", "")).lower(): one for one in item.get("attendees") or ()}
    return [dict(guests.get(one["email"].lower(), one)) for one in guests_of(event)]


def _with_answer(item: Mapping[str, Any], answer: Answer) -> list[dict[str, Any]]:
    """Return the guests of an event with the account's answer. Raises InvalidInput if the account is not invited."""
    organizer: Mapping[str, Any] = item.get("organizer") or {}
    if organizer.get("self"):
        raise organizer_cannot_answer()
    people = [dict(one) for one in item.get("attendees") or ()]
    own = next((one for one in people if one.get("self")), None)
    if own is None:
        raise not_invited()
    own["responseStatus"] = answer.response
    if answer.comment:
        own["comment"] = answer.comment
    return people
