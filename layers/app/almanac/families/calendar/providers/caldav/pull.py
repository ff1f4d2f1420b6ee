"""Pull of a CalDAV calendar's changes: by sync-collection (RFC 6578) if the server supports it, else by comparing
etags."""

import re
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import urljoin, urlsplit

from msgspec.structs import replace

from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.dav_xml import (
    Multistatus,
    Resource,
    calendar_query,
    multiget,
    names_precondition,
    propfind,
    read_multistatus,
    same_path,
    sync_collection,
)
from almanac.families.calendar.providers.caldav.refusals import dav_refusal
from almanac.families.calendar.providers.caldav.resources import events_at, resource_id
from almanac.families.calendar.providers.partial_pull import PartialPull, Unreadable
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.families.calendar.providers.transport.http import Response
from almanac.kernel.errors import LimitExceeded, NotFound

MAX_RESOURCES = 20_000
_CHUNK = 100
_SYNC, _SILENT, _STATE = "sync:", "silent:", "state:"
"""Prefixes of our tokens: for a server's own token, for that of a server that forgets tokens silently, for a digest of
etags."""
_NO_SUCH_REPORT = frozenset({400, 403, 404, 405, 415, 422, 501})
_TOKEN_REFUSED = frozenset({409, 410, 412, 507})
_COUNTER = re.compile(r"(?:.*[^0-9A-Za-z])?\d{1,18}", re.DOTALL)
_COUNTED = re.compile(r"(.*?)(\d+)", re.DOTALL)


def pull(dav: Dav, url: str, calendar: RemoteCalendar, token: str | None) -> PartialPull:
    """Return the changes since `token` of an earlier call, or everything if there is none or the server forgot it."""
    if token is not None and token.startswith(_STATE):
        return _compare_etags(dav, url, calendar, token)
    kind, _, since = (token or _SYNC).partition(":")
    listed = _synchronise(dav, url, since or None)
    reset = not since
    if listed is None and since:
        listed, reset = _synchronise(dav, url, None), True
    if listed is None:
        return _compare_etags(dav, url, calendar, None)
    silent = _forgets_silently(dav, url, listed) if reset else f"{kind}:" == _SILENT
    page = _since(dav, url, calendar, listed, reset=reset)
    etags = _list_etags(dav, url) if silent and not reset and listed.sync_token != since else None
    return replace(
        page,
        token=f"{_SILENT if silent else _SYNC}{listed.sync_token}",
        standing=frozenset(resource_id(href) for href, _ in etags) if etags is not None and page.complete else None,
    )


def _forgets_silently(dav: Dav, url: str, listed: Multistatus) -> bool:
    """Return whether the server answers an unknown token as if it had received none.

    Events removed while it forgot a token then show only by their absence. Only servers that count their changes behave
    like that. Other servers are not tested, because some, such as Radicale, answer invalid tokens slowly to stop
    guessing.
    """
    if _COUNTER.fullmatch(listed.sync_token or "") is None:
        return False
    answer = _ask(dav, url, f"{listed.sync_token}0")
    if answer.status != 207:
        return False
    listed_hrefs = {each.href for each in read_multistatus(answer.body, answer.url, dav.name).resources}
    return listed_hrefs >= {each.href for each in listed.resources}


def _ask(dav: Dav, url: str, token: str | None) -> Response:
    return dav.send("REPORT", url, sync_collection(token), Depth="0", Content_Type="application/xml; charset=utf-8")


def _synchronise(dav: Dav, url: str, token: str | None) -> Multistatus | None:
    """Return the changes since the token; None if the server has no such report, or no longer knows the token."""
    answer = _ask(dav, url, token)
    if answer.status == 207:
        listed = read_multistatus(answer.body, answer.url, dav.name)
        return listed if listed.sync_token and not _went_back(token, listed.sync_token) else None
    forgotten = token is not None and (
        answer.status in _TOKEN_REFUSED or names_precondition(answer.body, "valid-sync-token")
    )
    if forgotten or answer.status in _NO_SUCH_REPORT:
        return None
    raise dav_refusal(dav.name, answer, "the calendar")


def _went_back(token: str | None, newer: str) -> bool:
    """Return whether a server that counts its changes has started over, which means a new calendar at the same
    address."""
    one, other = _COUNTED.fullmatch(token or ""), _COUNTED.fullmatch(newer)
    return one is not None and other is not None and one[1] == other[1] and int(other[2][:30]) < int(one[2][:30])


def _since(dav: Dav, url: str, calendar: RemoteCalendar, listed: Multistatus, *, reset: bool) -> PartialPull:
    changed: list[str] = []
    removed: list[str] = []
    truncated = False
    for each in listed.resources:
        if same_path(each.href, url) or each.href.endswith("/"):
            truncated = truncated or each.status == 507
        elif each.status in {404, 410}:
            removed.append(resource_id(each.href))
        else:
            changed.append(each.href)
    events, removed_ids, unreadable = _fetch(dav, url, calendar, changed)
    return PartialPull(
        events=tuple(events),
        removed_ids=(*removed, *removed_ids),
        complete=not truncated,
        reset=reset,
        unreadable=tuple(unreadable),
    )


def _compare_etags(dav: Dav, url: str, calendar: RemoteCalendar, token: str | None) -> PartialPull:
    etags = _list_etags(dav, url)
    state = _STATE + sha256("\n".join(f"{href} {etag}" for href, etag in etags).encode()).hexdigest()
    if state == token and all(etag for _, etag in etags):
        return PartialPull(events=(), token=state)
    events, _, unreadable = _fetch(dav, url, calendar, [href for href, _ in etags])
    return PartialPull(events=tuple(events), token=state, reset=True, unreadable=tuple(unreadable))


def _list_etags(dav: Dav, url: str) -> list[tuple[str, str]]:
    """Return path and etag of each event of the calendar."""
    listed = dav.request_multistatus("REPORT", url, calendar_query(["D:getetag"]), depth=1, what="the calendar")
    return sorted((each.href, each.text("D:getetag") or "") for each in listed.resources if each.status == 200)


def _fetch(
    dav: Dav, url: str, calendar: RemoteCalendar, hrefs: Sequence[str]
) -> tuple[list[Event], list[str], list[Unreadable]]:
    """Return the events of these resources, the ids of those that are gone, and the unreadable ones."""
    if len(hrefs) > MAX_RESOURCES:
        raise LimitExceeded(
            f"The calendar {calendar.name} has more than {MAX_RESOURCES} events.", "Split it, or archive old years."
        )
    events: list[Event] = []
    removed_ids: list[str] = []
    unreadable: list[Unreadable] = []
    for begin in range(0, len(hrefs), _CHUNK):
        paths = [urlsplit(href).path for href in hrefs[begin : begin + _CHUNK]]
        for each in _fetch_texts(dav, url, paths):
            text = each.text("C:calendar-data")
            if text is None:
                removed_ids += [resource_id(each.href)] if each.status in {404, 410} else []
                continue
            resource_events, problems = events_at(each.href, text.encode(), each.text("D:getetag"), calendar)
            events += resource_events
            unreadable += [Unreadable(resource_id(each.href), " ".join(problems))] if problems else []
    return events, removed_ids, unreadable


def _fetch_texts(dav: Dav, url: str, paths: Sequence[str]) -> list[Resource]:
    """Return the texts of these resources. Raises NotFound if the calendar itself is gone.

    Some servers answer 404 for all resources if one is gone since the listing. Then the request is repeated in halves.
    """
    try:
        return list(dav.request_multistatus("REPORT", url, multiget(paths), depth=1, what="the calendar").resources)
    except NotFound:
        if len(paths) == 1:
            return [Resource(urljoin(url, paths[0]), 404, {})]
        middle = len(paths) // 2
        halves = [_fetch_texts(dav, url, half) for half in (paths[:middle], paths[middle:])]
        if all(each.status == 404 for half in halves for each in half):
            # Two conflicting bookings may both have been withdrawn at once, so check whether the calendar still exists.
            dav.request_multistatus("PROPFIND", url, propfind("D:resourcetype"), depth=0, what="the calendar")
        return [each for half in halves for each in half]
