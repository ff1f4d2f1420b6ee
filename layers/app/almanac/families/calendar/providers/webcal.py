"""Read-only calendars published as an iCalendar text at a URL (webcal).

Requests carry the validators of the last response (RFC 9110), so that an unchanged text is not sent again.
"""
# ruff: noqa: ARG002 - the arguments are those of the port; a subscription that is only read needs few of them

import re
from hashlib import sha256
from typing import NoReturn
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from almanac.content import clean
from almanac.families.calendar.ical.ids import digest_id
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.partial_pull import PartialPull, Unreadable
from almanac.families.calendar.providers.port import Answer, Changes, ProviderCopy, ProviderEvent, RemoteCalendar
from almanac.families.calendar.providers.refusals import refusal
from almanac.families.calendar.providers.transport.http import Http, Response, origin_of
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import Forbidden, InvalidInput, Unavailable

MAX_BODY = 16 * 1024 * 1024
_LONGEST_URL = 2_000
_LONGEST_NAME = 200
_LONGEST_VALIDATOR = 500
_SCHEMES = ("webcal", "webcals")
_END = b"END:VCALENDAR"


class Subscription(Struct, frozen=True):
    """URL of a published calendar, and its name here; empty for the calendar's own name.

    The URL is a secret, because anyone with it can read the calendar.
    """

    url: str
    name: str = ""

    def __repr__(self) -> str:
        return "Subscription(…)"


class _Token(Struct, frozen=True, omit_defaults=True):
    """Validators of the last response, and a digest of its text and of the zone in which it was read."""

    etag: str = ""
    modified: str = ""
    digest: str = ""


class _OwnName(Struct, frozen=True):
    name: str
    timezone: str | None


class WebcalProvider:
    """Provider for one subscription. `account` is its id."""

    def __init__(self, http: Http, account: str, subscription: Subscription) -> None:
        self.name = f"The calendar at {urlsplit(subscription.url).hostname}"
        self._http = http
        self._account = account
        self._subscription = subscription

    def calendars(self) -> list[RemoteCalendar]:
        own_name = _own_name(self._whole(self._request(_Token())))
        name = self._subscription.name or own_name.name or urlsplit(self._subscription.url).hostname or self._account
        return [RemoteCalendar(id=self._account, name=name, access_role="reader", timezone=own_name.timezone)]

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        """Return all published events if they changed since `token`, else none."""
        former_token = _token(token)
        answer = self._request(former_token)
        if answer.status == 304 and former_token != _Token():
            return Changes(events=(), token=token)
        text, zone = self._whole(answer), calendar.zone
        following = _Token(
            answer.headers.get("etag", "")[:_LONGEST_VALIDATOR],
            answer.headers.get("last-modified", "")[:_LONGEST_VALIDATOR],
            sha256(zone.key.encode() + b"\n" + text).hexdigest(),
        )
        if following.digest == former_token.digest:
            # Servers without validators send the same text again, which need not be read again.
            return Changes(events=(), token=msgspec.json.encode(following).decode())
        events, unreadable = self._read(text, zone)
        return PartialPull(
            events=events, token=msgspec.json.encode(following).decode(), reset=True, unreadable=unreadable
        )

    def create(self, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        self._refuse()

    def update(
        self,
        calendar: RemoteCalendar,
        event: Event,
        etag: str | None,
        changed: object = (),
    ) -> ProviderCopy:
        self._refuse()

    def respond(self, calendar: RemoteCalendar, event: Event, etag: str | None, answer: Answer) -> ProviderCopy:
        self._refuse()

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        self._refuse()

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        return next((one for one in self.changes(calendar, None).events if one.id == event_id), None)

    def current_events(self, calendar: RemoteCalendar, window: Interval) -> list[ProviderEvent]:
        return [ProviderEvent(event, ours=False) for event in self.changes(calendar, None).events]

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:
        raise Forbidden(f"{self.name} cannot show busy times without the events.", "Use list_events instead.")

    def _refuse(self) -> NoReturn:
        raise Forbidden(f"{self.name} is a subscription and can only be read.", "Use another calendar.")

    def _request(self, former_token: _Token) -> Response:
        headers = {"Accept": "text/calendar, */*;q=0.1", "User-Agent": "Almanac"}
        headers |= {"If-None-Match": former_token.etag} if former_token.etag else {}
        headers |= {"If-Modified-Since": former_token.modified} if former_token.modified else {}
        return self._http.send("GET", self._subscription.url, headers=headers)

    def _whole(self, answer: Response) -> bytes:
        """Raise Unavailable for a response that is not a calendar or was cut off, because it does not show that events
        are gone."""
        if answer.status != 200:
            raise refusal(self.name, answer, "the calendar")
        if not answer.body.rstrip().upper().endswith(_END):
            raise Unavailable(
                f"{self.name} sent an incomplete calendar.",
                "Check that the URL leads to an .ics file, not to a page about it; or try again in a moment.",
            )
        return answer.body

    def _read(self, text: bytes, zone: ZoneInfo) -> tuple[tuple[Event, ...], tuple[Unreadable, ...]]:
        from almanac.families.calendar.ical.parser import read_events  # noqa: PLC0415 - icalendar takes 130 ms

        try:
            parsed = read_events(text, zone)
        except InvalidInput as problem:
            raise Unavailable(f"{self.name} cannot be read: {problem.message}", problem.hint) from problem
        return parsed.events, tuple(Unreadable(f"problem-{at}", said) for at, said in enumerate(parsed.problems))


def check_url(url: str) -> str:
    """Return the https URL of a subscription. `webcal:` means `https:`. Raises InvalidInput for anything else."""
    text = url.strip()
    plain = len(text) <= _LONGEST_URL and text.isascii() and text.isprintable() and " " not in text
    try:
        parts = urlsplit(text if plain else "")
    except ValueError:
        parts = urlsplit("")
    if not parts.netloc:
        raise InvalidInput(
            "This is not the URL of a calendar.", "Give one like https://example.com/calendar.ics.", path="url"
        )
    scheme = "https" if parts.scheme.lower() in _SCHEMES else parts.scheme
    whole = urlunsplit((scheme, parts.netloc, parts.path or "/", parts.query, ""))
    origin_of(whole)
    return whole


def site_of(url: str) -> tuple[str, str]:
    """Return the public part of a URL, and an id for its subscription."""
    scheme, host, port = origin_of(url)
    plain = re.sub(r"[^A-Za-z0-9.-]", "-", host)[:40].strip("-.")
    return f"{scheme}://{host}:{port}/", f"{plain or 'calendar'}-{digest_id(url)[:6]}"


def _own_name(text: bytes) -> _OwnName:
    """Return name and zone as the calendar itself gives them."""
    from almanac.families.calendar.ical.lines import components  # noqa: PLC0415 - only where it is listed

    calendars, _ = components(text)
    calendar = calendars[0] if calendars else None
    names = calendar.raw_values("X-WR-CALNAME") if calendar is not None else []
    zones = calendar.raw_values("X-WR-TIMEZONE") if calendar is not None else []
    name = clean(names[0].replace("\\,", ",").replace("\\;", ";")).text.strip() if names else ""
    try:
        zone = find_zone(zones[0].strip()).key if zones else None
    except InvalidInput:
        zone = None
    return _OwnName(name[:_LONGEST_NAME], zone)


def _token(text: str | None) -> _Token:
    try:
        return msgspec.json.decode(text, type=_Token) if text else _Token()
    except msgspec.DecodeError:
        return _Token()
