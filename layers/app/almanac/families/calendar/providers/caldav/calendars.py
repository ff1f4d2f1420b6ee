"""Calendars on a CalDAV server (RFC 4791).

Our events are at `<id>.ics`, a name of our choice. A PUT that must create cannot replace anything, so a repeated write
either is the first or finds it. No server refuses overlaps.
"""

import re
from collections.abc import Callable, Collection
from urllib.parse import urljoin, urlsplit

from msgspec.structs import replace

from almanac.families.calendar.ical.ids import OURS
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.dav_xml import calendar_query
from almanac.families.calendar.providers.caldav.discovery import Home, calendar_url, calendars_of, own_addresses
from almanac.families.calendar.providers.caldav.pull import pull
from almanac.families.calendar.providers.caldav.refusals import dav_refusal
from almanac.families.calendar.providers.caldav.resources import events_at, resource_id, resource_of, resource_url
from almanac.families.calendar.providers.port import Answer, Changes, ProviderCopy, ProviderEvent, RemoteCalendar
from almanac.families.calendar.providers.same_event import same_content
from almanac.families.calendar.providers.transport.http import Response
from almanac.kernel.errors import Conflict, Forbidden, NotFound, Unavailable

_TYPE = "text/calendar; charset=utf-8"
_ANY_ZONE = 15 * 3600 * 1000


class CalDavProvider:
    """Provider for the calendar home of one account."""

    def __init__(self, dav: Dav, home: Home) -> None:
        self.name = dav.name
        self._dav = dav
        self._home = home
        self._addresses: tuple[str, ...] | None = None

    def calendars(self) -> list[RemoteCalendar]:
        return calendars_of(self._dav, self._home)

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:  # noqa: ARG002 - the port's
        """Raise Forbidden: CalDAV servers list only calendars with readable events."""
        refusal = f"{self.name} does not share the busy times of {calendar.name}."
        raise Forbidden(refusal, "Use list_events instead.", untrusted=True)

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        return pull(self._dav, self._collection(calendar), self._with_owner(calendar), token)

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        answer = self._locate(calendar, resource_of(event_id)[0])
        if answer is None:
            return None
        event = self._read(answer, calendar, event_id)
        return event if event is not None and event.status != "cancelled" else None

    def current_events(self, calendar: RemoteCalendar, window: Interval) -> list[ProviderEvent]:
        # Servers read days and floating times in a zone of their own choice, so the query includes time around the
        # window.
        within = Interval(window.start - _ANY_ZONE, window.end + _ANY_ZONE)
        query = calendar_query(["D:getetag", "C:calendar-data"], within=within)
        listed = self._dav.request_multistatus(
            "REPORT", self._collection(calendar), query, depth=1, what="the calendar"
        )
        calendar = self._with_owner(calendar)
        provider_events: list[ProviderEvent] = []
        for each in listed.resources:
            if (text := each.text("C:calendar-data")) is not None:
                events, _ = events_at(each.href, text.encode(), each.text("D:getetag"), calendar)
                provider_events += [ProviderEvent(event, event.uid.endswith(OURS)) for event in events]
        return provider_events

    def create(self, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        from almanac.families.calendar.providers.caldav.texts import new_text  # noqa: PLC0415 - imports icalendar

        url = resource_url(self._collection(calendar), event.id)
        event = self._with_organizer(event)
        text = new_text(event)
        answer = self._dav.send("PUT", url, text, If_None_Match="*", Content_Type=_TYPE)
        if answer.status == 500:
            # Servers fail on simultaneous writes. Repeating this one is safe: it creates the event, or finds its own.
            answer = self._dav.send("PUT", url, text, If_None_Match="*", Content_Type=_TYPE)
        if answer.status in {200, 201, 204}:
            return self._copy_of(event.id, url, answer, event.organizer)
        refused = dav_refusal(self.name, answer, "the event")
        if not isinstance(refused, Conflict):
            raise refused
        response = self._dav.send("GET", url)
        if response.status in {404, 410}:
            raise refused
        existing = self._read(response, calendar, event.id) if response.status == 200 else None
        if existing is not None and existing.uid == event.uid and same_content(existing, event, calendar.zone):
            return self._copy_of(event.id, url, response, event.organizer)
        raise Conflict(
            f"{self.name} already has another event with this id.", "Book again: each booking gets a new id."
        )

    def update(
        self,
        calendar: RemoteCalendar,
        event: Event,
        etag: str | None,
        changed: Collection[str] = (),  # noqa: ARG002 - a text is always written whole
    ) -> ProviderCopy:
        from almanac.families.calendar.providers.caldav.texts import with_event  # noqa: PLC0415 - imports icalendar

        zone, organised = calendar.zone, self._with_organizer(event)
        written = self._rewrite(calendar, event.id, etag, lambda text: with_event(text, organised, zone))
        return replace(written, organizer=organised.organizer)

    def respond(self, calendar: RemoteCalendar, event: Event, etag: str | None, answer: Answer) -> ProviderCopy:
        from almanac.families.calendar.providers.caldav.answers import with_answer  # noqa: PLC0415 - imports icalendar

        zone, own = calendar.zone, self.addresses()
        if not own:
            raise Forbidden(
                f"{self.name} does not say which e-mail addresses belong to this account.",
                "Connect the account again with --address and its address.",
            )
        return self._rewrite(calendar, event.id, etag, lambda text: with_answer(text, event, zone, own, answer))

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        resource, stamp = resource_of(event_id)
        if stamp is not None:
            self._delete_instance(calendar, event_id, stamp, etag)
            return
        condition = {"If_Match": if_match(etag)} if etag is not None else {}
        answer = self._dav.send("DELETE", resource_url(self._collection(calendar), resource), **condition)
        if answer.status in {404, 410}:
            located = self._locate(calendar, resource)
            if located is None:
                return
            answer = self._dav.send("DELETE", located.url, **condition)
        if answer.status not in {200, 202, 204, 404, 410}:
            raise dav_refusal(self.name, answer, "the event")

    def _delete_instance(self, calendar: RemoteCalendar, event_id: str, stamp: str, etag: str | None) -> None:
        from almanac.families.calendar.providers.caldav.texts import without_instance  # noqa: PLC0415

        zone = calendar.zone
        try:
            self._rewrite(calendar, event_id, etag, lambda text: without_instance(text, stamp, zone))
        except NotFound:
            return

    def _rewrite(
        self, calendar: RemoteCalendar, event_id: str, etag: str | None, change: Callable[[bytes], bytes | None]
    ) -> ProviderCopy:
        """Read a resource, change its text and write it back, unless another client writes meanwhile."""
        located = self._locate(calendar, resource_of(event_id)[0])
        if located is None:
            raise NotFound(
                f"{self.name} does not have the event.", "It was moved or deleted there: call list_events again."
            )
        current = located.headers.get("etag")
        if etag is not None and current is not None and not same_version(current, etag):
            raise Conflict(
                f"{self.name} has another version of the event.", "Read the event again with get_event, then decide."
            )
        condition = {"If_Match": if_match(current or etag or "*")}
        text = change(located.body)
        if text is None:
            answer = self._dav.send("DELETE", located.url, **condition)
        else:
            answer = self._dav.send("PUT", located.url, text, Content_Type=_TYPE, **condition)
        if answer.status not in {200, 201, 204}:
            raise dav_refusal(self.name, answer, "the event")
        return self._copy_of(event_id, located.url, answer)

    def _locate(self, calendar: RemoteCalendar, resource: str) -> Response | None:
        """Return the current resource of that id: by its name, by the UID that we gave it, or by searching all
        names."""
        collection = self._collection(calendar)
        answer = self._dav.send("GET", resource_url(collection, resource))
        if answer.status == 200:
            return self._whole(answer)
        if answer.status not in {404, 410}:
            raise dav_refusal(self.name, answer, "the event")
        for uid in (f"{resource}{OURS}", None):
            query = calendar_query(["D:getetag"], uid)
            listed = self._dav.request_multistatus("REPORT", collection, query, depth=1, what="the calendar")
            for each in listed.resources:
                if each.status == 200 and (uid is not None or resource_id(each.href) == resource):
                    answer = self._dav.send("GET", urljoin(collection, each.href))
                    if answer.status == 200:
                        return self._whole(answer)
        return None

    def _whole(self, answer: Response) -> Response:
        """Raise Unavailable for a response that was cut off, because it does not show that an event is missing."""
        if not answer.body.rstrip().upper().endswith(b"END:VCALENDAR"):
            raise Unavailable(f"{self.name} sent an incomplete answer.", "Try again in a moment.")
        return answer

    def _read(self, answer: Response, calendar: RemoteCalendar, event_id: str) -> Event | None:
        events, _ = events_at(answer.url, answer.body, answer.headers.get("etag"), self._with_owner(calendar))
        _, stamp = resource_of(event_id)
        return next((event for event in events if resource_of(event.id)[1] == stamp), None)

    def _copy_of(self, event_id: str, url: str, answer: Response, organizer: str = "") -> ProviderCopy:
        etag = answer.headers.get("etag")
        if etag is None:
            # Servers that store something other than what they received leave it out.
            etag = self._dav.send("GET", url).headers.get("etag")
        return ProviderCopy(id=event_id, etag=etag, href=urlsplit(url).path, organizer=organizer)

    def _with_organizer(self, event: Event) -> Event:
        """Add the account as organizer: a server invites people only for an organizer with the account's own address
        (RFC 6638)."""
        if not event.attendees or event.organizer:
            return event
        return replace(event, organizer=next(iter(self.addresses()), ""))

    def _with_owner(self, calendar: RemoteCalendar) -> RemoteCalendar:
        return replace(calendar, owner_addresses=tuple(each.lower() for each in self.addresses()))

    def addresses(self) -> tuple[str, ...]:
        """Return the account's own e-mail addresses, else the login name if it is one."""
        if self._addresses is None:
            addresses = self._home.addresses or own_addresses(self._dav, self._home.url)
            user = self._dav.user
            self._addresses = addresses or ((user,) if re.fullmatch(r"[^@\s]+@[^@\s]+", user) else ())
        return self._addresses

    def _collection(self, calendar: RemoteCalendar) -> str:
        return calendar_url(self._home, calendar.id)


def same_version(one: str, other: str) -> bool:
    """Return whether two tags mean the same version; lists, headers and proxies write them differently."""
    return _opaque(one) == _opaque(other)


def if_match(etag: str) -> str:
    """Return the condition that a resource still has that version.

    A weak tag matches nothing, so the strong tag from which it was weakened is listed beside it.
    """
    return f"{etag}, {etag.removeprefix('W/')}" if etag.startswith("W/") else etag


def _opaque(etag: str) -> str:
    return etag.removeprefix("W/").strip('"')
