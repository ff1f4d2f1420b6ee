"""What changed in a CalDAV calendar: by sync-collection (RFC 6578) where the server has it, by comparing etags where
it does not."""

import re
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import urljoin, urlsplit

from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.dav_xml import (
    Multistatus,
    Resource,
    calendar_query,
    multiget,
    names_precondition,
    read_multistatus,
    same_path,
    sync_collection,
)
from almanac.families.calendar.providers.caldav.resources import events_at, resource_id
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.families.calendar.providers.pulled import Pulled, Unreadable
from almanac.families.calendar.providers.refusals import refusal
from almanac.kernel.errors import LimitExceeded, NotFound

MAX_RESOURCES = 20_000
_CHUNK = 100
_SYNC, _STATE = "sync:", "state:"
_NO_SUCH_REPORT = frozenset({400, 403, 404, 405, 415, 422, 501})
_TOKEN_REFUSED = frozenset({409, 410, 412, 507})
_COUNTED = re.compile(r"(.*?)(\d+)", re.DOTALL)


def pull(dav: Dav, url: str, calendar: RemoteCalendar, token: str | None) -> Pulled:
    """The changes since `token`, which an earlier call gave; everything where it gave none or the server forgot it."""
    if token is None or token.startswith(_SYNC):
        listed = _synchronised(dav, url, token.removeprefix(_SYNC) if token else None)
        if listed is None and token is not None:
            listed, token = _synchronised(dav, url, None), None
        if listed is not None:
            return _since(dav, url, calendar, listed, reset=token is None)
    return _compared(dav, url, calendar, token)


def _synchronised(dav: Dav, url: str, token: str | None) -> Multistatus | None:
    """None where the server has no such report, or no longer knows the token."""
    answer = dav.send("REPORT", url, sync_collection(token), Depth="0", Content_Type="application/xml; charset=utf-8")
    if answer.status == 207:
        listed = read_multistatus(answer.body, answer.url, dav.name)
        return listed if listed.sync_token and not _went_back(token, listed.sync_token) else None
    forgotten = token is not None and (
        answer.status in _TOKEN_REFUSED or names_precondition(answer.body, "valid-sync-token")
    )
    if forgotten or answer.status in _NO_SUCH_REPORT:
        return None
    raise refusal(dav.name, answer, "the calendar")


def _went_back(token: str | None, newer: str) -> bool:
    """Whether a server that counts its changes has begun anew: then it is another calendar in the same place."""
    one, other = _COUNTED.fullmatch(token or ""), _COUNTED.fullmatch(newer)
    return one is not None and other is not None and one[1] == other[1] and int(other[2][:30]) < int(one[2][:30])


def _since(dav: Dav, url: str, calendar: RemoteCalendar, listed: Multistatus, *, reset: bool) -> Pulled:
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
    events, gone, unreadable = _fetched(dav, url, calendar, changed)
    return Pulled(
        events=tuple(events),
        removed_ids=(*removed, *gone),
        token=f"{_SYNC}{listed.sync_token}",
        complete=not truncated,
        reset=reset,
        unreadable=tuple(unreadable),
    )


def _compared(dav: Dav, url: str, calendar: RemoteCalendar, token: str | None) -> Pulled:
    query = calendar_query(["D:getetag"])
    listed = dav.listed("REPORT", url, query, depth=1, what="the calendar")
    held = sorted((each.href, each.text("D:getetag") or "") for each in listed.resources if each.status == 200)
    state = _STATE + sha256("\n".join(f"{href} {etag}" for href, etag in held).encode()).hexdigest()
    if state == token and all(etag for _, etag in held):
        return Pulled(events=(), token=state)
    events, _, unreadable = _fetched(dav, url, calendar, [href for href, _ in held])
    return Pulled(events=tuple(events), token=state, reset=True, unreadable=tuple(unreadable))


def _fetched(
    dav: Dav, url: str, calendar: RemoteCalendar, hrefs: Sequence[str]
) -> tuple[list[Event], list[str], list[Unreadable]]:
    """The events of these resources, the ids of those that went meanwhile, and what cannot be read."""
    if len(hrefs) > MAX_RESOURCES:
        raise LimitExceeded(
            f"The calendar {calendar.name} has more than {MAX_RESOURCES} events.", "Split it, or archive old years."
        )
    events: list[Event] = []
    gone: list[str] = []
    unreadable: list[Unreadable] = []
    for begin in range(0, len(hrefs), _CHUNK):
        paths = [urlsplit(href).path for href in hrefs[begin : begin + _CHUNK]]
        for each in _texts(dav, url, paths):
            text = each.text("C:calendar-data")
            if text is None:
                gone += [resource_id(each.href)] if each.status in {404, 410} else []
                continue
            found, problems = events_at(each.href, text.encode(), each.text("D:getetag"), calendar)
            events += found
            unreadable += [Unreadable(resource_id(each.href), " ".join(problems))] if problems else []
    return events, gone, unreadable


def _texts(dav: Dav, url: str, paths: Sequence[str]) -> list[Resource]:
    """Some servers answer 404 for all resources where one has gone since it was listed: then they are asked for in
    halves. Raises NotFound where that is so of two by themselves, as of a calendar that is gone."""
    try:
        return list(dav.listed("REPORT", url, multiget(paths), depth=1, what="the calendar").resources)
    except NotFound:
        if len(paths) == 1:
            return [Resource(urljoin(url, paths[0]), 404, {})]
        middle = len(paths) // 2
        halves = [_texts(dav, url, half) for half in (paths[:middle], paths[middle:])]
        if all(each.status == 404 for half in halves for each in half):
            raise
        return [each for half in halves for each in half]
